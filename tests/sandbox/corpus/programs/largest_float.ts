export function largest_float(items: number[]): number {
  return Math.max(...items);
}
