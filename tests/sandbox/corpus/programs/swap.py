def swap(pair: tuple[int, str]) -> tuple[str, int]:
    return pair[1], pair[0]
