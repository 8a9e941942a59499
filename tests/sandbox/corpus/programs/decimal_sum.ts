function decimal_sum(a: number, b: number): number {
  return a + b;
}
