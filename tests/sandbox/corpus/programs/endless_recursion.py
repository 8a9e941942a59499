def endless_recursion(n: int) -> int:
    return endless_recursion(n * 3 % 1000 + 1) + n
