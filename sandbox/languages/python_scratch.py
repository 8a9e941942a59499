"""The writable folders of a sandbox, and how they are emptied after a program that may have done anything to them.

Runs inside the sandbox, in the fork server, when no other process is left. Imports the standard library only.
Method: own.
"""

import contextlib
import os
import time
from pathlib import Path

SCRATCH = ("/work", "/tmp", "/dev/shm")  # noqa: S108  # folders of the sandbox
_ALMOST_NOTHING = 65_536


def is_disk_full() -> bool:
    """Return whether one of the folders has less than 64 KiB left."""
    spaces = [os.statvfs(folder) for folder in SCRATCH if Path(folder).is_dir()]
    return any(space.f_bavail * space.f_frsize < _ALMOST_NOTHING for space in spaces)


def empty_folders() -> bool:
    """Empty all of them, and return whether nothing is left in any."""
    return sum(empty_folder(Path(folder)) for folder in SCRATCH) == len(SCRATCH)


def empty_folder(root: Path) -> bool:
    """Empty a folder without recursion, whatever its depth and modes; return whether nothing is left."""
    try:
        if not root.is_dir() or os.statvfs(root).f_flag & os.ST_RDONLY:
            return True
        with contextlib.suppress(PermissionError):
            root.chmod(0o1777)
        while entries := list(root.iterdir()):
            for entry in entries:
                _remove(entry, root)
    except OSError:
        return False
    return True


def _remove(entry: Path, root: Path) -> None:
    """Remove a file, or move the folders of a folder up to the root and remove the rest of it."""
    if entry.is_symlink() or not entry.is_dir():
        entry.unlink()
        return
    entry.chmod(0o700)
    for inner in list(entry.iterdir()):
        if inner.is_dir() and not inner.is_symlink():
            inner.chmod(0o700)
            inner.rename(root / f"moved-{time.monotonic_ns()}-{inner.stat().st_ino}")
        else:
            inner.unlink()
    entry.rmdir()
