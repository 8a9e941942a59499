def extremes(n: int) -> list[int]:
    return [-(2**63), 2**63 - 1]
