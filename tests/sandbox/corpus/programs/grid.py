def grid(points: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
    counts: dict[tuple[int, int], int] = {}
    for point in points:
        counts[point] = counts.get(point, 0) + 1
    return counts
