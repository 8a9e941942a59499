def asks_too_much(n: int) -> int:
    block = bytearray(2**40)
    return n if block else 0
