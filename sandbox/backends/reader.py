"""The one loop that follows a run: both output streams with caps, the deadline, the counters and the end.

Method: own; one poll over everything, so no thread is needed and no pipe fills up unread.
"""

import os
import select
import time
from dataclasses import dataclass

from sandbox.backends.started import Started
from sandbox.base import State, Usage

_MIB = 1024 * 1024
_READ = 65536
_TICK_S = 0.05
_SETUP_S = 5.0
_SETUP_TICK_S = 0.002
"""While the sandbox is being set up we look this often whether its folders are there: a program may fill one and end
within milliseconds."""
_DRAIN_S = 0.5
_REFUSED_FORKS = 100
"""A program that goes on starting processes after so many refusals is a fork bomb, and is stopped."""


class CappedStream:
    """One output stream of which at most ``cap`` bytes are kept.

    Args:
        descriptor: reading end, not blocking.
        cap: bytes.
    """

    def __init__(self, descriptor: int, cap: int) -> None:
        self.descriptor = descriptor
        self.overflowed = False
        self._room = cap
        self._pieces: list[bytes] = []

    def pull(self) -> bool:
        """Read once; return False at the end of the stream."""
        try:
            piece = os.read(self.descriptor, _READ)
        except BlockingIOError:
            return True
        if len(piece) > self._room:
            self.overflowed = True
        if self._room and piece:
            self._pieces.append(piece[: self._room])
            self._room -= len(self._pieces[-1])
        return bool(piece)

    def content(self) -> bytes:
        """Return what was kept."""
        return b"".join(self._pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How following a run ended."""

    forced: State | None
    """Why we killed it; ``None`` when it ended by itself."""
    usage: Usage
    wall_s: float
    disk_full: bool


class Follower:
    """Follows one run to its end.

    Args:
        started: the run; its output descriptors must not block.
        stdout, stderr: where its output is kept.
    """

    def __init__(self, started: Started, stdout: CappedStream, stderr: CappedStream) -> None:
        self._started = started
        self._streams = {stream.descriptor: stream for stream in (stdout, stderr)}
        self._open = {*self._streams, started.status, started.death}
        self._poller = select.poll()
        for descriptor in self._open:
            self._poller.register(descriptor, select.POLLIN)
        self._forced: State | None = None
        self._disk_full = False

    def follow(self) -> Ending:
        """Return how the run ended; at return its supervisor is gone.

        Raises:
            SandboxError: the supervisor doesn't die.
        """
        start = time.monotonic()
        deadline, tick = start + self._started.limits.wall_s, start + _TICK_S
        while self._forced is None and self._started.death in self._open:
            now = time.monotonic()
            is_settled = self._started.reach_folders() or now > start + _SETUP_S
            self._turn(min(deadline, tick if is_settled else now + _SETUP_TICK_S))
            now = time.monotonic()
            if now >= deadline:
                self._stop(State.TLE_WALL)
            elif now >= tick:
                self._inspect()
                tick = now + _TICK_S
        wall_s = time.monotonic() - start
        if self._forced is not None:
            self._started.await_death()
        self._drain()
        self._disk_full = self._disk_full or self._started.is_disk_full()
        usage = self._started.meter.read()
        return Ending(forced=self._forced, usage=usage, wall_s=wall_s, disk_full=self._disk_full)

    def _turn(self, until: float) -> None:
        """Wait for something to happen and take it in."""
        wait_ms = max(0.0, until - time.monotonic()) * 1000
        for descriptor, _ in self._poller.poll(wait_ms):
            stream = self._streams.get(descriptor)
            if stream is not None:
                is_open = stream.pull()
                if stream.overflowed:
                    self._stop(State.OLE)
            else:
                is_open = descriptor == self._started.status and self._started.read_reports()
            if not is_open:
                self._poller.unregister(descriptor)
                self._open.discard(descriptor)

    def _inspect(self) -> None:
        """Look at the counters and stop a run that is over a limit."""
        usage = self._started.meter.read()
        if usage.memory_exceeded:
            self._stop(State.MLE)
        elif usage.counters.get("watchdog_processes") or usage.counters.get("pids_max", 0) >= _REFUSED_FORKS:
            self._stop(State.PLE)
        elif usage.cpu_s > self._started.limits.cpu_s:
            self._stop(State.TLE_CPU)
        elif self._started.is_disk_full():
            self._disk_full = True
            self._stop(State.DLE)

    def _stop(self, state: State) -> None:
        if self._forced is None:
            self._forced = state
            self._started.kill()

    def _drain(self) -> None:
        """Take in what is still in the pipes: everything that held them has been killed, so this is quick."""
        deadline = time.monotonic() + _DRAIN_S
        while self._open - {self._started.death} and time.monotonic() < deadline:
            self._turn(deadline)
