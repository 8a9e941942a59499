def large_output(n: int) -> list[int]:
    return list(range(n))
