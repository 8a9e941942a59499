function floor_half(n) {
  return Math.floor(n / 2);
}
