function exits_badly(n) {
  process.exit(3);
}
