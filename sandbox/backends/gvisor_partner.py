"""One started gVisor sandbox: its streams, what it uses, and its end. Method: own."""

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sandbox.backends.cgroup import list_members
from sandbox.backends.conversation import Ear
from sandbox.backends.descriptors import Descriptors
from sandbox.backends.entry import make_entry_script
from sandbox.backends.identity import Identity
from sandbox.backends.launcher import start_process
from sandbox.backends.leftovers import remove_folder
from sandbox.backends.meter import Meter
from sandbox.backends.verdicts import Evidence, decide_state, read_signal
from sandbox.base import Outcome, State, Usage
from schemas.errors import SandboxError
from schemas.limits import Limits

_MIB = 1024 * 1024
_READ = 65536
_END_S = 20.0
_DRAIN_S = 0.3


class GvisorPartner:
    """A running sandbox; see `sandbox.backends.conversation.Partner`.

    Args:
        command: runs the sandbox in the foreground.
        meter: around everything that the command starts; closed at the end.
        folder: with the bundle and gVisor's own state; removed at the end.

    Raises:
        SandboxError: it can't be started; meter and folder are gone then.
    """

    look_s = 60.0
    """The counters are our own cgroup's, which stays when the sandbox has gone."""

    def __init__(
        self, command: Sequence[str], *, limits: Limits, identity: Identity, meter: Meter, folder: Path
    ) -> None:
        self.limits = limits
        self.ear = Ear(int(limits.stdout_mb * _MIB))
        self._identity, self._meter, self._folder = identity, meter, folder
        self._descriptors = Descriptors()
        self._begin = time.monotonic()
        self._usage = Usage()
        try:
            self._process = self._start(command)
        except BaseException:
            self._descriptors.close()
            meter.close()
            remove_folder(folder)
            raise
        self.listeners: Mapping[int, Callable[[], bool]] = {
            self._stdout: self._hear_output,
            self._stderr: self._hear_error,
        }

    def read_usage(self) -> Usage:
        """Return what the sandbox has used, gVisor's own kernel included."""
        with suppress(OSError):
            self._usage = self._meter.read()
        return self._usage

    def list_members(self) -> tuple[int, ...]:
        """Return the processes of the sandbox."""
        return list_members(tuple({path.parent for path in self._meter.join_paths}))

    def interrupt(self) -> None:
        """Kill the command, whose sandbox dies with it."""
        with suppress(ProcessLookupError):
            self._process.kill()

    def end(self) -> Outcome:
        """Kill the sandbox, remove every trace and return how it ended."""
        self.read_usage()
        is_over = self._has_ended()
        wall_s = time.monotonic() - self._begin
        exit_code = self._process.returncode if is_over else None
        trouble = ""
        try:
            self._process.kill()
            self._meter.close()
            self._process.wait(_END_S)
        except (SandboxError, subprocess.TimeoutExpired) as error:
            trouble = str(error)
        self._descriptors.close()
        remove_folder(self._folder)
        return self._conclude(exit_code, wall_s, forced=None if is_over else State.OK, trouble=trouble)

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        stdin_end, self.stdin = self._descriptors.pipe()
        self._stdout, stdout_end = self._descriptors.pipe()
        self._stderr, stderr_end = self._descriptors.pipe()
        for end in (self.stdin, self._stdout, self._stderr):
            os.set_blocking(end, False)
        # gVisor's own processes keep every file open that a program has ever looked at.
        script = make_entry_script(self._meter.join_paths, cpu_s=None, files=None)
        process = start_process(
            ["/bin/sh", "-c", script, "sh", *command],
            stdin=stdin_end,
            stdout=stdout_end,
            stderr=stderr_end,
            pass_fds=(),
            outlives_thread=True,
        )
        for end in (stdin_end, stdout_end, stderr_end):
            self._descriptors.drop(end)
        return process

    def _hear_output(self) -> bool:
        try:
            piece = os.read(self._stdout, _READ)
        except BlockingIOError:
            return True
        self.ear.stdout += piece
        return bool(piece)

    def _hear_error(self) -> bool:
        try:
            piece = os.read(self._stderr, _READ)
        except BlockingIOError:
            return True
        self.ear.hear_error(piece)
        return bool(piece)

    def _has_ended(self) -> bool:
        """Return whether the sandbox ended without our doing, after a last look at its standard error."""
        try:
            piece = os.read(self._stdout, _READ)
        except BlockingIOError:
            return self._process.poll() is not None
        self.ear.stdout += piece
        if piece:
            return False
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        until = time.monotonic() + _DRAIN_S
        while time.monotonic() < until and self._hear_error():
            time.sleep(0.01)
        self.read_usage()
        return self._process.poll() is not None

    def _conclude(self, exit_code: int | None, wall_s: float, *, forced: State | None, trouble: str) -> Outcome:
        known = exit_code if exit_code is not None and exit_code >= 0 else None
        evidence = Evidence(
            forced=forced,
            exit_code=known,
            usage=self._usage,
            output_overflowed=self.ear.overflowed,
            disk_full=False,
        )
        ended_by = read_signal(known)
        return Outcome(
            state=decide_state(evidence, self.limits),
            exit_code=None if ended_by else known,
            signal=ended_by,
            stderr=bytes(self.ear.stderr),
            truncated=self.ear.overflowed,
            cpu_s=self._usage.cpu_s,
            wall_s=wall_s,
            peak_memory_mb=self._usage.peak_memory_mb,
            counters=self._usage.counters,
            backend=self._identity.backend,
            isolation=self._identity.isolation,
            limits_enforced=self._identity.limits_enforced,
            detail=trouble,
        )
