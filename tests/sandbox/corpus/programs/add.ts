function add(a: number | bigint, b: number | bigint): bigint {
  return BigInt(a) + BigInt(b);
}
