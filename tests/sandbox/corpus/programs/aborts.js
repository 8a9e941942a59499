function aborts(n) {
  process.abort();
}
