import sys


def noisy(n: int) -> int:
    for line in range(3):
        print("line", line)
        print("line", line, file=sys.stderr)
    return n
