function negative_zero(x: number): number {
  return -x;
}
