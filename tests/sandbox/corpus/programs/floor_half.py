def floor_half(n: int) -> int:
    return n // 2
