"""Counts and limits without cgroups: looks at the process table and adds up.

The degraded mode of machines where no cgroup can be made. What starts and ends between two looks isn't seen, so a
backend that uses it doesn't claim to enforce memory or processes. Method: own.
"""

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.base import Usage

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MIB = 1024 * 1024
_PSS = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sighting:
    """One process at one look."""

    cpu_s: float
    resident_mb: float
    threads: int


class Watchdog:
    """A meter over the processes of one process namespace.

    Args:
        memory_mb, processes: limits; passing one is noted in the counters and left to the caller to act on.
    """

    def __init__(self, *, memory_mb: int, processes: int) -> None:
        self.join_paths: tuple[Path, ...] = ()
        self.wrapper: tuple[str, ...] = ()
        self._memory_mb = memory_mb
        self._processes = processes
        self._namespace = ""
        self._cpu_s = 0.0
        self._peak_mb = 0.0
        self._counters = {"watchdog_memory": 0, "watchdog_processes": 0}

    def watch(self, first_process: int) -> None:
        """Take note of the first process of the namespace."""
        with suppress(OSError):
            self._namespace = str(Path(f"/proc/{first_process}/ns/pid").readlink())

    def read(self) -> Usage:
        """Look at the process table, and return the largest figures seen so far."""
        members = self._members()
        seen = [sighting for member in members if (sighting := _look(member)) is not None]
        self._cpu_s = max(self._cpu_s, sum(one.cpu_s for one in seen))
        resident = sum(one.resident_mb for one in seen)
        if resident > self._memory_mb:
            resident = sum(_proportional_mb(member) for member in members)
        self._peak_mb = max(self._peak_mb, resident)
        self._counters["watchdog_memory"] += resident > self._memory_mb
        self._counters["watchdog_processes"] += sum(one.threads for one in seen) > self._processes
        return Usage(cpu_s=self._cpu_s, peak_memory_mb=self._peak_mb, counters=dict(self._counters))

    def close(self) -> None:
        """Do nothing: the namespace ends with its first process, and all in it."""

    def _is_member(self, process_id: int) -> bool:
        try:
            return str(Path(f"/proc/{process_id}/ns/pid").readlink()) == self._namespace
        except OSError:
            return False

    def _members(self) -> tuple[int, ...]:
        if not self._namespace:
            return ()
        numbers = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
        return tuple(number for number in numbers if self._is_member(number))


def _look(process_id: int) -> _Sighting | None:
    """Return what one process uses, with the CPU of those it has waited for; ``None`` when it is gone."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_bytes().rpartition(b")")[2].split()  # a name may be any bytes
    except OSError:
        return None
    return _Sighting(
        cpu_s=sum(int(fields[index]) for index in (11, 12, 13, 14)) / _TICKS,
        resident_mb=int(fields[21]) * _PAGE / _MIB,
        threads=int(fields[17]),
    )


def _proportional_mb(process_id: int) -> float:
    """Return the memory of a process with shared pages split between their users; 0 when it is gone."""
    try:
        found = _PSS.search(Path(f"/proc/{process_id}/smaps_rollup").read_bytes())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0
