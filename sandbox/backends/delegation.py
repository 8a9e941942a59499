"""Hands the controllers of our own version 2 cgroup down to its children.

The kernel refuses that while processes sit in the group itself. Where a group has been delegated to us (a service, a
scope, a container of its own), the processes in it that are ours are moved into a leaf; if others remain, they go back
and nothing has changed. Method: own, after the kernel's document on cgroup version 2 ("no internal processes").
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from sandbox.backends.started import read_parent

LEAF = "taskfoundry.rest"
"""Name of the leaf. It stays: the processes in it may outlive us."""
_NEEDED = ("memory", "pids")
_WISHED = ("cpu",)
_ROUNDS = 5
"""How often the group is looked at again for processes that were started meanwhile."""


def hand_down(place: Path, *, needed: Sequence[str] = _NEEDED) -> bool:
    """Return whether children of a group have the controllers, switching them on if the kernel lets us."""
    return _switch_on(place, needed) == 0


def step_aside(place: Path, *, needed: Sequence[str] = _NEEDED) -> bool:
    """Return whether children of a group have the controllers, moving our own processes out of the way if need be.

    Those are this process, those it comes from and those it has started. Processes of others in the group make it
    fail, and then ours are put back.
    """
    if (code := _switch_on(place, needed)) != errno.EBUSY:
        return code == 0
    leaf = place / LEAF
    moved: list[int] = []
    try:
        leaf.mkdir(exist_ok=True)
        for _ in range(_ROUNDS):
            relatives = list(_list_relatives(place))
            if not relatives:
                break
            moved += [process for process in relatives if _move(process, leaf)]
    except OSError:
        return False
    if _switch_on(place, needed) == 0:
        return True
    for process in moved:
        _move(process, place)
    with suppress(OSError):
        leaf.rmdir()
    return False


def _switch_on(place: Path, needed: Sequence[str]) -> int:
    """Return 0 when the controllers are on for the children, else the error's number."""
    switch = place / "cgroup.subtree_control"
    try:
        if not set(needed) <= set(switch.read_text().split()):
            switch.write_text(" ".join(f"+{controller}" for controller in needed))
    except OSError as error:
        return error.errno or errno.EIO
    for controller in _WISHED:
        with suppress(OSError):
            switch.write_text(f"+{controller}")
    return 0


def _list_relatives(place: Path) -> Iterator[int]:
    """Yield the processes in a group that are ours: this one, those it comes from and those it has started."""
    ours = os.getpid()
    line = set(_trace(ours))
    for word in (place / "cgroup.procs").read_text().split():
        process = int(word)
        if process and (process in line or ours in _trace(process)):
            yield process


def _trace(process: int) -> list[int]:
    """Return a process and those it comes from, as far as they can be seen."""
    found = []
    while process > 0:
        found.append(process)
        process = read_parent(process)
    return found


def _move(process: int, group: Path) -> bool:
    """Move a process into a group, and return whether that worked."""
    try:
        (group / "cgroup.procs").write_text(str(process))
    except OSError:
        return False
    return True
