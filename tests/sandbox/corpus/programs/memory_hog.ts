function memory_hog(n: number): number {
  const kept: Buffer[] = [];
  for (;;) kept.push(Buffer.alloc(1 << 20, "x"));
}
