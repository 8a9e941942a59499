function not_a_number(x: number): number {
  return x / x;
}
