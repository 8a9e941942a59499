def invert(names: dict[int, str]) -> dict[str, int]:
    return {value: key for key, value in names.items()}
