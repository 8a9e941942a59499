function aborts(n: number): number {
  process.abort();
}
