function endless_recursion(n: number): number {
  return endless_recursion(((n * 3) % 1000) + 1) + n;
}
