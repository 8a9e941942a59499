function long_text(n: number): string {
  return "ab".repeat(n);
}
