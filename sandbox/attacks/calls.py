"""System calls that no solution needs, with arguments under which they would succeed if they were allowed.

Programs get them as text, so one table serves all languages: name, number, and arguments, which are numbers or bytes in
hexadecimal digits behind an ``x``. None of them harms a host that allows it. Method: own.
"""

import platform
import struct
from collections.abc import Mapping

Argument = int | bytes
_NEW_USER, _NEW_MOUNTS, _NEW_NETWORK = 0x10000000, 0x00020000, 0x40000000
_BLOCK_DEVICE = 0o060600
_HERE = -100
_PERF = struct.pack("<IIQQQQQ", 1, 112, 0, 0, 0, 0, 0b1100001)
_MAP = struct.pack("<IIII", 2, 4, 4, 1)

_NUMBERS: Mapping[str, tuple[int, int]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "fanotify_init": (300, 262),
    "init_module": (175, 105),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mknodat": (259, 33),
    "mount": (165, 40),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "ptrace": (101, 117),
    "setgid": (106, 144),
    "sethostname": (170, 161),
    "setuid": (105, 146),
    "socket": (41, 198),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""On x86_64 and on aarch64."""
_CALLS: tuple[tuple[str, str, tuple[Argument, ...]], ...] = (
    ("mount of a tmpfs", "mount", (b"tmpfs", b"/tmp", b"tmpfs", 0, 0)),
    ("mount of proc", "mount", (b"proc", b"/tmp", b"proc", 0, 0)),
    ("unshare of users", "unshare", (_NEW_USER,)),
    ("unshare of mounts", "unshare", (_NEW_MOUNTS,)),
    ("unshare of users and networks", "unshare", (_NEW_USER | _NEW_NETWORK,)),
    ("ptrace by the parent", "ptrace", (0, 0, 0, 0)),
    ("ptrace of process 1", "ptrace", (0x4206, 1, 0, 0)),
    ("keyctl", "keyctl", (0, -3, 1)),
    ("add_key", "add_key", (b"user", b"name", b"value", 5, -3)),
    ("bpf", "bpf", (0, _MAP, 72)),
    ("mknod of a disk", "mknodat", (_HERE, b"/tmp/disk", _BLOCK_DEVICE, 0x700)),
    ("mknod of the memory", "mknodat", (_HERE, b"/tmp/memory", 0o020600, 0x101)),
    ("setuid to root", "setuid", (0,)),
    ("setgid to root", "setgid", (0,)),
    ("chroot", "chroot", (b"/tmp",)),
    ("pivot_root", "pivot_root", (b"/tmp", b"/tmp")),
    ("perf_event_open", "perf_event_open", (_PERF, 0, -1, -1, 0)),
    ("userfaultfd", "userfaultfd", (1,)),
    ("io_uring_setup", "io_uring_setup", (1, bytes(120))),
    ("init_module", "init_module", (b"x", 1, b"")),
    ("kexec_load", "kexec_load", (0, 0, 0, 0)),
    ("sethostname", "sethostname", (b"spoilt", 6)),
    ("fanotify_init", "fanotify_init", (0, 0)),
    ("acct", "acct", (b"/tmp/none",)),
    ("swapon", "swapon", (b"/tmp/none", 0)),
    ("kernel log", "syslog", (3, bytes(200), 200)),
    ("internet socket", "socket", (2, 1, 0)),
    ("internet socket of version 6", "socket", (10, 2, 0)),
    ("netlink socket", "socket", (16, 3, 0)),
    ("packet socket", "socket", (17, 3, 0)),
    ("crypto socket", "socket", (38, 5, 0)),
    ("machine socket", "socket", (40, 1, 0)),
)


def list_calls() -> tuple[str, ...]:
    """Return a line for every call, as programs read it."""
    column = 1 if platform.machine() == "aarch64" else 0
    return tuple(
        " ".join((title.replace(" ", "_"), str(_NUMBERS[name][column]), *map(_write, arguments)))
        for title, name, arguments in _CALLS
    )


def _write(argument: Argument) -> str:
    return str(argument) if isinstance(argument, int) else f"x{argument.hex()}"
