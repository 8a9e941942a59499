function add_wrong(a: number, b: number): number {
  return a - b;
}
