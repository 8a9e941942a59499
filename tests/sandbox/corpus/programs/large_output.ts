function large_output(n: number): number[] {
  return Array.from({ length: n }, (_, at) => at);
}
