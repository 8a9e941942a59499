type Point = [number, number];

function grid(points: Point[]): Map<Point, number> {
  const found = new Map<string, [Point, number]>();
  for (const point of points) {
    const entry = found.get(String(point)) ?? [point, 0];
    entry[1]++;
    found.set(String(point), entry as [Point, number]);
  }
  return new Map(found.values());
}
