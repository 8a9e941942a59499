def off_by_one(n: int) -> int:
    return sum(range(1, n + 1 if n < 10 else n))
