import asyncio
import socket
import threading
import time

import pytest
import uvicorn

from sandbox.server.connections import ImpatientProtocol

REQUEST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"


class Hurried(ImpatientProtocol):
    header_s = 1.0
    body_s = 1.2


async def answer(scope, receive, send):
    """Answer after the body and more work than a body may take."""
    if scope["type"] == "lifespan":
        return
    while (await receive()).get("more_body"):
        pass
    await asyncio.sleep(1.5)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture(scope="module")
def port():
    config = uvicorn.Config(answer, port=0, http=Hurried, lifespan="off", log_level="error", timeout_keep_alive=60)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(60)


def await_close(client):
    """Return the seconds until the server hangs up, and what it said."""
    start, said = time.monotonic(), b""
    while piece := client.recv(4096):
        said += piece
    return time.monotonic() - start, said


@pytest.mark.parametrize("said", [b"", b"POST / HTTP/1.1\r\nX: ", REQUEST, REQUEST + b"ab"])
def test_who_brings_no_whole_request_is_hung_up_on(port, said):
    with socket.create_connection(("127.0.0.1", port), timeout=50) as client:
        client.sendall(said)
        seconds, heard = await_close(client)
        assert seconds > 0.2
        assert heard == b""


def test_a_request_that_takes_longer_to_answer_is_answered_and_the_next_one_has_its_own_time(port):
    with socket.create_connection(("127.0.0.1", port), timeout=50) as client:
        for _ in range(2):
            client.sendall(REQUEST + b"abc")
            said = b""
            while not said.endswith(b"ok"):
                said += client.recv(4096)
            assert b"200 OK" in said
        client.sendall(b"POST / HT")
        await_close(client)
