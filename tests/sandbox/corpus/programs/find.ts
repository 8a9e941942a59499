function find(items: number[], wanted: number): number | null {
  const index = items.indexOf(wanted);
  return index < 0 ? null : index;
}
