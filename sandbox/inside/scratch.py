"""The writable folders of a sandbox: how files get in and out, and how the folders are emptied after a program that
may have done anything to them.

Runs inside the sandbox, in the fork server, when no other process is left. Imports the standard library only.
Method: own.
"""

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

SCRATCH = ("/work", "/tmp", "/dev/shm")  # noqa: S108  # folders of the sandbox
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
    """Return path and content of the regular files at or below the given paths; nothing when they are too many.

    No link is followed, whether to the file or to a folder above it, so a program can't make the server read anything
    but what it wrote itself.
    """
    found: list[tuple[str, bytes]] = []
    for path in paths:
        for name in _regular_files(path):
            content = _read_regular(Path(SCRATCH[0], name), most_bytes)
            most_bytes -= len(content or b"") + len(name)
            if content is None or most_bytes < 0:
                return []
            found.append((name, content))
    return sorted(found)


def _regular_files(path: str) -> Iterator[str]:
    root = Path(SCRATCH[0])
    start = root / path
    if not os.path.isdir(start):  # noqa: PTH112  # raises nothing, whatever the modes of the folders above
        yield path
        return
    for folder, _, names in os.walk(start):
        yield from (str(Path(folder, name).relative_to(root)) for name in names)


def _read_regular(path: Path, most_bytes: int) -> bytes | None:
    try:
        if os.path.realpath(path) != str(path):
            return None
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            facts = os.fstat(fd)
            return file.read() if stat.S_ISREG(facts.st_mode) and facts.st_size <= most_bytes else None
    except OSError:
        return None


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
