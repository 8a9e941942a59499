function sleeper(n) {
  return new Promise((resolve) => setTimeout(resolve, 3600_000, n));
}
