function sleeper(n: number): Promise<number> {
  return new Promise((resolve) => setTimeout(resolve, 3600_000, n));
}
