function broken_syntax(n) {
  return (n;
}
