def asks_too_much(n: int) -> int:
    block = bytearray(2**45)
    return n if block else 0
