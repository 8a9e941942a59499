def negative_zero(x: float) -> float:
    return -x
