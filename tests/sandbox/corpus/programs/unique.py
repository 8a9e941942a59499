def unique(items: list[int]) -> set[int]:
    return set(items)
