"""A session whose sandbox is in a guest: every call goes to the agent there, which runs our process sandbox.

One code for QEMU and Firecracker. Outcomes carry the level of the machine. Method: own.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

from sandbox.backends.identity import Identity
from sandbox.backends.vm.link import Link
from sandbox.base import Job, Outcome, Run, State, Usage
from sandbox.closing import Closing
from sandbox.messages import Message
from sandbox.transport import decode_record, encode_job, encode_record
from schemas.errors import SandboxError
from schemas.limits import Limits

_GRACE_S = 120.0
"""Seconds beyond what the agent itself was told after which a machine counts as dead."""
_SEND_S = 60.0
_PIECE = 1 << 20
"""Bytes of one message of what is sent to a program."""


class GuestChannel:
    """A conversation with a program in a guest; see `sandbox.base.Channel`.

    What is sent goes off at once and isn't waited for: that the program is gone is told by the next call. With every
    piece received comes what else has been said, and the usage up to then, so a request costs one round trip.
    """

    def __init__(self, link: Link, line: int, finish: Callable[[Outcome], Outcome], *, patience: float = 1.0) -> None:
        self._link, self._line, self._finish, self._patience = link, line, finish, patience
        self._heard = bytearray()
        self._sent: list[Future[Message]] = []
        self._news: Usage | None = None
        self._last = Usage()
        self._outcome: Outcome | None = None
        self._talking = threading.Lock()
        self._closing = threading.Lock()

    def send(self, data: bytes) -> None:
        """Send all the bytes to the program's standard input."""
        with self._talking:
            self._refuse_closed()
            self._news = None
            for start in range(0, len(data), _PIECE):
                request = Message({"order": "send", "line": self._line}, [data[start : start + _PIECE]])
                self._sent.append(self._link.post(request))

    def receive_exact(self, size: int, *, deadline_s: float) -> bytes:
        """Return exactly that many bytes of its standard output."""
        with self._talking:
            self._refuse_closed()
            if len(self._heard) < size:
                self._fetch(size - len(self._heard), deadline_s)
            piece = bytes(self._heard[:size])
            del self._heard[:size]
            return piece

    def _fetch(self, size: int, deadline_s: float) -> None:
        request = Message({"order": "receive", "line": self._line, "size": size, "deadline_s": deadline_s})
        waiting = self._link.post(request)
        self._check_sent(deadline_s)
        answer = self._link.wait(waiting, deadline_s=deadline_s * self._patience + _GRACE_S)
        said = answer.blob(0)
        if len(said) < size:
            raise SandboxError("the agent answered with too little")
        self._heard += said
        self._news = self._last = decode_record(Usage, answer.part("usage"), answer)

    def _check_sent(self, deadline_s: float) -> None:
        sent, self._sent = self._sent, []
        for waiting in sent:
            self._link.wait(waiting, deadline_s=deadline_s * self._patience + _GRACE_S)

    def usage(self) -> Usage:
        """Return what the program and all it started have used since it was started.

        The first call after something was received tells the usage that came with it.
        """
        if self._outcome is not None:
            outcome = self._outcome
            return Usage(cpu_s=outcome.cpu_s, peak_memory_mb=outcome.peak_memory_mb, counters=outcome.counters)
        with self._talking:
            news, self._news = self._news, None
            if news is None:
                self._check_sent(_SEND_S)
                answer = self._link.ask("usage", line=self._line, deadline_s=_GRACE_S)
                news = self._last = decode_record(Usage, answer.part("usage"), answer)
            return news

    def close(self) -> Outcome:
        """Kill the program and all it started, and return how it ended; idempotent.

        When the machine has ended before, the outcome is ``INFRA``.
        """
        with self._closing:
            if self._outcome is None:
                self._outcome = self._hang_up()
            return self._outcome

    def _hang_up(self) -> Outcome:
        try:
            answer = self._link.ask("hang_up", line=self._line, deadline_s=_GRACE_S)
            return self._finish(decode_record(Outcome, answer.part("outcome"), answer))
        except SandboxError as error:
            usage = self._last
            return self._finish(
                Outcome(
                    state=State.INFRA,
                    cpu_s=usage.cpu_s,
                    peak_memory_mb=usage.peak_memory_mb,
                    counters=usage.counters,
                    detail=str(error)[:1000],
                )
            )

    def _refuse_closed(self) -> None:
        if self._outcome is not None:
            raise SandboxError("the conversation with the sandbox is closed")


class GuestSession(Closing):
    """See `sandbox.base.Session`.

    Args:
        link: to the agent of a machine that nobody else uses.
        give_back: ends the machine; called once.
        slowdown: what the time limits of a run are multiplied by, and its times divided by. A conversation has no time
            limits; its usage is in the guest's own seconds.
        patience: how many of our seconds one second of the guest may take before it counts as dead.
        known: see `sandbox.transport.encode_job`.
    """

    def __init__(
        self,
        link: Link,
        job: Job,
        identity: Identity,
        give_back: Callable[[], None],
        *,
        slowdown: float = 1.0,
        patience: float = 1.0,
        known: Callable[..., str | None] | None = None,
    ) -> None:
        self._link, self._identity, self._give_back = link, identity, give_back
        self.slowdown, self._patience = slowdown, patience
        self._limits = stretch_limits(job.limits, slowdown)
        self._lock = threading.Lock()
        self._channels: list[GuestChannel] = []
        self._is_closed = False
        if job.limits.network:
            raise SandboxError("a virtual machine has no network; choose another level for a job that needs one")
        request = Message({"order": "open"})
        request.header["job"] = encode_job(replace(job, limits=self._limits), request, known=known)
        self._name = link.wait(link.post(request), deadline_s=_GRACE_S + _SEND_S).number("session")

    def run(self, run: Run) -> Outcome:
        """Return how a program ended. Never raises for what the program does.

        Raises:
            SandboxError: the machine has ended or doesn't answer.
        """
        request = Message({"order": "run", "session": self._name})
        request.header["run"] = encode_record(run, request)
        answer = self._link.wait(self._link.post(request), deadline_s=self._limits.wall_s * self._patience + _GRACE_S)
        outcome = self._sign(decode_record(Outcome, answer.part("outcome"), answer))
        return replace(
            outcome,
            cpu_s=outcome.cpu_s / self.slowdown,
            wall_s=outcome.wall_s / self.slowdown,
            slowdown=self.slowdown,
        )

    def converse(self, run: Run) -> GuestChannel:
        """Return a channel to a started program, which is process 1 inside; see `sandbox.base.Session.converse`."""
        request = Message({"order": "converse", "session": self._name})
        request.header["run"] = encode_record(run, request)
        answer = self._link.wait(self._link.post(request), deadline_s=_GRACE_S)
        channel = GuestChannel(self._link, answer.number("line"), self._sign, patience=self._patience)
        with self._lock:
            self._channels.append(channel)
        return channel

    def close(self) -> None:
        """End the machine with all that is in it; idempotent."""
        with self._lock:
            was_closed, self._is_closed = self._is_closed, True
        if not was_closed:
            self._link.close()
            self._give_back()

    def leave(self) -> None:
        """Close the session in the guest and leave the machine running.

        Raises:
            SandboxError: the agent can't.
        """
        self._link.ask("close", session=self._name, deadline_s=_GRACE_S)

    def _sign(self, outcome: Outcome) -> Outcome:
        """Return an outcome of the sandbox in the guest as one of the machine."""
        identity = self._identity
        return replace(
            outcome,
            backend=identity.backend,
            isolation=identity.isolation,
            limits_enforced=tuple(name for name in outcome.limits_enforced if name in identity.limits_enforced),
        )


def stretch_limits(limits: Limits, slowdown: float) -> Limits:
    """Return limits whose times are multiplied by a slowdown."""
    return replace(limits, cpu_s=limits.cpu_s * slowdown, wall_s=limits.wall_s * slowdown)
