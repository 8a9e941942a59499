def large_input(items: list[int]) -> int:
    return sum(items)
