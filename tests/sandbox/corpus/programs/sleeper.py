import time


def sleeper(n: int) -> int:
    time.sleep(3600)
    return n
