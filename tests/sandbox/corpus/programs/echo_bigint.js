function echo_bigint(n) {
  return n;
}
