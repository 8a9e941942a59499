function broken_syntax(n: number): number {
  return (n;
}
