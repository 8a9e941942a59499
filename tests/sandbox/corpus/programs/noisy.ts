function noisy(n: number): number {
  for (let line = 0; line < 3; line++) {
    console.log("line", line);
    console.error("line", line);
  }
  return n;
}
