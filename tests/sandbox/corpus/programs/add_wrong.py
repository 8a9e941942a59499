def add_wrong(a: int, b: int) -> int:
    return a - b
