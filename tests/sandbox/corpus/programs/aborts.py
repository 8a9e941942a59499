import os


def aborts(n: int) -> int:
    os.abort()
