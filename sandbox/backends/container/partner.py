"""One started container: its streams, what it uses, and its end. Method: own."""

import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from sandbox.backends.cgroup import list_members
from sandbox.backends.container.counters import HostProcess, find_process
from sandbox.backends.container.engine import End, Engine
from sandbox.backends.container.settings import count_processes
from sandbox.backends.container.streams import FrameReader
from sandbox.backends.conversation import Ear
from sandbox.backends.identity import Identity
from sandbox.backends.verdicts import Evidence, decide_state, read_signal
from sandbox.base import Outcome, State, Usage
from schemas.errors import SandboxError
from schemas.limits import Limits

_MIB = 1024 * 1024
_END_S = 20.0
_DRAIN_S = 0.3
_LOOK_S = 0.02
"""gVisor's kernel dies of a refused process within 50 ms, and the container's counters go with it."""
_RARELY_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What every container of a session has in common."""

    limits: Limits
    identity: Identity
    gvisor: bool
    """Whether gVisor's kernel runs the programs."""


class ContainerPartner:
    """A running container; see `sandbox.backends.conversation.Partner`.

    Args:
        container: id of one that was made and not started.

    Raises:
        SandboxError: it can't be started; it has been removed then.
    """

    def __init__(self, engine: Engine, container: str, confinement: Confinement) -> None:
        self.limits = confinement.limits
        self.ear = Ear(int(self.limits.stdout_mb * _MIB))
        self._engine, self._container, self._confinement = engine, container, confinement
        self._begin = time.monotonic()
        self._usage = Usage()
        self._is_interrupted = False
        self._process: HostProcess | None = None
        self._stream: socket.socket | None = None
        self.look_s = _LOOK_S if confinement.gvisor else _RARELY_S
        try:
            self._stream, self._holder = engine.attach(container)
            self._stream.settimeout(0)
            self.stdin = self._stream.fileno()
            self._reader = FrameReader(self.stdin, self.ear)
            self.listeners: Mapping[int, Callable[[], bool]] = {self.stdin: self._listen}
            self._process = find_process(engine.start(container), container)
            self._tighten()
        except BaseException:
            self._drop()
            raise

    def read_usage(self) -> Usage:
        """Return what the container has used, as far as it could last be seen."""
        if self._process is None:
            self._usage = self._ask_engine()
        else:
            with suppress(OSError):
                self._usage = self._process.group.read()
        return self._usage

    def list_members(self) -> tuple[int, ...]:
        """Return the processes of the container; none when the engine is on another machine."""
        return () if self._process is None else list_members((self._process.group.memory,))

    def interrupt(self) -> None:
        """Hang up, so that no reader waits on; the container is killed at its end."""
        self._is_interrupted = True
        if self._stream is not None:
            with suppress(OSError):
                self._stream.shutdown(socket.SHUT_RDWR)

    def end(self) -> Outcome:
        """Kill the container, remove it and return how it ended."""
        with suppress(SandboxError):
            self.read_usage()
        is_over = self._has_ended()
        wall_s = time.monotonic() - self._begin
        end: End | None = None
        trouble = ""
        try:
            if is_over:
                end = self._engine.read_end(self._container, wait_s=_END_S)
        except SandboxError as error:
            trouble = str(error)
        trouble = self._drop() or trouble
        return self._conclude(end, wall_s, forced=None if is_over else State.OK, trouble=trouble)

    def _listen(self) -> bool:
        """Read once; at the end of the stream the counters are looked at, before the group goes."""
        is_open = self._reader.pull()
        if not is_open:
            with suppress(SandboxError):
                self.read_usage()
        return is_open

    def _tighten(self) -> None:
        """Lower the limit on processes to what the job allows, now that the runtime's starter is gone."""
        wanted = count_processes(self.limits, gvisor=self._confinement.gvisor)
        if self._process is not None:
            self._process.group.limit_processes(wanted)

    def _has_ended(self) -> bool:
        """Return whether the program is gone without our doing, after a last look at what it said."""
        assert self._stream is not None
        until = time.monotonic() + _DRAIN_S
        if self._process is not None and not self._process.await_end(0):
            return False
        if self._is_interrupted:
            return self._process is not None
        while time.monotonic() < until:
            try:
                if not self._stream.recv(1, socket.MSG_PEEK):
                    return True
            except BlockingIOError:
                if self._process is None:
                    return False
                time.sleep(0.01)
                continue
            except OSError:
                return True
            self._reader.pull()
        return self._process is not None

    def _drop(self) -> str:
        """Hang up, kill and remove the container, and return what went wrong.

        Hanging up comes first: an engine waits for an attached reader that doesn't read before it lets the container
        go.
        """
        if self._stream is not None:
            with suppress(OSError):
                self._stream.shutdown(socket.SHUT_RDWR)
            self._holder.close()
            self._stream.close()
        if self._process is not None:
            self._process.kill()
        trouble = ""
        try:
            self._engine.remove(self._container)
        except SandboxError as error:
            trouble = str(error)
        if self._process is not None:
            if not self._process.await_end(_END_S):
                trouble = trouble or "a container's first process doesn't die"
            os.close(self._process.descriptor)
            self._process = None
        self._stream = None
        return trouble

    def _ask_engine(self) -> Usage:
        stats = self._engine.read_stats(self._container)
        memory = stats.get("memory_stats") or {}
        spent = (stats.get("cpu_stats") or {}).get("cpu_usage") or {}
        peak = max(memory.get("max_usage") or memory.get("usage") or 0, self._usage.peak_memory_mb * _MIB)
        return Usage(cpu_s=(spent.get("total_usage") or 0) / 1e9, peak_memory_mb=peak / _MIB)

    def _conclude(self, end: End | None, wall_s: float, *, forced: State | None, trouble: str) -> Outcome:
        usage, identity = self._usage, self._confinement.identity
        if end is not None and end.out_of_memory and not usage.memory_exceeded:
            usage = Usage(
                cpu_s=usage.cpu_s, peak_memory_mb=usage.peak_memory_mb, counters={**usage.counters, "oom_kill": 1}
            )
        exit_code = None if end is None else end.exit_code
        evidence = Evidence(
            forced=forced,
            exit_code=exit_code,
            usage=usage,
            output_overflowed=self.ear.overflowed,
            disk_full=False,
        )
        state = decide_state(evidence, self.limits)
        ended_by = read_signal(exit_code)
        return Outcome(
            state=state,
            exit_code=None if ended_by else exit_code,
            signal=ended_by,
            stderr=bytes(self.ear.stderr),
            truncated=self.ear.overflowed,
            cpu_s=usage.cpu_s,
            wall_s=wall_s,
            peak_memory_mb=usage.peak_memory_mb,
            counters=usage.counters,
            backend=identity.backend,
            isolation=identity.isolation,
            limits_enforced=identity.limits_enforced,
            detail=trouble,
        )
