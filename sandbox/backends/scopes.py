"""Cgroups that systemd's user manager makes for us, where we may make none ourselves: one transient scope per run.

Started as ``systemd-run --user --scope`` with ``MemoryMax`` and ``TasksMax``; the sandboxing tool takes that process's
place, so nothing else changes. A process of ours keeps the scope until its counters have been read, since the manager
removes an empty one. Method: own, after systemd-run(1) and systemd.resource-control(5).
"""

import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.backends.cgroup import kill_members, read_v2
from sandbox.backends.descriptors import Descriptors
from sandbox.backends.leftovers import name_owned
from sandbox.base import Usage

_MIB = 1024 * 1024
_TRIAL_S = 20.0
_HOLDERS = 1
"""Processes that we put into a scope ourselves."""
_HOLD = """(
  exec </dev/null >/dev/null 2>&1
  for path in /proc/self/fd/*; do fd=${path##*/}; ((fd > 2)) && eval "exec $fd>&-"; done
  exec cat "/proc/$1/fd/$2"
) & shift 2; exec /usr/bin/env -i "$@"
"""
"""Leaves a process behind that waits at our pipe and holds nothing else of the run, then becomes the run."""


class Scope:
    """A meter over one transient scope; see `sandbox.backends.meter.Meter`.

    Args:
        unit: name of the scope.
        words: the command that makes it, up to what runs in it.
        mount, proc: where version 2 and the process table are mounted.
    """

    def __init__(self, unit: str, words: tuple[str, ...], *, mount: Path, proc: Path) -> None:
        self._unit, self._mount, self._proc = unit, mount, proc
        self._pipe = Descriptors()
        waiting, _ = self._pipe.pipe()
        hold = ("/bin/bash", "-c", _HOLD, "bash", str(os.getpid()), str(waiting))
        self.join_paths: tuple[Path, ...] = ()
        self.wrapper: tuple[str, ...] = (*words, *hold)
        self._folder: Path | None = None
        self._usage = Usage(counters={"oom_kill": 0, "pids_max": 0})

    def watch(self, first_process: int) -> None:
        """Find the scope by the first process in it."""
        with suppress(OSError):
            self.settle((self._proc / str(first_process) / "cgroup").read_text())

    def settle(self, places: str) -> Path | None:
        """Return the scope's folder, if the places of a process are in it.

        Args:
            places: the process's file ``cgroup``.
        """
        place = next((line.removeprefix("0::/") for line in places.splitlines() if line.startswith("0::/")), "")
        if Path(place).name == self._unit:
            self._folder = self._mount / place
        return self._folder

    def read(self) -> Usage:
        """Return what was used since the scope was made; nothing before its first process is known."""
        if self._folder is not None:
            with suppress(FileNotFoundError):
                self._usage = read_v2(self._folder, peak_mb=self._usage.peak_memory_mb)
        return self._usage

    def close(self) -> None:
        """Kill what is left and let the scope go; the manager removes it. Idempotent."""
        if self._folder is not None:
            kill_members((self._folder,))
        self._pipe.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeHierarchy:
    """See `sandbox.backends.cgroups.Hierarchy`."""

    systemd_run: Path
    runtime: Path
    """The user's runtime folder, where the manager listens."""
    mount: Path
    proc: Path
    label: str = "scopes of systemd's user manager"

    def make(self, *, memory_mb: int, processes: int) -> Scope:
        """Return a meter whose scope comes to be when the run starts."""
        unit = f"{name_owned()}.scope"
        properties = {
            "MemoryMax": str(memory_mb * _MIB),
            "MemorySwapMax": "0",
            "TasksMax": str(processes + _HOLDERS),
        }
        words = ["/usr/bin/env", "-i", f"XDG_RUNTIME_DIR={self.runtime}", str(self.systemd_run), "--user", "--scope"]
        words += ["--quiet", "--collect", f"--unit={unit}"]
        words += [f"--property={name}={value}" for name, value in properties.items()]
        return Scope(unit, (*words, "--"), mount=self.mount, proc=self.proc)

    def parents(self) -> tuple[Path, ...]:
        """Return nothing: the manager removes what has no process, and ours end with us."""
        return ()


def detect_scopes(
    *,
    runtime: Path | None = None,
    mount: Path = Path("/sys/fs/cgroup"),
    proc: Path = Path("/proc"),
) -> ScopeHierarchy | None:
    """Return a maker of scopes whose limits the kernel holds, or ``None`` where no user manager gives them.

    Args:
        runtime: the user's runtime folder; ``None`` takes the usual one.
    """
    systemd_run = shutil.which("systemd-run")
    folder = runtime or Path(f"/run/user/{os.geteuid()}")
    if systemd_run is None or not (folder / "systemd").is_dir() or not Path("/bin/bash").exists():
        return None
    found = ScopeHierarchy(systemd_run=Path(systemd_run), runtime=folder, mount=mount, proc=proc)
    return found if _holds(found) else None


def _holds(hierarchy: ScopeHierarchy) -> bool:
    """Return whether a scope can be made and has the limits that were asked for."""
    scope = hierarchy.make(memory_mb=64, processes=8)
    try:
        command = [*scope.wrapper, "/bin/cat", str(hierarchy.proc / "self" / "cgroup")]
        done = subprocess.run(command, env={}, capture_output=True, text=True, timeout=_TRIAL_S, check=True)
        folder = scope.settle(done.stdout)
        limits = ("memory.max", str(64 * _MIB)), ("pids.max", str(8 + _HOLDERS))
        return folder is not None and all((folder / name).read_text().strip() == limit for name, limit in limits)
    except (OSError, subprocess.SubprocessError):
        return False
    finally:
        scope.close()
