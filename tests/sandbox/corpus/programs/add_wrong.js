function add_wrong(a, b) {
  return a - b;
}
