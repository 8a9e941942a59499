function invert(names) {
  return new Map([...names].map(([key, value]) => [value, key]));
}
