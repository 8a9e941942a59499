"""A conversation with a program whose streams may come mixed on one descriptor.

Waits only inside the caller's own calls, so it needs no thread; whatever the program says is taken in meanwhile and
capped. What starts, counts and ends the program is a `Partner`. Method: own.
"""

import select
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from sandbox.backends.descriptors import write_all
from sandbox.backends.waits import read_waits
from sandbox.base import Outcome, State, Usage
from sandbox.once import Owner
from schemas.errors import SandboxError
from schemas.limits import Limits

_MIB = 1024 * 1024
_NAME = "the conversation with the sandbox"


class Ear:
    """What a program said: standard output until it's asked for, standard error up to a cap.

    Args:
        cap: bytes of standard error that are kept.
    """

    def __init__(self, cap: int) -> None:
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.overflowed = False
        self._cap = cap

    def hear_error(self, piece: bytes) -> None:
        """Keep a piece of standard error as far as there is room."""
        room = self._cap - len(self.stderr)
        self.overflowed = self.overflowed or len(piece) > room
        self.stderr += piece[:room]


class Partner(Protocol):
    """A started program."""

    limits: Limits
    stdin: int
    """Descriptor that takes its standard input; doesn't block."""
    ear: Ear
    listeners: Mapping[int, Callable[[], bool]]
    """By descriptor, what takes in what can be read there into the ear; returns False at the end of the stream. The
    conversation is over when every stream has ended."""

    look_s: float
    """Seconds after which a waiting caller looks at the usage again; for counters that vanish with the program."""

    def read_usage(self) -> Usage:
        """Return what was used since the start."""
        ...

    def list_members(self) -> tuple[int, ...]:
        """Return this host's ids of the processes that keep the sandbox going, as far as they can be seen."""
        ...

    def interrupt(self) -> None:
        """Make whoever waits at a descriptor come back soon; doesn't wait and never fails."""
        ...

    def end(self) -> Outcome:
        """Kill the program if it lives, remove every trace and return how it ended."""
        ...


class Conversation:
    """A running program; see `sandbox.base.Channel`. Threads take turns; closing interrupts whoever waits.

    Args:
        is_clocked_outside: whether processor time inside is something else than what `usage` tells.
    """

    def __init__(self, partner: Partner, *, is_clocked_outside: bool = False) -> None:
        self.is_clocked_outside = is_clocked_outside
        self._partner = partner
        self._outcome: Outcome | None = None
        self._owner = Owner()
        self._closing = threading.Lock()
        self._talking = threading.Lock()
        self._is_closing = False
        self._open = set(partner.listeners)
        self._poller = select.poll()
        for descriptor in self._open:
            self._poller.register(descriptor, select.POLLIN)

    def send(self, data: bytes) -> None:
        """Write all the bytes to the program's standard input; a program that doesn't read counts as gone after the
        wall-clock limit of the job."""
        self._owner.check(_NAME)
        with self._talking:
            self._refuse_closed()
            until = time.monotonic() + self._partner.limits.wall_s
            try:
                write_all(self._partner.stdin, data, lambda: self._await_room(until))
            except OSError as error:
                raise SandboxError(f"the program in the sandbox is gone: {self._last_words()}") from error

    def receive_exact(self, size: int, *, deadline_s: float) -> bytes:
        """Return exactly that many bytes of its standard output."""
        heard = self._partner.ear.stdout
        self._owner.check(_NAME)
        with self._talking:
            self._refuse_closed()
            until = time.monotonic() + deadline_s
            while len(heard) < size:
                left_s = until - time.monotonic()
                if left_s <= 0:
                    raise SandboxError(f"the program in the sandbox said nothing more within {deadline_s:g} s")
                if not self._open or self._is_closing:
                    raise SandboxError(f"the program in the sandbox is gone: {self._last_words()}")
                self._turn(left_s)
            piece = bytes(heard[:size])
            del heard[:size]
            return piece

    def await_word(self, wait_s: float) -> bool:
        """Return whether there is something of its standard output to receive, after so many seconds at most.

        Raises:
            SandboxError: the program is gone.
        """
        heard = self._partner.ear.stdout
        self._owner.check(_NAME)
        with self._talking:
            self._refuse_closed()
            until = time.monotonic() + wait_s
            while not heard and (left_s := until - time.monotonic()) > 0:
                if not self._open or self._is_closing:
                    raise SandboxError(f"the program in the sandbox is gone: {self._last_words()}")
                self._turn(left_s)
            return bool(heard)

    def waits(self) -> Mapping[int, float]:
        """Return the seconds that each thread of the sandbox has waited for a processor, by its id on this host."""
        return read_waits(self._partner.list_members())

    def usage(self) -> Usage:
        """Return what the program and all it started have used since it was started."""
        if self._outcome is not None:
            outcome = self._outcome
            return Usage(cpu_s=outcome.cpu_s, peak_memory_mb=outcome.peak_memory_mb, counters=outcome.counters)
        self._owner.check(_NAME)
        with self._talking:
            return self._partner.read_usage()

    def close(self) -> Outcome:
        """Kill the program and all it started, and return how it ended; idempotent. A forked child only lets go."""
        if not self._owner.is_here:
            return Outcome(state=State.INFRA, detail=f"{_NAME} is another process's")
        with self._closing:
            if self._outcome is None:
                self._is_closing = True
                if not self._talking.acquire(blocking=False):
                    self._partner.interrupt()
                    self._talking.acquire()
                try:
                    self._outcome = self._partner.end()
                finally:
                    self._talking.release()
            return self._outcome

    def _await_room(self, until: float) -> None:
        """Wait until the program's standard input takes more, listening to what it says meanwhile."""
        limits = self._partner.limits
        left_s = until - time.monotonic()
        if left_s <= 0:
            raise SandboxError(f"the program in the sandbox doesn't read its input within {limits.wall_s:g} s")
        if len(self._partner.ear.stdout) > limits.stdout_mb * _MIB:
            raise SandboxError(f"the program in the sandbox said over {limits.stdout_mb:g} MiB unasked")
        stdin = self._partner.stdin
        is_shared = stdin in self._open
        self._poller.register(stdin, select.POLLOUT | (select.POLLIN if is_shared else 0))
        self._turn(left_s)
        if stdin in self._open:
            self._poller.register(stdin, select.POLLIN)
        elif not is_shared:
            self._poller.unregister(stdin)
        if not self._open or self._is_closing:
            raise SandboxError(f"the program in the sandbox is gone: {self._last_words()}")

    def _turn(self, wait_s: float) -> None:
        """Wait for something to happen and take it in."""
        happened = self._poller.poll(min(wait_s, self._partner.look_s) * 1000)
        if not happened:
            with suppress(SandboxError):
                self._partner.read_usage()
        for descriptor, event in happened:
            if event == select.POLLOUT or descriptor not in self._open:
                continue
            if not self._partner.listeners[descriptor]():
                self._open.discard(descriptor)
                self._poller.unregister(descriptor)

    def _last_words(self) -> str:
        """Return the end of standard error, for a message."""
        return self._partner.ear.stderr[-500:].decode(errors="replace").strip() or "it left no message"

    def _refuse_closed(self) -> None:
        if self._outcome is not None or self._is_closing:
            raise SandboxError("the conversation with the sandbox is closed")
