function raises(n: number): number {
  throw new Error("no");
}
