function deep_sum(n: number): number {
  return n === 0 ? 0 : n + deep_sum(n - 1);
}
