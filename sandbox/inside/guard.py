"""A last system call filter, which every child of the fork server puts on: what it may not do to process 1.

The server and its children are one user, so a program could lower the server's limits or priority (and, under gVisor's
kernel, kill it) and pass for a failure of the sandbox. gVisor also makes device nodes for anybody. Runs inside the
sandbox. Imports the standard library only. Method: own, over seccomp(2).
"""

import ctypes
import os
import struct

_NUMBERS = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "prlimit64": (302, 261),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "mknod": (133, -1),
    "mknodat": (259, 33),
}
"""On x86_64 and on aarch64; -1 where there is none."""
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column above, and the kernel's number."""
_EVERYBODY = 0xFFFFFFFF
_ANY, _TYPE = 0xFFFFFFFF, 0o170000
_REFUSED: tuple[tuple[str, int, int, tuple[int, ...]], ...] = (
    ("kill", 0, _ANY, (1, _EVERYBODY)),
    ("tkill", 0, _ANY, (1,)),
    ("tgkill", 0, _ANY, (1,)),
    ("tgkill", 1, _ANY, (1,)),
    ("rt_sigqueueinfo", 0, _ANY, (1,)),
    ("rt_tgsigqueueinfo", 0, _ANY, (1,)),
    ("rt_tgsigqueueinfo", 1, _ANY, (1,)),
    ("pidfd_open", 0, _ANY, (1,)),
    ("prlimit64", 0, _ANY, (1,)),
    ("setpriority", 0, _ANY, (2,)),  # by user
    ("setpriority", 1, _ANY, (1,)),
    ("ioprio_set", 0, _ANY, (3,)),  # by user
    ("ioprio_set", 1, _ANY, (1,)),
    ("sched_setaffinity", 0, _ANY, (1,)),
    ("sched_setattr", 0, _ANY, (1,)),
    ("sched_setparam", 0, _ANY, (1,)),
    ("sched_setscheduler", 0, _ANY, (1,)),
    ("mknod", 1, _TYPE, (0o060000, 0o020000)),
    ("mknodat", 2, _TYPE, (0o060000, 0o020000)),
)
"""Call, index of an argument, bits of it that count, and their values that are refused."""
_LOAD, _AND, _EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001
_PR_SET_SECCOMP, _FILTER = 22, 2


class Guard:
    """The filter, made once by the server for all of its children.

    A child only makes the call: whatever else it did would cost it copies of the server's memory.
    """

    def __init__(self) -> None:
        self._program = _write_program()
        self._text = ctypes.create_string_buffer(self._program, max(1, len(self._program)))
        described = struct.pack("HxxxxxxP", len(self._program) // 8, ctypes.addressof(self._text))
        self._described = ctypes.create_string_buffer(described, len(described))
        self._address = ctypes.addressof(self._described)
        self._prctl = ctypes.CDLL(None).prctl
        self._prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)

    def put_on(self) -> bool:
        """Put it on this process, whatever that becomes, and all it will start; return whether that worked."""
        if not self._program:
            return True
        return bool(self._prctl(_PR_SET_SECCOMP, _FILTER, self._address, 0, 0) == 0)

    def is_accepted(self) -> bool:
        """Return whether a child can put it on."""
        child = os.fork()
        if child == 0:
            os._exit(0 if self.put_on() else 1)
        return os.waitpid(child, 0)[1] == 0


def _write_program() -> bytes:
    """Return the filter's instructions; none on a processor that it isn't written for.

    First the number of the call is looked for, then its arguments are, since the kernel runs the filter over every
    number there is whenever a child puts it on.
    """
    if os.uname().machine not in _ARCHITECTURES:
        return b""
    column, architecture = _ARCHITECTURES[os.uname().machine]
    tests: dict[int, list[tuple[int, int, int, int]]] = {}
    for name, argument, bits, values in _REFUSED:
        if _NUMBERS[name][column] >= 0:
            test = [(_LOAD, 0, 0, 16 + 8 * argument), (_AND, 0, 0, bits)]
            test += [(_EQUAL, len(values) - 1 - at, at == len(values) - 1, value) for at, value in enumerate(values)]
            tests.setdefault(_NUMBERS[name][column], []).extend([*test, (_RETURN, 0, 0, _REFUSE)])
    lines = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, 0)]
    parts = [(_RETURN, 0, 0, _ALLOW)]
    for place, (number, test) in enumerate(tests.items()):
        lines.append((_EQUAL, len(tests) - place - 1 + len(parts), 0, number))
        parts += [*test, (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("<HBBI", *line) for line in (*lines, *parts))
