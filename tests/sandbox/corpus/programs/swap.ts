function swap(pair: [number, string]): [string, number] {
  return [pair[1], pair[0]];
}
