def find(items: list[int], wanted: int) -> int | None:
    return items.index(wanted) if wanted in items else None
