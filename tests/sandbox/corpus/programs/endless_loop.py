def endless_loop(n: int) -> int:
    while True:
        n = n * 3 % 1000 + 1
