def transpose(rows: list[list[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*rows)]
