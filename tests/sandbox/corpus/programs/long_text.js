function long_text(n) {
  return "ab".repeat(n);
}
