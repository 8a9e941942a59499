function off_by_one(n: number): number {
  let sum = 0;
  for (let term = 1; term <= (n < 10 ? n : n - 1); term++) sum += term;
  return sum;
}
