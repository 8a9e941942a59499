import socket


def connects(port: int) -> str:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return "refused"
    return "connected"
