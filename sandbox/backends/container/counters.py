"""What the kernel counts for a container, read on the host where no program inside can reach it.

A container is found through the host id of its first process, and only if that process really sits in a control group
that carries the container's id: an engine on another machine, or in a virtual one, speaks of other processes. Method:
own, after the kernel's documents on cgroup versions 1 and 2.
"""

import os
import select
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.backends.cgroup import read_pairs
from sandbox.backends.cgroups import read_places
from sandbox.base import Usage

_MIB = 1024 * 1024
_MOUNT = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostGroup:
    """The control group of a container on this host."""

    memory: Path
    pids: Path
    cpu: Path
    unified: bool
    """Whether it is version 2."""

    def read(self) -> Usage:
        """Return what the group has used.

        Raises:
            OSError: the group is gone.
        """
        if self.unified:
            cpu_s = read_pairs(self.cpu / "cpu.stat").get("usage_usec", 0) / 1e6
            peak = next(path for name in ("peak", "current") if (path := self.memory / f"memory.{name}").exists())
            kills = read_pairs(self.memory / "memory.events").get("oom_kill", 0)
        else:
            cpu_s = int((self.cpu / "cpuacct.usage").read_text()) / 1e9
            peak = self.memory / "memory.max_usage_in_bytes"
            kills = read_pairs(self.memory / "memory.oom_control").get("oom_kill", 0)
        return Usage(
            cpu_s=cpu_s,
            peak_memory_mb=int(peak.read_text()) / _MIB,
            counters={"oom_kill": kills, "pids_max": read_pairs(self.pids / "pids.events").get("max", 0)},
        )

    def limit_processes(self, count: int) -> bool:
        """Set how many processes and threads may live at once, and return whether the kernel took it."""
        try:
            (self.pids / "pids.max").write_text(str(count))
        except OSError:
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class HostProcess:
    """The first process of a container as this host sees it; the owner closes the descriptor."""

    descriptor: int
    group: HostGroup

    def kill(self) -> None:
        """Send SIGKILL, which takes the whole process namespace along; does nothing if it is gone."""
        with suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)

    def await_end(self, wait_s: float) -> bool:
        """Return whether it ends within so many seconds."""
        poller = select.poll()
        poller.register(self.descriptor, select.POLLIN)
        return bool(poller.poll(wait_s * 1000))


def find_process(process_id: int, container_id: str) -> HostProcess | None:
    """Return the first process of a container, or ``None`` when it isn't on this host, is gone, or can't be seen."""
    if process_id <= 0:
        return None
    try:
        descriptor = os.pidfd_open(process_id)
    except OSError:
        return None
    try:
        places = read_places(Path(f"/proc/{process_id}/cgroup"))
    except OSError:
        places = {}
    group = _find_group(places)
    if group is None or not any(container_id in place for place in places.values()):
        os.close(descriptor)
        return None
    return HostProcess(descriptor=descriptor, group=group)


def _find_group(places: dict[str, str]) -> HostGroup | None:
    if {"memory", "pids", "cpuacct"} <= places.keys():
        memory, pids, cpu = (_MOUNT / name / places[name] for name in ("memory", "pids", "cpuacct"))
        group = HostGroup(memory=memory, pids=pids, cpu=cpu, unified=False)
    elif "" in places:
        folder = _MOUNT / places[""]
        group = HostGroup(memory=folder, pids=folder, cpu=folder, unified=True)
    else:
        return None
    return group if (group.memory / "cgroup.procs").exists() and (group.pids / "pids.max").exists() else None
