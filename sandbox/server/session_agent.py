"""The agent that serves one remote client: what it may ask for, and what it may not.

It is the one that serves a virtual machine's host, over the service's warm sandboxes, without what a stranger mustn't
have: places of this machine, limits beyond the service's, a second session. Session numbers belong to one connection,
and what a connection has opened ends with it. Method: own.
"""

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from sandbox.base import Job, Mount, State
from sandbox.guest.agent import Agent
from sandbox.guest.streams import Stream
from sandbox.messages import Message, expect
from sandbox.server.bridge import Bridge
from sandbox.server.contents import ContentStore, Upload
from sandbox.server.settings import ServerSettings
from sandbox.server.warmth import SparingPool
from sandbox.transport import decode_job, encode_record
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits

_ORDERS = ("open", "run", "converse", "send", "receive", "usage", "hang_up", "close", "store")
"""What a client may ask for; the agent's others are for the host of a machine."""
_MOST_LINES = 8
"""Conversations of one session at once."""
_RUNS = 4
"""Runs of one session at once; others wait."""
_MOST_STREAM_MB = 100.0
_MOST_PIECE = 128 * 2**20
_WALL_FACTOR = 5
"""Wall seconds that a run is given for each CPU second of the service's limit."""
_MOST_WAIT_S = 3600.0
_TLE = {State.TLE_CPU.value, State.TLE_WALL.value}


class SessionAgent(Agent):
    """Serves one connection; see `sandbox.guest.agent.Agent`."""

    def __init__(self, bridge: Bridge, pool: SparingPool, contents: ContentStore, settings: ServerSettings) -> None:
        super().__init__(Stream(read=_read_nothing, write=bridge.send), pool.pool, _wake_nobody, _attach_nothing)
        self._bridge, self._pool, self._contents, self._settings = bridge, pool, contents, settings
        self._orders = {
            name: partial(_answer_nonsense, order)
            for name, order in {**self._orders, "store": self._store}.items()
            if name in _ORDERS
        }
        self._runners = ThreadPoolExecutor(max_workers=_RUNS)
        self._one_by_one = threading.RLock()
        self._taken: dict[str, None] = {}
        self._upload: Upload | None = None
        self._is_over = self._is_clamped = False
        self.runs = 0
        """Runs and conversations started."""

    def hear(self) -> Message | None:
        """Return the next request; ``None`` at the end."""
        return self._bridge.hear()

    def serve(self) -> None:
        """Answer requests until the client has gone, then end everything that it has opened.

        Raises:
            SandboxError: what the client says is none of ours.
        """
        try:
            super().serve()
        finally:
            self._end()

    def _end(self) -> None:
        with self._one_by_one, ExitStack() as stack:
            self._is_over = True
            for key in self._taken:
                stack.callback(self._contents.give_back, key)
            if self._upload is not None:
                stack.callback(self._upload.abandon)
            for line in tuple(self._lines.values()):
                line.turns.shutdown(wait=False, cancel_futures=True)
            self._runners.shutdown(wait=False, cancel_futures=True)
            for session in tuple(self._sessions.values()):
                stack.callback(session.close)

    def _pick_worker(self, request: Message) -> ThreadPoolExecutor:
        return self._runners if request.header.get("order") == "run" else super()._pick_worker(request)

    def _answer(self, request: Message) -> None:
        try:
            super()._answer(request)
        finally:
            self._bridge.finish(request)

    def _open(self, request: Message) -> Message:
        """Open the session, or name the contents that aren't here."""
        with self._one_by_one:
            if self._sessions:
                raise SandboxError("a connection has one session at a time")
            missing = [key for key in _list_keys(request) if not self._hold(key)]
            if missing:
                return Message({"missing": missing})
            session = self._pool.open(self._read_job(request))
            name = next(self._names)
            self._sessions[name] = session
            is_late = self._is_over
        if is_late:
            session.close()
        answer = Message({"session": name})
        answer.header["capability"] = encode_record(self._backend.probe(), answer)
        return answer

    def _hold(self, key: str) -> bool:
        """Return whether a content is here; it then stays as long as this connection."""
        if key == self._pool.runner[0]:
            return True
        if key not in self._taken and self._contents.take(key) is not None:
            self._taken[key] = None
        return key in self._taken

    def _read_job(self, request: Message) -> Job:
        given = request.part("job")
        plain = decode_job({**given, "mounts": []}, request, _lay_nothing)
        limits, self._is_clamped = check_limits(plain.limits, self._settings)
        places = {key: self._find(key) for key in _list_keys(request)}
        stored = expect(given.get("stored"), dict, "stored")
        files = {name: places[key].read_bytes() for name, key in stored.items()}
        read = [_read_mount(one) for one in expect(given.get("mounts"), list, "mounts")]
        mounts = tuple(Mount(source=places[key], target=target) for target, key in read)
        return replace(plain, limits=limits, files={**plain.files, **files}, mounts=mounts)

    def _find(self, key: str) -> Path:
        if key == self._pool.runner[0]:
            return self._pool.runner[1]
        place = self._contents.take(key)
        if place is None:
            raise SandboxError(f"{key} isn't here")
        self._contents.give_back(key)
        return place

    def _store(self, request: Message) -> Message:
        """Take a piece of a content in."""
        with self._one_by_one:
            if self._is_over:
                raise SandboxError("the connection is closed")
            key, offset = request.text("key"), request.number("offset")
            if offset == 0:
                upload, self._upload = self._upload, None
                if upload is not None:
                    upload.abandon()
                self._upload = self._contents.receive(key, request.number("size"))
            if self._upload is None or self._upload.key != key:
                raise SandboxError("a piece of nothing that was begun")
            self._upload.add(offset, request.blob(0))
            if self._upload.is_complete:
                upload, self._upload = self._upload, None
                upload.finish()
                self._hold(key)
        return Message({})

    def _run(self, request: Message) -> Message:
        self.runs += 1
        answer = super()._run(request)
        state = answer.part("outcome").get("state")
        if self._is_clamped and state in _TLE:
            raise SandboxError(f"{state} at the service's limit of seconds, which is below the job's")
        return answer

    def _converse(self, request: Message) -> Message:
        with self._one_by_one:
            if len(self._lines) >= _MOST_LINES:
                raise SandboxError(f"a session has at most {_MOST_LINES} conversations at a time")
            self.runs += 1
            return super()._converse(request)

    def _receive(self, request: Message) -> Message:
        if not 0 <= request.seconds("deadline_s") <= _MOST_WAIT_S or not 0 <= request.number("size") <= _MOST_PIECE:
            raise SandboxError("a request for too much, or with too long a deadline")
        return super()._receive(request)


def check_limits(limits: Limits, settings: ServerSettings) -> tuple[Limits, bool]:
    """Return the limits that a session is given, and whether their seconds are fewer than were asked for.

    A program that met a lesser limit of memory than its task's would get a wrong verdict, so that is refused. Fewer
    seconds matter to plain runs alone, whose end at such a limit is no verdict either: it's an error.

    Raises:
        ConfigError: the service doesn't give so much.
        SandboxError: a limit is no positive number.
    """
    numbers = {
        name: getattr(limits, name)
        for name in ("cpu_s", "wall_s", "memory_mb", "disk_mb", "stdin_mb", "stdout_mb", "processes")
    }
    for name, value in numbers.items():
        if not 0 < value < math.inf:
            raise SandboxError(f"the limit {name} is {value!r:.40}")
    most = {
        "memory_mb": settings.most_memory_mb,
        "disk_mb": settings.most_memory_mb,
        "stdin_mb": _MOST_STREAM_MB,
        "stdout_mb": _MOST_STREAM_MB,
        "processes": settings.most_processes,
    }
    over = [
        f"{name} of {numbers[name]!r:.40} (it gives {value:g})" for name, value in most.items() if numbers[name] > value
    ]
    if limits.network and not settings.allow_network:
        over.append("a network (it gives none)")
    if over:
        raise ConfigError(f"the service doesn't give {', '.join(over)}")
    cpu_s = min(limits.cpu_s, settings.most_timeout_s)
    wall_s = min(limits.wall_s, settings.most_timeout_s * _WALL_FACTOR)
    return replace(limits, cpu_s=cpu_s, wall_s=wall_s), (cpu_s, wall_s) != (limits.cpu_s, limits.wall_s)


def _list_keys(request: Message) -> tuple[str, ...]:
    """Return the keys of the contents that a job needs, once each."""
    given = request.part("job")
    stored = expect(given.get("stored"), dict, "stored").values()
    mounts = [_read_mount(one)[1] for one in expect(given.get("mounts"), list, "mounts")]
    return tuple(dict.fromkeys(expect(key, str, "key") for key in (*stored, *mounts)))


def _read_mount(given: object) -> tuple[str, str]:
    pair = expect(given, list, "mount")
    if len(pair) != 2:
        raise SandboxError("a mount isn't a target and a key")
    return expect(pair[0], str, "target"), expect(pair[1], str, "key")


def _answer_nonsense(order: Callable[[Message], Message], request: Message) -> Message:
    """Carry an order out; values that no sandbox can be started with are an error for the client."""
    try:
        return order(request)
    except (ValueError, TypeError, OverflowError) as error:
        raise SandboxError(f"the request can't be carried out: {error}") from error


def _lay_nothing(digest: str, _: bytes) -> Path:
    raise SandboxError(f"the archive {digest} comes in a message")


def _read_nothing(_: int) -> bytes:
    return b""


def _attach_nothing() -> None:
    raise SandboxError("a service has no disk for its clients to attach")


def _wake_nobody(_: float, __: bytes) -> None:
    """Do nothing: the clock of a service isn't its clients' to set."""
