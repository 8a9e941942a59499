def echo_bytes(data: bytes) -> bytes:
    return data
