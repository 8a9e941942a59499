function unique(items: number[]): Set<number> {
  return new Set(items);
}
