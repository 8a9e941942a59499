"""A conversation with a program in a sandbox, over its standard input and output.

Waits only inside the caller's own calls, so it needs no thread; standard error is drained and capped meanwhile.
Method: own.
"""

import os
import select
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from sandbox.backends.descriptors import write_all
from sandbox.backends.reader import CappedStream
from sandbox.backends.started import Started
from sandbox.base import Outcome, State, Usage
from sandbox.once import Owner
from schemas.errors import SandboxError

_MIB = 1024 * 1024
_READ = 65536
_NAME = "the conversation with the sandbox"


class ProcessChannel:
    """A running program; see `sandbox.base.Channel`. Threads take turns; closing interrupts whoever waits.

    Args:
        started: the run, with descriptors that don't block.
        stderr: where standard error is kept.
        conclude: ends the run and makes the outcome; told ``OK`` when the program lived until we killed it.
    """

    def __init__(self, started: Started, stderr: CappedStream, conclude: Callable[[State | None], Outcome]) -> None:
        self._started = started
        self._stderr = stderr
        self._conclude = conclude
        self._heard = bytearray()
        self._outcome: Outcome | None = None
        self._owner = Owner()
        self._closing = threading.Lock()
        self._talking = threading.Lock()
        self._poller = select.poll()
        for descriptor in (started.stdout, started.status, stderr.descriptor):
            self._poller.register(descriptor, select.POLLIN)

    def send(self, data: bytes) -> None:
        """Write all the bytes to the program's standard input; a program that doesn't read counts as gone after the
        wall-clock limit of the job."""
        self._owner.check(_NAME)
        with self._talking:
            self._refuse_closed()
            until = time.monotonic() + self._started.limits.wall_s
            try:
                write_all(self._started.stdin, data, lambda: self._await_room(until))
            except BrokenPipeError as error:
                raise SandboxError(f"the program in the sandbox is gone: {self._last_words()}") from error

    def receive_exact(self, size: int, *, deadline_s: float) -> bytes:
        """Return exactly that many bytes of its standard output."""
        self._owner.check(_NAME)
        with self._talking:
            self._refuse_closed()
            until = time.monotonic() + deadline_s
            while len(self._heard) < size:
                left = until - time.monotonic()
                if left <= 0:
                    raise SandboxError(f"the program in the sandbox said nothing more within {deadline_s:g} s")
                if not self._turn(left):
                    raise SandboxError(f"the program in the sandbox is gone: {self._last_words()}")
            piece = bytes(self._heard[:size])
            del self._heard[:size]
            return piece

    def receive_ready(self, size: int) -> bytes:
        """Return what its standard output has said up to now, at most that many bytes, without waiting for more."""
        self._owner.check(_NAME)
        with self._talking:
            self._refuse_closed()
            known = -1
            while known < len(self._heard) < size:
                known = len(self._heard)
                self._turn(0)
            piece = bytes(self._heard[:size])
            del self._heard[:size]
            return piece

    def usage(self) -> Usage:
        """Return what the program and all it started have used since it was started.

        The counter ``disk_full`` is 1 while a writable folder inside has no room left.
        """
        if self._outcome is not None:
            outcome = self._outcome
            return Usage(cpu_s=outcome.cpu_s, peak_memory_mb=outcome.peak_memory_mb, counters=outcome.counters)
        self._owner.check(_NAME)
        with self._talking:
            if not self._started.first_process:
                self._turn(0)
            usage = self._started.meter.read()
            disk_full = int(self._started.is_disk_full())
        return replace(usage, counters={**usage.counters, "disk_full": disk_full})

    def close(self) -> Outcome:
        """Kill the program and all it started, and return how it ended; idempotent. A forked child only lets go."""
        if not self._owner.is_here:
            return Outcome(state=State.INFRA, detail=f"{_NAME} is another process's")
        with self._closing:
            if self._outcome is None:
                forced = None if self._started.has_ended() else State.OK
                self._started.kill()
                with self._talking:
                    self._outcome = self._conclude(forced)
            return self._outcome

    def _await_room(self, until: float) -> None:
        """Wait until the program's standard input takes more, listening to what it says meanwhile."""
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise SandboxError(
                f"the program in the sandbox doesn't read its input within {self._started.limits.wall_s:g} s"
            )
        if len(self._heard) > self._started.limits.stdout_mb * _MIB:
            raise SandboxError(f"the program in the sandbox said over {self._started.limits.stdout_mb:g} MiB unasked")
        self._poller.register(self._started.stdin, select.POLLOUT)
        is_open = self._turn(left_s)
        self._poller.unregister(self._started.stdin)
        if not is_open:
            raise SandboxError(f"the program in the sandbox is gone: {self._last_words()}")

    def _turn(self, wait_s: float) -> bool:
        """Wait for something to happen and take it in; return False when standard output has ended."""
        is_open = True
        for descriptor, _ in self._poller.poll(wait_s * 1000):
            if descriptor == self._started.stdout:
                is_open = self._listen()
            elif descriptor == self._started.status:
                if not self._started.read_reports():
                    self._poller.unregister(descriptor)
            elif descriptor == self._stderr.descriptor and not self._stderr.pull():
                self._poller.unregister(descriptor)
        return is_open

    def _listen(self) -> bool:
        piece = os.read(self._started.stdout, _READ)
        self._heard += piece
        return bool(piece)

    def _last_words(self) -> str:
        """Return the end of standard error, for a message."""
        return self._stderr.content()[-500:].decode(errors="replace").strip() or "it left no message"

    def _refuse_closed(self) -> None:
        if self._outcome is not None:
            raise SandboxError("the conversation with the sandbox is closed")
