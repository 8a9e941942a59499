function sorts_in_place(items: number[]): number[] {
  items.sort((a, b) => a - b);
  return items;
}
