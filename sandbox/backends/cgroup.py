"""One run's cgroup: limits, counters and the end of everything inside.

Every run gets a fresh group, so its counters start at zero; making and removing one costs about 0.2 ms. Method: own,
after the kernel's documents on cgroup versions 1 and 2.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from sandbox.base import Usage
from schemas.errors import SandboxError

_MIB = 1024 * 1024
_REMOVAL_S = 20.0


class GroupV1:
    """A group in the version 1 hierarchies memory, pids and cpuacct, with its limits set.

    Args:
        memory, pids, cpu: the folders to make; hierarchies may be mounted together, then folders are equal.

    Raises:
        OSError: the kernel refused.
    """

    def __init__(self, memory: Path, pids: Path, cpu: Path, *, memory_mb: int, processes: int) -> None:
        self._memory, self._pids, self._cpu = memory, pids, cpu
        self._folders = tuple(dict.fromkeys((memory, pids, cpu)))
        # Entering through `tasks` as a single thread spares the kernel's global lock of `cgroup.procs` (8 ms).
        self.join_paths = tuple(folder / "tasks" for folder in self._folders)
        self.wrapper: tuple[str, ...] = ()
        for folder in self._folders:
            folder.mkdir()
        limit = str(memory_mb * _MIB)
        _write(memory / "memory.limit_in_bytes", limit)
        with suppress(FileNotFoundError, PermissionError):
            _write(memory / "memory.memsw.limit_in_bytes", limit)
        _write(pids / "pids.max", str(processes))

    def watch(self, first_process: int) -> None:
        """Do nothing: the kernel counts whoever entered."""

    def read(self) -> Usage:
        """Return what the group has used since it was made."""
        return Usage(
            cpu_s=int((self._cpu / "cpuacct.usage").read_text()) / 1e9,
            peak_memory_mb=int((self._memory / "memory.max_usage_in_bytes").read_text()) / _MIB,
            counters={
                "oom_kill": read_pairs(self._memory / "memory.oom_control").get("oom_kill", 0),
                "pids_max": read_pairs(self._pids / "pids.events").get("max", 0),
            },
        )

    def close(self) -> None:
        """Kill what is left and remove the group; idempotent."""
        remove_groups(self._folders)


class GroupV2:
    """A group in the version 2 hierarchy, with its limits set.

    Raises:
        OSError: the kernel refused.
    """

    def __init__(self, folder: Path, *, memory_mb: int, processes: int) -> None:
        self._folder = folder
        self._peak_mb = 0.0
        self.join_paths: tuple[Path, ...] = (folder / "cgroup.procs",)
        self.wrapper: tuple[str, ...] = ()
        folder.mkdir()
        _write(folder / "memory.max", str(memory_mb * _MIB))
        with suppress(FileNotFoundError, PermissionError):
            _write(folder / "memory.swap.max", "0")
        _write(folder / "pids.max", str(processes))

    def watch(self, first_process: int) -> None:
        """Do nothing: the kernel counts whoever entered."""

    def read(self) -> Usage:
        """Return what the group has used since it was made; the peak is sampled where the kernel keeps none."""
        usage = read_v2(self._folder, peak_mb=self._peak_mb)
        self._peak_mb = usage.peak_memory_mb
        return usage

    def close(self) -> None:
        """Kill what is left and remove the group; idempotent."""
        remove_groups((self._folder,))


def read_v2(folder: Path, *, peak_mb: float) -> Usage:
    """Return what a version 2 group has used since it was made.

    Args:
        peak_mb: the largest memory seen up to now, for kernels that keep none.

    Raises:
        FileNotFoundError: there is no such group, or it has no memory controller.
    """
    try:
        held = (folder / "memory.peak").read_text()
    except FileNotFoundError:
        held = (folder / "memory.current").read_text()
    return Usage(
        cpu_s=read_pairs(folder / "cpu.stat").get("usage_usec", 0) / 1e6,
        peak_memory_mb=max(peak_mb, int(held) / _MIB),
        counters={
            "oom_kill": read_pairs(folder / "memory.events").get("oom_kill", 0),
            "pids_max": read_pairs(folder / "pids.events").get("max", 0),
        },
    )


def list_members(folders: tuple[Path, ...]) -> tuple[int, ...]:
    """Return the ids of the processes inside, sorted."""
    found: set[int] = set()
    for folder in folders:
        with suppress(OSError):
            found.update(int(line) for line in (folder / "cgroup.procs").read_text().split())
    return tuple(sorted(found))


def kill_members(folders: tuple[Path, ...]) -> None:
    """Send SIGKILL to every process inside, at once where the kernel can (version 2 from 5.14 on)."""
    for folder in folders:
        with suppress(OSError):
            _write(folder / "cgroup.kill", "1")
    for process_id in list_members(folders):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process_id, signal.SIGKILL)


def remove_groups(folders: tuple[Path, ...]) -> None:
    """Kill all that is inside and remove the groups.

    Raises:
        SandboxError: something inside is still alive after 20 s.
    """
    deadline = time.monotonic() + _REMOVAL_S
    for folder in folders:
        while not _is_removed(folder):
            if time.monotonic() > deadline:
                raise SandboxError(f"cgroup {folder} holds processes {list_members(folders)} that don't die")
            kill_members(folders)
            time.sleep(0.001)


def _is_removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _write(path: Path, text: str) -> None:
    """Write a kernel file, which must be there.

    Raises:
        OSError: it isn't, or the kernel refused.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CLOEXEC), "w") as file:
        file.write(text)


def read_pairs(path: Path) -> dict[str, int]:
    """Return the ``name number`` lines of a kernel file; empty when the kernel has no such file."""
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        return {}
    pairs = (line.split() for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2}
