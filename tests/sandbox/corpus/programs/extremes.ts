function extremes(n: number): bigint[] {
  return [-(2n ** 63n), 2n ** 63n - 1n];
}
