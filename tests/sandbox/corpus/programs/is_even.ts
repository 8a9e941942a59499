function is_even(n: number): boolean {
  return n % 2 === 0;
}
