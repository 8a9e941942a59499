def multiply(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]
