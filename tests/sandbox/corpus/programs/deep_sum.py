import sys

sys.setrecursionlimit(100_000)


def deep_sum(n: int) -> int:
    return 0 if n == 0 else n + deep_sum(n - 1)
