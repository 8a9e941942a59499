"""The writable folders of a sandbox: how files get in and out, and how the folders are emptied after a program that
may have done anything to them.

Runs inside the sandbox, in the fork server, when no other process is left. Imports the standard library only.
Method: own.
"""

import contextlib
import os
import stat
import time
from pathlib import Path

SCRATCH = ("/work", "/tmp", "/dev/shm")  # noqa: S108  # folders of the sandbox
MOST_COLLECTED = 10_000
_ALMOST_NOTHING = 65_536
_FILES_PER_MIB = 1024
_LEAST_FILES = 16_384


def lay_files(files: dict[str, tuple[int, bytes]]) -> bool:
    """Write files, by path relative to ``/work`` with mode and content; return whether all of them fitted."""
    try:
        for path, (mode, content) in files.items():
            target = Path(SCRATCH[0], path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(mode)
    except (OSError, ValueError):  # the latter for a name that can't be one
        return False
    return True


def collect_files(paths: list[str], most_bytes: int) -> list[tuple[str, bytes]]:
    """Return path and content of the files at or below the given paths, or nothing.

    No link is followed, whether to the file or to a folder above it, so a program can't make the server read anything
    but what it wrote itself. Nothing is returned if there is anything but files and folders, more than
    `MOST_COLLECTED` names, or more bytes than asked for, names included.
    """
    found: list[tuple[str, bytes]] = []
    try:
        for path in paths:
            for name in _list_files(path):
                content = _read_regular(Path(SCRATCH[0], name), most_bytes)
                most_bytes -= len(content) + len(os.fsencode(name))
                if most_bytes < 0:
                    return []
                found.append((name, content))
    except (OSError, ValueError):
        return []
    return sorted(found)


def _list_files(path: str) -> list[str]:
    """Return what is below a path and no folder, without recursion; raises `ValueError` when that is too much."""
    waiting, found, seen = [path], [], 0
    while waiting:
        name = waiting.pop()
        seen += 1
        target = Path(SCRATCH[0], name)
        if not stat.S_ISDIR(target.lstat().st_mode):
            found.append(name)
            continue
        waiting += [f"{name}/{inner}" for inner in os.listdir(target)]  # noqa: PTH208  # names only
        if seen + len(waiting) > MOST_COLLECTED:
            raise ValueError(f"more than {MOST_COLLECTED:,} names")
    return found


def _read_regular(path: Path, most_bytes: int) -> bytes:
    """Return the content of a file; raises `ValueError` when it is too large or no file, or a link is in its path."""
    if os.path.realpath(path) != str(path):
        raise ValueError("a link")
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > most_bytes:
            raise ValueError("no file, or too large")
        return file.read()


def is_disk_full() -> bool:
    """Return whether one of the folders has less than 64 KiB left, or no room for another file."""
    return any(
        space.f_bavail * space.f_frsize < _ALMOST_NOTHING or (space.f_files > 0 and space.f_ffree == 0)
        for space in _read_spaces()
    )


def holds_too_many_files() -> bool:
    """Return whether one of the folders holds more files than its size allows, where the kernel doesn't limit them."""
    return any(
        space.f_files - space.f_ffree > max(_LEAST_FILES, _FILES_PER_MIB * space.f_blocks * space.f_frsize // 2**20)
        for space in _read_spaces()
    )


def _read_spaces() -> list[os.statvfs_result]:
    return [os.statvfs(folder) for folder in SCRATCH if Path(folder).is_dir()]


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
