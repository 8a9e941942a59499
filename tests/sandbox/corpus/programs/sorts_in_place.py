def sorts_in_place(items: list[int]) -> list[int]:
    items.sort()
    return items
