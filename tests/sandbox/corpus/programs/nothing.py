def nothing(n: int) -> None:
    pass
