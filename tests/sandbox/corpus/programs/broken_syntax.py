def broken_syntax(n: int) -> int:
    return (n
