count = 0


def counter(n: int) -> int:
    global count
    count += 1
    return count
