"""The host's end of the stream to a guest's agent: requests under deadlines, and a thread that hands out the answers.

The guest may be in hostile hands, so answers are checked and capped, and one that never comes is an error in time.
Method: own.
"""

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import count
from typing import Protocol

from sandbox.messages import Message, read_message
from sandbox.once import Owner
from sandbox.transport import decode_error
from schemas.errors import SandboxError

_MIB = 1024 * 1024
MAX_ANSWER_BYTES = 256 * _MIB


class Connection(Protocol):
    """What a link needs of a connected socket; errors are ``OSError``."""

    def sendall(self, data: bytes, /) -> None:
        """Send all the bytes, which are one message."""
        ...

    def recv(self, size: int, /) -> bytes:
        """Return at most that many bytes, none at the end."""
        ...

    def shutdown(self, how: int, /) -> None:
        """End both directions, and whoever waits in `recv`."""
        ...

    def close(self) -> None:
        """Give it back; idempotent."""
        ...


class Link:
    """A connected stream to an agent.

    Args:
        connection: to the agent; closed by `close`.
        explain: returns words on how the machine ended, for the message when it is gone.
        end: who is at the other end, in words for messages.
    """

    def __init__(
        self, connection: Connection, *, explain: Callable[[], str] = str, end: str = "the virtual machine"
    ) -> None:
        self._connection = connection
        self._explain = explain
        self._end = end
        self._owner = Owner()
        self._numbers = count(1)
        self._waiting: dict[int, Future[Message]] = {}
        self._lock = threading.Lock()
        self._speaking = threading.Lock()
        self._broken: SandboxError | None = None
        self._listener = threading.Thread(target=self._listen, name="guest-link", daemon=True)
        self._listener.start()

    @property
    def is_broken(self) -> bool:
        """Whether the agent can no longer be reached."""
        return self._broken is not None

    def ask(self, order: str, *, deadline_s: float, blobs: Sequence[bytes] = (), **values: object) -> Message:
        """Return the agent's answer; one that doesn't come in time breaks the link.

        Raises:
            SandboxError: the machine is gone, doesn't answer in time, or the agent says so.
            ConfigError: the agent says so.
        """
        return self.wait(self.post(Message({**values, "order": order}, list(blobs))), deadline_s=deadline_s)

    def post(self, request: Message) -> "Future[Message]":
        """Send a request and return its answer to come.

        Raises:
            SandboxError: the machine is gone.
        """
        self._owner.check(f"the link to {self._end}")
        answer: Future[Message] = Future()
        number = next(self._numbers)
        with self._lock:
            if self._broken is not None:
                raise SandboxError(str(self._broken))
            self._waiting[number] = answer
        request.header["id"] = number
        data = request.encode()
        try:
            with self._speaking:
                self._connection.sendall(data)
        except OSError as error:
            self.fail(f"{self._end} is gone: {error}")
        return answer

    def wait(self, answer: "Future[Message]", *, deadline_s: float) -> Message:
        """Return an answer; one that doesn't come in time breaks the link.

        Raises:
            SandboxError: the machine is gone, doesn't answer in time, or the agent says so.
            ConfigError: the agent says so.
        """
        try:
            message = answer.result(deadline_s)
        except TimeoutError as error:
            words = f"{self._end} didn't answer within {deadline_s:g} s"
            self.fail(words)
            raise SandboxError(words) from error
        if "error" in message.header:
            raise decode_error(message.header["error"])
        return message

    def fail(self, reason: str, *, explains: bool = True) -> None:
        """Answer whatever waits with an error, and refuse all that comes; the first reason stays.

        Args:
            explains: whether to ask how the machine ended, which may take a moment.
        """
        words = self._explain() if explains and self._broken is None else ""
        with self._lock:
            if self._broken is None:
                self._broken = SandboxError(f"{reason}{f' ({words})' if words else ''}")
            waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            answer.set_exception(SandboxError(str(self._broken)))

    def close(self) -> None:
        """Hang up; idempotent. A forked child only lets go."""
        if not self._owner.is_here:
            return
        self.fail(f"the session in {self._end} is closed", explains=False)
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return
        finally:
            self._connection.close()

    def _listen(self) -> None:
        try:
            while (message := read_message(self._read, max_bytes=MAX_ANSWER_BYTES)) is not None:
                number = message.header.pop("id", None)
                with self._lock:
                    answer = self._waiting.pop(number, None) if isinstance(number, int) else None
                if answer is not None:
                    answer.set_result(message)
            self.fail(f"{self._end} has ended")
        except (SandboxError, OSError) as error:
            self.fail(f"{self._end} is gone: {error}")

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size and (piece := self._connection.recv(min(size - len(data), _MIB))):
            data += piece
        return bytes(data)
