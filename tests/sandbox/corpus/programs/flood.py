def flood(n: int) -> int:
    while True:
        print("x" * 4096)
