"""A small shell process that ends our sandboxes when we are killed ourselves.

Most sandboxes die with their owner by the kernel's parent-death signal. A conversation as root doesn't: its program is
another user's, and bubblewrap, without capabilities, may not signal it. So a shell waits at a pipe that the kernel
closes with us, then kills what is in our cgroups and removes them. Method: own.
"""

import atexit
import os
import shlex
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sandbox.backends.leftovers import name_owner
from sandbox.once import once_per_process

_GRACE_S = 5.0


def start_caretaker(parents: Sequence[Path]) -> None:
    """Start this process's caretaker, if it has none yet.

    Args:
        parents: folders that cgroups are made in.
    """
    _start(tuple(parents))


@once_per_process
def _start(parents: tuple[Path, ...]) -> None:
    process_id = os.getpid()
    waiting, ours = os.pipe2(os.O_CLOEXEC)
    caretaker = subprocess.Popen(
        ["/bin/sh", "-c", _write_script(parents)],
        stdin=waiting,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
    )
    os.close(waiting)

    def dismiss() -> None:
        if os.getpid() == process_id:
            os.close(ours)
            with suppress(subprocess.TimeoutExpired):
                caretaker.wait(_GRACE_S)

    atexit.register(dismiss)


def _write_script(parents: Sequence[Path]) -> str:
    groups = " ".join(f"{shlex.quote(str(parent / name_owner()))}*" for parent in parents)
    return (
        "read -r nothing\n"
        f"for try in 1 2 3 4 5 6 7 8 9; do for group in {groups}; do\n"
        '  [ -d "$group" ] || continue\n'
        '  while read -r process; do kill -9 "$process"; done < "$group/cgroup.procs"\n'
        '  rmdir "$group" || sleep 0.1\n'
        "done; done\n"
    )
