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

_LIMITS = struct.pack("<QQ", 1 << 20, 1 << 20)
_HANDLE = struct.pack("<Ii", 128, 0)
_CLONE3 = struct.pack("<QQQQQ", _NEW_USER, 0, 0, 0, 17)

_NUMBERS: Mapping[str, tuple[int, int]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fanotify_init": (300, 262),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "memfd_secret": (447, 447),
    "mknodat": (259, 33),
    "modify_ldt": (154, -1),
    "mount": (165, 40),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_open": (434, 434),
    "pivot_root": (155, 41),
    "prlimit64": (302, 261),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "rt_sigqueueinfo": (129, 138),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "semget": (64, 190),
    "set_mempolicy": (238, 237),
    "setgid": (106, 144),
    "sethostname": (170, 161),
    "setpriority": (141, 140),
    "setuid": (105, 146),
    "shmget": (29, 194),
    "socket": (41, 198),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""On x86_64 and on aarch64; -1 where there is none."""
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
    ("key socket", "socket", (15, 3, 2)),
    ("controller socket", "socket", (29, 3, 1)),
    ("bluetooth socket", "socket", (31, 3, 1)),
    ("express data socket", "socket", (44, 3, 0)),
    ("clone into new users", "clone", (_NEW_USER | 17, 0, 0, 0, 0)),
    ("clone3 into new users", "clone3", (_CLONE3, 64)),
    ("reading of process 1's memory", "process_vm_readv", (1, bytes(16), 0, bytes(16), 0, 0)),
    ("writing of process 1's memory", "process_vm_writev", (1, bytes(16), 0, bytes(16), 0, 0)),
    ("comparison with process 1", "kcmp", (1, 1, 1, 0, 0)),
    ("descriptor of process 1", "pidfd_open", (1, 0)),
    ("signal to process 1", "kill", (1, 0)),
    ("queued signal to process 1", "rt_sigqueueinfo", (1, 0, bytes(128))),
    ("limits of process 1", "prlimit64", (1, 0, _LIMITS, 0)),
    ("priority of process 1", "setpriority", (0, 1, 0)),
    ("disk priority of process 1", "ioprio_set", (1, 1, 2 << 13 | 4)),
    ("processors of process 1", "sched_setaffinity", (1, 128, b"\xff" * 128)),
    ("scheduler of process 1", "sched_setscheduler", (1, 0, bytes(4))),
    ("shared memory", "shmget", (0, 4096, 0o1666)),
    ("semaphore", "semget", (0, 1, 0o1666)),
    ("message queue", "msgget", (0, 0o1666)),
    ("message queue by name", "mq_open", (b"left", 0o102, 0o666, 0)),
    ("execution domain", "personality", (0x0040000,)),
    ("clock tuning", "adjtimex", (bytes(208),)),
    ("file handle", "name_to_handle_at", (_HERE, b"/usr", _HANDLE, bytes(8), 0)),
    ("secret memory", "memfd_secret", (0,)),
    ("new file system", "fsopen", (b"tmpfs", 0)),
    ("tree of mounts", "open_tree", (_HERE, b"/usr", 0)),
    ("memory policy", "set_mempolicy", (0, 0, 0)),
    ("moving of pages", "move_pages", (0, 0, 0, 0, 0, 0)),
    ("local descriptor table", "modify_ldt", (0, bytes(16), 16)),
)


def list_calls(architecture: str = "") -> tuple[str, ...]:
    """Return a line for every call, as programs read it.

    Args:
        architecture: ``x86_64`` or ``aarch64``; empty for this machine's.
    """
    column = 1 if (architecture or platform.machine()) == "aarch64" else 0
    return tuple(
        " ".join((title.replace(" ", "_"), str(_NUMBERS[name][column]), *map(_write, arguments)))
        for title, name, arguments in _CALLS
        if _NUMBERS[name][column] >= 0
    )


def _write(argument: Argument) -> str:
    return str(argument) if isinstance(argument, int) else f"x{argument.hex()}"
