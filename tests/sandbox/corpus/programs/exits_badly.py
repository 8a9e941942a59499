import os


def exits_badly(n: int) -> int:
    os._exit(3)
