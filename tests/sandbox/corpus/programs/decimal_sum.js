function decimal_sum(a, b) {
  return a + b;
}
