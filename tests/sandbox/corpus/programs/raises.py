def raises(n: int) -> int:
    raise ValueError("no")
