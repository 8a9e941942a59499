def decimal_sum(a: float, b: float) -> float:
    return a + b
