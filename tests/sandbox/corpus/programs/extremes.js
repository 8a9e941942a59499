function extremes(n) {
  return [-(2n ** 63n), 2n ** 63n - 1n];
}
