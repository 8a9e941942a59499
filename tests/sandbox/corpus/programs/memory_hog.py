def memory_hog(n: int) -> int:
    kept = []
    while True:
        kept.append(bytearray(b"x" * (1 << 20)))
