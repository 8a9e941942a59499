function endless_loop(n: number): number {
  for (;;) n = ((n * 3) % 1000) + 1;
}
