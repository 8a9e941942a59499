function grid(points) {
  const found = new Map();
  for (const point of points) {
    const entry = found.get(String(point)) ?? [point, 0];
    entry[1]++;
    found.set(String(point), entry);
  }
  return new Map(found.values());
}
