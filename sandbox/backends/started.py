"""A sandbox that has been started: its process, its descriptors, its meter, and what its supervisor says.

Stands between the argument lists and the two ways to use a sandbox, a run and a conversation. Method: own.
"""

import json
import os
import select
import signal
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.backends.bubblewrap import split_disk
from sandbox.backends.descriptors import Descriptors
from sandbox.backends.meter import Meter
from schemas.errors import SandboxError
from schemas.limits import Limits

_BURIAL_S = 2.0
_DEATH_S = 5.0
_INODES_PER_MB = 512


@dataclass(slots=True, kw_only=True)
class Started:
    """One bubblewrap process and all that belongs to it; the owner closes it."""

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
    reports: bytes = b""
    folders: list[int] = field(default_factory=list)
    """Descriptors of the writable folders inside; they keep the folders readable after the end."""
    _first: int = -1
    _is_abandoned: bool = False
    _is_finished: bool = False
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def read_reports(self) -> bool:
        """Take in what the supervisor has written; return False at its end."""
        try:
            piece = os.read(self.status, 4096)
        except BlockingIOError:
            return True
        self.reports += piece
        if self._first < 0 and self.first_process:
            self._meet(self.first_process)
        return bool(piece)

    def _meet(self, first_process: int) -> None:
        """Take hold of the first process while it is surely the one that was reported."""
        with suppress(ProcessLookupError):
            self._first = self.descriptors.adopt(os.pidfd_open(first_process))
            self.meter.watch(first_process)

    @property
    def first_process(self) -> int:
        """Host id of the first process inside; 0 while it isn't known."""
        return self._reported("child-pid") or 0

    @property
    def exit_code(self) -> int | None:
        """Exit code of the program as its supervisor reported it; ``None`` if the program never started, the
        supervisor didn't live to tell, or the run was abandoned."""
        return None if self._is_abandoned else self._reported("exit-code")

    def _reported(self, key: str) -> int | None:
        for line in self.reports.splitlines(keepends=True):
            if line.endswith(b"\n") and (found := json.loads(line).get(key)) is not None:
                return int(found)
        return None

    def is_disk_full(self) -> bool:
        """Return whether a writable folder has no room left, in bytes or in number of files.

        Opens the folders at first use; a program that ends within the first milliseconds may be missed.
        """
        if not self.folders:
            self._open_folders()
        for folder in self.folders:
            state = os.fstatvfs(folder)
            if state.f_bavail == 0 or state.f_files - state.f_ffree > _INODES_PER_MB * max(self.limits.disk_mb, 8):
                return True
        return False

    def _open_folders(self) -> None:
        if not self.first_process:
            return
        sizes = split_disk(self.limits.disk_mb)
        opened = []
        for name, size in (("work", sizes.work), ("tmp", sizes.temporary), ("dev/shm", sizes.shared)):
            try:
                folder = self.descriptors.open(
                    Path(f"/proc/{self.first_process}/root") / name, os.O_RDONLY | os.O_DIRECTORY
                )
            except OSError:
                return
            state = os.fstatvfs(folder)
            if state.f_blocks * state.f_frsize not in range(size, size + 2 * state.f_frsize):
                self.descriptors.drop(folder)
                return
            opened.append(folder)
        self.folders = opened

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
        return self._is_dead(0)

    def await_death(self) -> None:
        """Wait for the supervisor to end; one that doesn't in 2 s is killed.

        Raises:
            SandboxError: it is still there after 5 s more.
        """
        if self._is_finished or self._is_dead(_BURIAL_S):
            return
        self._signal(self.death)
        if not self._is_dead(_DEATH_S):
            raise SandboxError(f"sandbox supervisor {self.process.pid} doesn't die")

    def _is_dead(self, wait_s: float) -> bool:
        poller = select.poll()
        poller.register(self.death, select.POLLIN)
        return bool(poller.poll(wait_s * 1000))
