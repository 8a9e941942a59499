function floor_half(n: number): number {
  return Math.floor(n / 2);
}
