def another_name(n: int) -> int:
    return n
