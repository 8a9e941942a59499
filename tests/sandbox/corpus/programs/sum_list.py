def sum_list(items: list[int]) -> int:
    return sum(items)
