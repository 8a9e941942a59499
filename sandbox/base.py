"""The backend protocol: what a sandbox can do, what runs in it, and how a run ended.

Every isolation level implements `Backend`; languages and judges use nothing else of it. Expected values, reference
solutions and checkers never pass through this module: only programs and inputs go in. Method: own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from schemas.limits import Limits


class State(StrEnum):
    """How a run ended. ``INFRA`` is never a verdict."""

    OK = "OK"
    RE = "RE"
    CE = "CE"
    TLE_CPU = "TLE_CPU"
    TLE_WALL = "TLE_WALL"
    MLE = "MLE"
    OLE = "OLE"
    DLE = "DLE"
    PLE = "PLE"
    POLICY = "POLICY"
    INFRA = "INFRA"


ALL_LIMITS = ("cpu", "memory", "wall", "disk", "network", "stdin", "stdout", "processes", "syscalls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """What a backend can do on this machine, found out by running something real."""

    backend: str
    available: bool
    reason: str
    """Why not, or how: words for a person."""
    isolation: str = "process"
    version: str = ""
    limits_enforced: tuple[str, ...] = ()
    """Names out of `ALL_LIMITS`."""
    slowdown: float = 1.0
    """What time limits are multiplied by, and times told divided by: over 1 where the processor is emulated."""

    @property
    def degraded(self) -> bool:
        """Whether some limit can't be enforced."""
        return bool(self.missing_limits)

    @property
    def missing_limits(self) -> tuple[str, ...]:
        """Limits that can't be enforced, in the order of `ALL_LIMITS`."""
        return tuple(name for name in ALL_LIMITS if name not in self.limits_enforced)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A host folder or file that the sandbox may read."""

    source: Path
    target: str
    """Absolute path inside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a session is opened for: one solution and all its runs, or one trust domain."""

    limits: Limits
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files laid into the working folder ``/work`` (writable, in memory), by relative path. Every run and every
    conversation starts from a fresh copy: nothing that one run writes is there in the next."""
    mounts: tuple[Mount, ...] = ()
    """Read-only mounts beside the language's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    """The environment inside, over ``PATH``, ``HOME``, ``LANG`` and ``PWD``, which have defaults; none is inherited."""
    language: str = "python"
    """Picks the list of system calls that the ``strict`` filter allows; an unknown one takes the lists together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One program start inside a session."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the processes of one run have used up to now."""

    cpu_s: float = 0.0
    peak_memory_mb: float = 0.0
    counters: Mapping[str, int] = field(default_factory=dict)
    """``oom_kill`` and ``pids_max`` as the kernel counted them; ``watchdog_memory`` and ``watchdog_processes`` where
    no cgroup counts and our own watchdog saw a limit passed."""

    @property
    def memory_exceeded(self) -> bool:
        """Whether something was killed for memory."""
        return any(self.counters.get(name) for name in ("oom_kill", "watchdog_memory"))

    @property
    def processes_exceeded(self) -> int:
        """How many times a new process was refused, or seen to be one too many."""
        return sum(self.counters.get(name, 0) for name in ("pids_max", "watchdog_processes"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one run ended and what it used."""

    state: State
    exit_code: int | None = None
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_memory_mb: float = 0.0
    counters: Mapping[str, int] = field(default_factory=dict)
    """``oom_kill``, ``pids_max`` and the like, as the kernel counted them."""
    backend: str = ""
    isolation: str = ""
    limits_enforced: tuple[str, ...] = ()
    slowdown: float = 1.0
    """What the time limits were multiplied by, and the times here divided by, since the processor was emulated."""
    detail: str = ""


class Channel(Protocol):
    """A running program that is talked to over its standard input and output."""

    def send(self, data: bytes) -> None:
        """Write all the bytes to the program's standard input.

        Raises:
            SandboxError: the program is gone.
        """
        ...

    def receive_exact(self, size: int, *, deadline_s: float) -> bytes:
        """Return exactly that many bytes of its standard output.

        Args:
            deadline_s: seconds from now.

        Raises:
            SandboxError: the program is gone, or the deadline has passed.
        """
        ...

    def usage(self) -> Usage:
        """Return what the program and all it started have used since it was started."""
        ...

    def close(self) -> Outcome:
        """Kill the program and all it started, and return how it ended; idempotent."""
        ...


class Session(Protocol):
    """One open sandbox: a working folder, limits, and the runs in it."""

    @property
    def slowdown(self) -> float:
        """What time limits must be multiplied by, since the processor is emulated; 1 where it isn't."""
        ...

    def run(self, run: Run) -> Outcome:
        """Return how a program ended. Never raises for what the program does."""
        ...

    def converse(self, run: Run) -> Channel:
        """Return a channel to a started program; ``run.stdin`` is ignored.

        The program is process 1 of its own process namespace, so nothing inside can kill it; memory, processes,
        network, disk and system calls are limited as in a run, time isn't: deadlines are the caller's.

        Raises:
            SandboxError: the sandbox can't be set up.
        """
        ...

    def close(self) -> None:
        """Kill everything inside and remove every trace; idempotent."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Backend(Protocol):
    """One isolation level."""

    name: str

    def probe(self) -> Capability:
        """Return what works here, after running something real under a deadline; the answer is cached."""
        ...

    def open(self, job: Job) -> Session:
        """Return a session.

        Raises:
            SandboxError: the sandbox can't be set up.
        """
        ...
