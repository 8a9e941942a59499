function add(a, b) {
  return BigInt(a) + BigInt(b);
}
