def sort_texts(items: list[str]) -> list[str]:
    return sorted(items)
