function echo_bigint(n: bigint): bigint {
  return n;
}
