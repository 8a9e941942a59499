"""How a program is entered, whatever tool makes the sandbox: the user it becomes, its environment, its first files.

As root, the tool keeps the host's user namespace and the program is started through ``setpriv``. Without root, the tool
makes a user namespace. Method: own.
"""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sandbox.backends.rootfs import DEFAULT_ENV, PYTHON
from schemas.errors import SandboxError

SANDBOX_ID = 65534
"""User and group that the program sees itself as; as root also its user on the host."""

STAGE = "/opt/stage"
"""Where the files of a job are shown before they are copied."""
_DROP_IN_PYTHON = (
    "import os,sys;os.setgroups([]);os.setresgid(*[{0}]*3);os.setresuid(*[{0}]*3);os.execv(sys.argv[1],sys.argv[1:])"
)


class Privilege(StrEnum):
    """What we start from."""

    ROOT = "root"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the programs of one session go through between the tool and their own first step."""

    staged: bool
    """Whether files of the job are copied into ``/work``."""
    privilege: Privilege
    pick_user: Callable[[], int]
    """Gives the host's user of a run, as root."""
    processes: int | None = None
    """Limit to set on the user's processes; ``None`` where a cgroup does it."""

    def list_words(self, argv: Sequence[str], assignments: Sequence[str]) -> list[str]:
        """Return the command that becomes the sandbox's user, lays out files and goes on as the program.

        Args:
            assignments: words that set the environment as the last step.

        Raises:
            SandboxError: no program.
        """
        if not argv or "=" in argv[0]:
            raise SandboxError(f"argv {tuple(argv)!r} doesn't start with a program name")
        words = [*(_drop_privilege(self.pick_user()) if self.privilege is Privilege.ROOT else ())]
        steps = [f"cp -R {STAGE}/. /work"] if self.staged else []
        if self.processes is not None:
            limit = self.processes
            steps.append(f"{{ ulimit -u {limit} 2>/dev/null || ulimit -p {limit}; }}")
        if steps:
            words += ["/bin/sh", "-c", " && ".join([*steps, 'exec "$@"']), "sh"]
        return [*words, *assignments, *argv]


def split_environment(env: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Return what the tool may set itself, and the words before the program that set the environment otherwise.

    The tool sets it before the user changes, while the dynamic loader still works for root, so only names that no
    loader and no C library looks at may go that way. One other name, and ``env`` sets all of them as the last step.

    Raises:
        SandboxError: a name that can't be an environment variable.
    """
    merged = {**DEFAULT_ENV, **env}
    for name in merged:
        if not name or "=" in name or "\0" in name:
            raise SandboxError(f"{name!r} can't be the name of an environment variable")
    if all(name.startswith("PYTHON") or merged[name] == DEFAULT_ENV.get(name) for name in merged):
        return merged, []
    return {}, ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in merged.items())]


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


def detect_privilege() -> Privilege:
    """Return ``ROOT`` when we may become another user, ``USER`` otherwise (a namespace's root has only itself)."""
    if os.geteuid() != 0:
        return Privilege.USER
    ranges = (line.split() for line in Path("/proc/self/uid_map").read_text().splitlines())
    covered = any(int(first) <= SANDBOX_ID < int(first) + int(count) for first, _, count in ranges)
    return Privilege.ROOT if covered else Privilege.USER


def make_entry_script(join_paths: Sequence[Path], *, cpu_s: float | None, files: int | None = 1024) -> str:
    """Return the shell script that enters the cgroups, sets the process limits and becomes the tool.

    Args:
        cpu_s: CPU limit of the run, for the kernel's own per-process limit behind ours; ``None`` sets none.
        files: limit of open files of one process; ``None`` leaves it.
    """
    lines = [f"echo 0 > {shlex.quote(str(path))} || exit 97" for path in join_paths]
    lines += ["ulimit -c 0", "ulimit -S -s 8192 2>/dev/null"]
    if files is not None:
        lines.append(f"ulimit -n {files} 2>/dev/null")
    if cpu_s is not None:
        soft = int(cpu_s) + 2
        lines += [f"ulimit -S -t {soft}", f"ulimit -H -t {soft + 1}"]
    return "\n".join([*lines, 'exec "$@"'])
