function another_name(n) {
  return n;
}
