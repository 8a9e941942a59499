"""The time that one request may take, whatever it consists of: when it is over, every sandbox it has opened is closed.

Limits bound each run, but a request may hold any number of runs. What is found out under a clock that has run out is
no verdict, since a killed sandbox may look like a failed program. Method: own.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

from sandbox.base import Backend, Capability, Job, Session
from schemas.errors import SandboxError

_RUNNING: ContextVar["Clock | None"] = ContextVar("clock of the request at work", default=None)


class Clock:
    """What a request has opened, and whether its time is over; safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: list[Session] = []
        self._is_stopped = False
        self.why_over = ""
        """In words; empty while there is time."""

    def hold(self, session: Session) -> None:
        """Have a session closed when the time is over.

        Raises:
            SandboxError: it is over already; the session is closed.
        """
        with self._lock:
            if not self.why_over:
                self._opened.append(session)
                return
        session.close()
        raise SandboxError(self.why_over)

    def check(self) -> None:
        """Accept what was found out in time.

        Raises:
            SandboxError: the time is over.
        """
        if self.why_over:
            raise SandboxError(self.why_over)

    def end(self, why: str) -> None:
        """Close everything that was opened, since the time is over; nothing happens once the clock was stopped."""
        with self._lock:
            if self._is_stopped or self.why_over:
                return
            self.why_over = why
        self._close_all()

    def stop(self) -> None:
        """Let go of what was opened: the request is done, and its sessions belong to who made them."""
        with self._lock:
            self._is_stopped = True
            self._opened.clear()

    def _close_all(self) -> None:
        with self._lock:
            opened, self._opened = self._opened, []
        with ExitStack() as closing:
            for session in opened:
                closing.callback(session.close)


@contextmanager
def running(clock: Clock) -> Iterator[None]:
    """Let sandboxes that this thread opens meanwhile belong to a clock."""
    token = _RUNNING.set(clock)
    try:
        yield
    finally:
        _RUNNING.reset(token)
        clock.stop()


def check_time() -> None:
    """Accept what was found out in the time of this thread's request, if it has a clock.

    Raises:
        SandboxError: the time is over.
    """
    clock = _RUNNING.get()
    if clock is not None:
        clock.check()


class TimedBackend:
    """Opens sessions that end with the time of the request at work; see `sandbox.base.Backend`."""

    def __init__(self, inner: Backend) -> None:
        self.name = inner.name
        self._inner = inner

    def probe(self) -> Capability:
        """Return what the inner backend can do."""
        return self._inner.probe()

    def open(self, job: Job) -> Session:
        """Return a session.

        Raises:
            SandboxError: the sandbox can't be set up, or the time is over.
        """
        check_time()
        session = self._inner.open(job)
        clock = _RUNNING.get()
        if clock is not None:
            clock.hold(session)
        return session
