function deep_sum(n) {
  return n === 0 ? 0 : n + deep_sum(n - 1);
}
