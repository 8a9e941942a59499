"""A sandbox that has been started: its process, its descriptors, its meter, and what its supervisor says.

Stands between the argument lists and the two ways to use a sandbox, a run and a conversation. Method: own.
"""

import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.backends.bubblewrap import split_disk
from sandbox.backends.descriptors import Descriptors
from sandbox.backends.jail import Report
from sandbox.backends.meter import Meter
from schemas.errors import SandboxError
from schemas.limits import Limits

_BURIAL_S = 5.0
_DEATH_S = 20.0
_INODES_PER_MB = 512
_LEAST_MB = 8


@dataclass(slots=True, kw_only=True)
class Started:
    """One supervisor and all that belongs to it; the owner closes it."""

    process: subprocess.Popen[bytes]
    descriptors: Descriptors
    meter: Meter
    limits: Limits
    stdin: int
    """Writing end, or -1 when there is none."""
    stdout: int
    stderr: int
    status: int
    """Reading end of the supervisor's reports."""
    death: int
    """Pollable: readable once the supervisor has ended."""
    read_report: Callable[[bytes], Report]
    """Makes sense of one line of the supervisor's reports; see `sandbox.backends.jail.Jail`."""
    first_process: int = 0
    """Host id of the first process inside; 0 while it isn't known."""
    failure: str = ""
    """Why the supervisor couldn't start the program, where it says so in its reports."""
    _exit_code: int | None = None
    _rest: bytes = b""
    _first: int = -1
    """Descriptor of the first process inside, once it is known."""
    _folders: tuple[int, ...] = ()
    _is_abandoned: bool = False
    _is_finished: bool = False
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def read_reports(self) -> bool:
        """Take in what the supervisor has written; return False at its end."""
        try:
            piece = os.read(self.status, 65_536)
        except BlockingIOError:
            return True
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            report = self.read_report(line)
            self.first_process = self.first_process or report.first_process
            self.failure = self.failure or report.failure
            self._exit_code = report.exit_code if report.exit_code is not None else self._exit_code
        if self._first < 0 and self.first_process:
            self._meet(self.first_process)
        return bool(piece)

    def _meet(self, first_process: int) -> None:
        """Take hold of the first process, if it is still the one that was reported: ids are given out again."""
        with suppress(ProcessLookupError):
            candidate = self.descriptors.adopt(os.pidfd_open(first_process))
            if read_parent(first_process) == self.process.pid:
                self._first = candidate
                self.meter.watch(first_process)

    @property
    def exit_code(self) -> int | None:
        """Exit code of the program as its supervisor reported it; ``None`` if the program never started, the
        supervisor didn't live to tell, or the run was abandoned."""
        return None if self._is_abandoned or self.failure else self._exit_code

    def is_disk_full(self) -> bool:
        """Return whether a writable folder has no room left, in bytes or in number of files.

        Needs `reach_folders` to have succeeded; before that the answer is no.
        """
        if not self.reach_folders():
            return False
        states = [os.fstatvfs(folder) for folder in self._folders]
        most_files = _INODES_PER_MB * max(self.limits.disk_mb, _LEAST_MB)
        return any(state.f_bavail == 0 or state.f_files - state.f_ffree > most_files for state in states)

    def reach_folders(self) -> bool:
        """Open the writable folders inside if that isn't done yet, and return whether they are open.

        They stay readable after the end, since an open descriptor keeps them. Fails while the sandbox is being set up.
        """
        if not self._folders and self._first >= 0:
            self._folders = self._open_folders()
        return bool(self._folders)

    def _open_folders(self) -> tuple[int, ...]:
        sizes = split_disk(self.limits.disk_mb)
        root, opened = f"/proc/{self.first_process}/root", []
        with Descriptors() as found:
            for name, size in (("work", sizes.work), ("tmp", sizes.temporary), ("dev/shm", sizes.shared)):
                try:
                    folder = found.open(f"{root}/{name}", os.O_RDONLY | os.O_DIRECTORY)
                except OSError:
                    return ()
                state = os.fstatvfs(folder)
                if state.f_blocks * state.f_frsize not in range(size, size + 2 * state.f_frsize):
                    return ()
                opened.append(folder)
            if _is_over(self._first, 0):
                return ()
            return tuple(self.descriptors.adopt(found.release(folder)) for folder in opened)

    def kill(self) -> None:
        """Send SIGKILL to the first process inside, which takes all others along; doesn't wait.

        The supervisor stays, so that it buries the first process: killed together, the dead would be left to whoever
        is process 1 of the host. Before the first process is known, the supervisor is killed.
        """
        with self._guard:
            if not self._is_finished:
                self._signal(self._first if self._first >= 0 else self.death)

    def abandon(self) -> None:
        """Kill the run for reasons of ours, so that nothing is said about the program."""
        self._is_abandoned = True
        self.kill()

    def finish(self) -> None:
        """Kill what is left, wait for the end, and close everything; idempotent.

        Raises:
            SandboxError: something inside didn't die.
        """
        self.kill()
        self.await_death()
        with self._guard:
            self._is_finished = True
            self.process.wait()
            self.descriptors.close()
        self.meter.close()

    @staticmethod
    def _signal(target: int) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(target, signal.SIGKILL)

    def has_ended(self) -> bool:
        """Return whether the supervisor has ended."""
        return _is_over(self.death, 0)

    def await_death(self) -> None:
        """Wait for the supervisor to end; one that doesn't in 5 s is killed.

        Raises:
            SandboxError: it is still there after 20 s more.
        """
        if self._is_finished or _is_over(self.death, _BURIAL_S):
            return
        self._signal(self.death)
        if not _is_over(self.death, _DEATH_S):
            raise SandboxError(f"sandbox supervisor {self.process.pid} doesn't die")


def _is_over(process: int, wait_s: float) -> bool:
    """Return whether the process of a descriptor ends within so many seconds."""
    poller = select.poll()
    poller.register(process, select.POLLIN)
    return bool(poller.poll(wait_s * 1000))


def read_parent(process_id: int) -> int:
    """Return the parent of a process; 0 when the process is gone."""
    try:
        return int(Path(f"/proc/{process_id}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except OSError:
        return 0
