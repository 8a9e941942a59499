"""Unpacks archives that strangers send: only what `sandbox.trees.pack_tree` writes, and nothing that leads elsewhere.

Folders and files are made first and links last, so that nothing is ever written through a link. Method: own, on the
tar format; the filters of `tarfile` are for archives of friends.
"""

import os
import tarfile
from pathlib import Path, PurePosixPath
from typing import Self

from schemas.errors import SandboxError

_TOP = "tree"
_BLOCK = 4096
MOST_ENTRIES = 500_000
_KINDS = frozenset(
    {tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK}
)


class _PlainEntry(tarfile.TarInfo):
    """An entry of a kind that we write; any other ends the reading."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Return the entry of one header block."""
        entry = super().frombuf(buf, encoding, errors)
        if entry.type not in _KINDS or entry.size < 0:
            raise SandboxError(f"an archive holds an entry of kind {entry.type!r} and {entry.size} bytes")
        return entry


def unpack_strictly(archive: Path, folder: Path) -> int:
    """Lay an archive of `pack_tree` out in an empty folder and return about how many bytes it takes on disk.

    Raises:
        SandboxError: it is none, an entry leads out of it or comes twice, or it can't be written.
    """
    links: list[tuple[Path, str]] = []
    taken = count = 0
    try:
        with tarfile.open(archive, mode="r:", tarinfo=_PlainEntry) as reader:
            for entry in reader:
                count += 1
                if count > MOST_ENTRIES:
                    raise SandboxError(f"an archive holds more than {MOST_ENTRIES:,} entries")
                target = folder.joinpath(*_check_name(entry.name))
                if entry.issym():
                    links.append((target, entry.linkname))
                else:
                    _lay(reader, entry, target)
                taken += (entry.size // _BLOCK + 2) * _BLOCK
        for target, linkname in links:
            target.symlink_to(linkname)
    except (OSError, tarfile.TarError, ValueError, RecursionError) as error:
        raise SandboxError(f"an archive can't be unpacked: {error}") from error
    top = folder / _TOP
    if top.is_symlink() or not top.exists():
        raise SandboxError("an archive holds no tree")
    return taken


def _check_name(name: str) -> tuple[str, ...]:
    path = PurePosixPath(name)
    if path.parts[:1] != (_TOP,) or ".." in path.parts or "\0" in name:
        raise SandboxError(f"an archive holds {name[:200]!r}, which isn't below {_TOP!r}")
    return path.parts


def _lay(reader: tarfile.TarFile, entry: tarfile.TarInfo, target: Path) -> None:
    if entry.isdir():
        target.mkdir(mode=0o755)
        return
    content = reader.extractfile(entry)
    if content is None:
        raise SandboxError(f"an archive holds {entry.name[:200]!r} without content")
    mode = 0o755 if entry.mode & 0o111 else 0o644
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        while piece := content.read(1 << 20):
            file.write(piece)
        os.fchmod(descriptor, mode)
        os.utime(descriptor, (entry.mtime, entry.mtime))
