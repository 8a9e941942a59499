function large_output(n) {
  return Array.from({ length: n }, (_, at) => at);
}
