def echo_bigint(n: int) -> int:
    return n
