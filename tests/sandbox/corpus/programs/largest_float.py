def largest_float(items: list[float]) -> float:
    return max(items)
