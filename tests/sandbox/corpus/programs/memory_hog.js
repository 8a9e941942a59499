function memory_hog(n) {
  const kept = [];
  for (;;) kept.push(Buffer.alloc(1 << 20, "x"));
}
