def long_text(n: int) -> str:
    return "ab" * n
