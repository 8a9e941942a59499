"""WebSockets to a service, as a link to an agent wants its connection: a frame for each message.

Used by `sandbox.backends.remote_service`. Method: own, over websockets.
"""

import socket
import ssl
from collections.abc import Mapping
from contextlib import ExitStack

from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from sandbox.backends.vm.link import MAX_ANSWER_BYTES
from schemas.errors import SandboxError

_CALL_S = 20.0
_PING_S = 10.0
_SILENT_MS = 30_000


class ConnectError(Exception):
    """The service has answered with a status instead of a WebSocket."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


def open_connection(
    url: str, headers: Mapping[str, str], context: ssl.SSLContext | None, *, most_bytes: int
) -> "WebSocketConnection":
    """Return a connection.

    Args:
        most_bytes: of a message that the service takes.

    Raises:
        ConnectError: the service refuses, with a status.
        OSError: it can't be reached.
    """
    stack = ExitStack()
    try:
        opened = stack.enter_context(
            connect(
                url,
                ssl=context,
                additional_headers=headers,
                compression=None,
                open_timeout=_CALL_S,
                ping_interval=_PING_S,
                ping_timeout=_PING_S,
                close_timeout=1.0,
                max_size=MAX_ANSWER_BYTES,
            )
        )
    except InvalidStatus as error:
        raise ConnectError(error.response.status_code) from error
    except (EOFError, WebSocketException) as error:
        raise ConnectionError(str(error)) from error
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # or a send to a machine that is off never ends
        opened.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _SILENT_MS)
    return WebSocketConnection(opened, stack, most_bytes=most_bytes)


class WebSocketConnection:
    """A WebSocket as `sandbox.backends.vm.link.Link` wants a connection.

    Args:
        stack: ends the socket.
    """

    def __init__(self, opened: ClientConnection, stack: ExitStack, *, most_bytes: int) -> None:
        self._opened, self._stack, self._most_bytes = opened, stack, most_bytes
        self._heard = memoryview(b"")

    def sendall(self, data: bytes, /) -> None:
        """Send a message.

        Raises:
            OSError: the service is gone.
            SandboxError: the service doesn't take so much.
        """
        if len(data) > self._most_bytes:
            raise SandboxError(
                f"a message of {len(data):,} bytes is over the {self._most_bytes:,} that the service takes; it can be "
                "started with a larger --max-body-mb"
            )
        try:
            self._opened.send(data)
        except ConnectionClosed as error:
            raise ConnectionError(str(error)) from error

    def recv(self, size: int, /) -> bytes:
        """Return at most that many bytes, none when the service has hung up in order.

        Raises:
            OSError: the service is gone.
        """
        while not self._heard:
            try:
                message = self._opened.recv()
            except ConnectionClosedOK:
                return b""
            except ConnectionClosed as error:
                raise ConnectionError(str(error)) from error
            if isinstance(message, str):
                raise ConnectionError("it sends text")
            self._heard = memoryview(message)
        piece, self._heard = self._heard[:size], self._heard[size:]
        return bytes(piece)

    def shutdown(self, _: int, /) -> None:
        """Say goodbye."""
        self._opened.close()

    def close(self) -> None:
        """Hang up; idempotent."""
        self._stack.close()
