function negative_zero(x) {
  return -x;
}
