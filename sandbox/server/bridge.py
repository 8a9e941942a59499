"""Carries the messages of one WebSocket to an agent on threads, and its answers back.

Stands between uvicorn's event loop and `sandbox.guest.agent.Agent`. A client that sends more than is being worked on
has to wait: so much and no more is taken in. Method: own.
"""

import asyncio
import threading
import time
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from starlette.websockets import WebSocket

from sandbox.messages import Message, decode_message
from schemas.errors import SandboxError

_MOST_REQUESTS = 256
_ANSWER_S = 60.0


class Bridge:
    """The two directions of one accepted WebSocket; belongs to the running event loop.

    Args:
        most_bytes: of one message; of those that are worked on at once, twice as much.
        idle_s: seconds without a message after which the connection is over.
        most_s: seconds after which it is over in any case.
    """

    def __init__(self, socket: WebSocket, *, most_bytes: int, idle_s: float, most_s: float) -> None:
        self._socket, self._most_bytes, self._idle_s = socket, most_bytes, idle_s
        self._until = time.monotonic() + most_s
        self._loop = asyncio.get_running_loop()
        self._frames: SimpleQueue[bytes | None] = SimpleQueue()
        self._has_room = asyncio.Event()
        self._requests = self._bytes = 0
        self._sizes: dict[int, int] = {}
        self._sizing = threading.Lock()

    async def pump(self, agent: "asyncio.Future[None]") -> str:
        """Take messages in until the client has gone or is silent, its time is over, or the agent has ended; return
        which, in a word."""
        while True:
            left_s = max(0.0, self._until - time.monotonic())
            coming: asyncio.Task[Any] = asyncio.ensure_future(self._receive())
            wait_s = min(self._idle_s, left_s)
            done, _ = await asyncio.wait({coming, agent}, timeout=wait_s, return_when="FIRST_COMPLETED")
            if coming not in done:
                coming.cancel()
                return "refused" if agent in done else "idle" if self._idle_s < left_s else "over"
            frame = coming.result()
            if frame is None:
                return "closed"
            self._requests += 1
            self._bytes += len(frame)
            self._frames.put(frame)

    async def _receive(self) -> bytes | None:
        """Return the next frame when there is room for it, ``None`` when the client has gone."""
        while self._requests >= _MOST_REQUESTS or self._bytes > self._most_bytes:
            self._has_room.clear()
            await self._has_room.wait()
        event = await self._socket.receive()
        if event["type"] == "websocket.disconnect":
            return None
        return event.get("bytes") or b""

    def end(self) -> None:
        """Let the agent see the end of the stream."""
        self._frames.put(None)

    def hear(self) -> Message | None:
        """Return the next message, on the agent's thread; ``None`` at the end.

        Raises:
            SandboxError: it is none.
        """
        frame = self._frames.get()
        if frame is None:
            return None
        message = decode_message(frame, max_bytes=self._most_bytes)
        message.text("order")
        if "line" in message.header:
            message.number("line")
        with self._sizing:
            self._sizes[id(message)] = len(frame)
        return message

    def finish(self, message: Message) -> None:
        """Say that a message is done with; any thread."""
        with self._sizing:
            size = self._sizes.pop(id(message))
        self._loop.call_soon_threadsafe(self._release, size)

    def send(self, data: bytes) -> None:
        """Send an answer and wait until it is on its way; any thread.

        Raises:
            SandboxError: the client doesn't take it.
        """
        sent: Future[None] = asyncio.run_coroutine_threadsafe(self._socket.send_bytes(data), self._loop)
        try:
            sent.result(_ANSWER_S)
        except TimeoutError as error:
            sent.cancel()
            self.end()
            raise SandboxError(f"the client takes no answers since {_ANSWER_S:g} s") from error

    def _release(self, size: int) -> None:
        self._requests -= 1
        self._bytes -= size
        self._has_room.set()
