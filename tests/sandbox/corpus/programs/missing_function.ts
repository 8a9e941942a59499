function another_name(n: number): number {
  return n;
}
