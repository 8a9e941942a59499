"""What a sandbox leaves on the host while it lives, and how it is found again when its owner has died.

Folders and cgroups carry the owner's process id and start time in their names, so a later process can tell the
orphans from those in use. Method: own.
"""

import atexit
import os
import shutil
import tempfile
from itertools import count
from pathlib import Path

from sandbox.once import once_per_process

PREFIX = "taskfoundry"
_serial = count()


def _start_time(process_id: int) -> str:
    """Return the start time of a process in clock ticks since boot, or ``""`` when there is none."""
    try:
        text = Path(f"/proc/{process_id}/stat").read_bytes()
    except OSError:
        return ""
    return text.rpartition(b")")[2].split()[19].decode()


def _namespace() -> str:
    return Path("/proc/self/ns/pid").readlink().name.strip("pid:[]")


def name_owner() -> str:
    """Return what the names of all things of this process begin with."""
    owner = os.getpid()
    return f"{PREFIX}-{_namespace()}-{owner}-{_start_time(owner)}-"


def name_owned() -> str:
    """Return a new name that tells who owns the thing that carries it."""
    return f"{name_owner()}{next(_serial)}"


def is_orphan(name: str) -> bool:
    """Return whether a name was made by `name_owned` in this process namespace and its owner is gone."""
    parts = name.split("-")
    if len(parts) != 5 or parts[0] != PREFIX or parts[1] != _namespace() or not parts[2].isdigit():
        return False
    return _start_time(int(parts[2])) != parts[3]


def make_folder() -> Path:
    """Return a new private folder that `reap_folders` of a later process removes if this one can't."""
    path = Path(tempfile.gettempdir()) / name_owned()
    path.mkdir(mode=0o700)
    return path


def remove_folder(path: Path) -> None:
    """Remove a folder and all in it, if it is there."""
    shutil.rmtree(path, ignore_errors=True)


def reap_folders() -> int:
    """Remove the folders of owners that are gone, and return how many."""
    orphans = [path for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}-*") if is_orphan(path.name)]
    for path in orphans:
        remove_folder(path)
    return len(orphans)


@once_per_process
def state_folder() -> Path:
    """Return this process's own folder, made once and removed when the process ends."""
    path, process_id = make_folder(), os.getpid()

    def remove() -> None:
        if os.getpid() == process_id:
            remove_folder(path)

    atexit.register(remove)
    return path
