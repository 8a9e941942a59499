"""What the fork server answers, and how a child ended: limits and signals, before any record is looked at.

Trusted side. The server is believed about what it enforced and measured, the backend about what the kernel counted, and
the child about nothing. Method: own.
"""

import os
import signal
from dataclasses import dataclass, replace

from sandbox.base import State, Usage
from schemas.errors import SandboxError
from schemas.limits import Limits

DETAIL_CHARS = 1000
_BEYOND = 2**53
_TYPES: dict[str, tuple[type, ...]] = {
    "verdict": (str,),
    "status": (int,),
    "disk_full": (bool,),
    "cpu_s": (float, int),
    "wall_s": (float, int),
    "own_cpu_s": (float, int),
    "peak_kib": (int,),
    "crowded": (bool,),
    "clean": (bool,),
}
_MEMORY_SHARE = 0.6
"""Share of the memory limit from which a foreign SIGKILL is taken for the memory limit's."""
_TIME = frozenset({State.TLE_CPU, State.TLE_WALL})
"""States of a program that was refused a process and went on trying: the limit of processes is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The fork server's answer to one task."""

    verdict: str
    """State that the server enforced, or empty."""
    status: int
    """Wait status of the child, -1 when it was killed by the server."""
    disk_full: bool
    cpu_s: float
    wall_s: float
    own_cpu_s: float
    """What the server itself spent."""
    peak_kib: int
    clean: bool
    """Whether all writable folders are empty again."""
    record: bytes
    stdout: bytes
    stderr: bytes
    """Of a Python child only the end of it."""
    collected: tuple[tuple[str, bytes], ...] = ()
    """Path below ``/work`` and content of the files that were asked for."""
    memory_exceeded: bool = False
    """Whether the kernel killed something for memory."""
    processes_exceeded: bool = False
    """Whether the kernel refused a new process."""
    crowded: bool = False
    """Whether there once were as many processes as the kernel inside allows, which doesn't tell what it refuses."""

    @classmethod
    def parse(cls, header: dict[str, object], blobs: list[bytes]) -> "Answer":
        """Return a typed answer.

        Raises:
            SandboxError: the server didn't speak the protocol.
        """
        try:
            names = header.pop("collected")
            record, stdout, stderr, *contents = blobs
            collected = tuple(zip(names, contents, strict=True))  # type: ignore[call-overload]
            _check_types(header, names)
            return cls(record=record, stdout=stdout, stderr=stderr, collected=collected, **header)  # type: ignore[arg-type]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise SandboxError(f"malformed answer: {error}") from error

    @classmethod
    def taken_along(cls, limit: State) -> "Answer":
        """Return the answer of a server that went down together with the program at a limit, ``MLE`` or ``PLE``."""
        return cls(
            verdict=limit.value,
            status=-1,
            disk_full=False,
            cpu_s=0.0,
            wall_s=0.0,
            own_cpu_s=0.0,
            peak_kib=0,
            clean=False,
            record=b"",
            stdout=b"",
            stderr=b"",
            memory_exceeded=limit is State.MLE,
            processes_exceeded=limit is State.PLE,
        )

    def counted(self, before: Usage, after: Usage, *, is_clocked_outside: bool = False) -> "Answer":
        """Return the answer with what the backend counted meanwhile; it also sees what escaped being waited for.

        Args:
            is_clocked_outside: whether what was measured inside is no processor time at all.
        """
        spent = after.cpu_s - before.cpu_s
        if not is_clocked_outside:
            spent = max(self.cpu_s, spent - self.own_cpu_s)
        return replace(
            self,
            cpu_s=spent,
            memory_exceeded=_kills(after) > _kills(before),
            processes_exceeded=self.crowded or after.processes_exceeded > before.processes_exceeded,
        )


def _check_types(header: dict[str, object], names: object) -> None:
    """Accept the values of an answer: who has taken over the server's process could send any.

    Raises:
        TypeError, ValueError: one isn't of its type, or is no number or state.
    """
    for name, value in header.items():
        if type(value) not in _TYPES[name]:
            raise TypeError(f"{name} is {value!r:.40}")
        if isinstance(value, int | float) and not -1 <= value < _BEYOND:
            raise ValueError(f"{name} is {value!r:.40}")
    if header["verdict"]:
        State(str(header["verdict"]))
    if header["status"] != -1:
        os.waitstatus_to_exitcode(int(str(header["status"])))
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TypeError("collected holds no names")


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How the child as a whole ended."""

    state: State
    detail: str
    """Words for a person; empty after exit code 0."""


def classify_end(answer: Answer, limits: Limits, cpu_s: float) -> End:
    """Return how the child ended by what was enforced and counted, and by its exit code."""
    if answer.memory_exceeded:
        return End(state=State.MLE, detail=f"the kernel killed a process at memory_mb = {limits.memory_mb}")
    if answer.verdict:
        state = State(answer.verdict)
        if answer.processes_exceeded and state in _TIME:
            state = State.PLE
        return End(state=state, detail=f"stopped: {state.value}")
    code = os.waitstatus_to_exitcode(answer.status)
    if answer.cpu_s > cpu_s or code == -signal.SIGXCPU:
        state = State.PLE if answer.processes_exceeded and code != 0 else State.TLE_CPU
        return End(state=state, detail=f"used up cpu_s = {cpu_s:g}")
    if code == 0:
        return End(state=State.OK, detail="")
    note = answer.stderr.decode("utf-8", "replace").strip()[-DETAIL_CHARS:]
    if code < 0:
        note = f"killed by signal {-code}"
    return End(state=_failure_state(answer, limits, code), detail=note or f"exit code {code}")


def _failure_state(answer: Answer, limits: Limits, code: int) -> State:
    """Return the limit that most likely ended a child that failed on its own."""
    if code == -signal.SIGKILL and answer.peak_kib >= _MEMORY_SHARE * limits.memory_mb * 1024:
        return State.MLE
    if answer.processes_exceeded:
        return State.PLE
    return State.DLE if answer.disk_full else State.RE


def _kills(usage: Usage) -> int:
    return sum(usage.counters.get(name, 0) for name in ("oom_kill", "watchdog_memory"))
