function exits_badly(n: number): number {
  process.exit(3);
}
