function invert(names: Map<number, string>): Map<string, number> {
  return new Map([...names].map(([key, value]) => [value, key]));
}
