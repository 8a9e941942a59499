function raises(n) {
  throw new Error("no");
}
