function endless_loop(n) {
  for (;;) n = ((n * 3) % 1000) + 1;
}
