function primes(n: number): number[] {
  const isPrime = new Uint8Array(n).fill(1);
  const found: number[] = [];
  for (let p = 2; p < n; p++) {
    if (!isPrime[p]) continue;
    found.push(p);
    for (let multiple = p * p; multiple < n; multiple += p) isPrime[multiple] = 0;
  }
  return found;
}
