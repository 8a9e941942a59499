function nothing(n: number): void {}
