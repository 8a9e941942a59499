function flood(n: number): number {
  for (;;) console.log("x".repeat(4096));
}
