"""Folders and files as archives of bytes that are equal when what they hold is equal, and back.

What a mount becomes on its way to a sandbox that doesn't see this machine's files. Method: own, on the tar format.
"""

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from schemas.errors import SandboxError

_ROOT = "tree"


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def pack_tree(source: Path) -> bytes:
    """Return an archive of a file or folder: sorted, owned by root, with times in whole seconds; links are kept.

    Sockets, pipes and devices are left out.

    Raises:
        SandboxError: something can't be read.
    """
    buffer = io.BytesIO()
    try:
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in _walk(source):
                _add(archive, path, _name(path, source))
    except OSError as error:
        raise SandboxError(f"{source} can't be packed: {error}") from error
    return buffer.getvalue()


def _walk(source: Path) -> Iterator[Path]:
    yield source
    if source.is_dir():
        for folder, folders, files in os.walk(source):
            folders.sort()
            yield from (Path(folder, name) for name in sorted([*folders, *files]))


def _name(path: Path, source: Path) -> str:
    return _ROOT if path == source else f"{_ROOT}/{path.relative_to(source).as_posix()}"


def _add(archive: tarfile.TarFile, path: Path, name: str) -> None:
    """Add one path; the source itself is never taken as a link."""
    is_top = name == _ROOT
    entry = archive.gettarinfo(path.resolve() if is_top else path, name)
    if entry is None or not (entry.isreg() or entry.isdir() or entry.issym() or entry.islnk()):
        return
    if entry.islnk():
        entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", path.stat().st_size
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = int(entry.mtime)
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o111 else 0o644
    if entry.isreg():
        with path.open("rb") as file:
            archive.addfile(entry, file)
    else:
        archive.addfile(entry)


def unpack_tree(data: bytes, folder: Path) -> Path:
    """Lay an archive of `pack_tree` out in a folder and return the path of what was packed.

    Raises:
        SandboxError: it is no such archive, an entry leaves the folder, or it can't be written.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            extract_within(archive, folder)
    except (OSError, tarfile.TarError) as error:
        raise SandboxError(f"an archive of {len(data):,} bytes can't be unpacked: {error}") from error
    return folder / _ROOT


def extract_within(archive: tarfile.TarFile, folder: Path, *, keeps_links_within: bool = False) -> None:
    """Unpack an archive that may not write outside of a folder; Python before 3.11.4 has no filter for that.

    Args:
        keeps_links_within: whether links may not lead out of the folder either.

    Raises:
        tarfile.TarError: an entry leaves the folder, or is neither file, folder nor link.
        OSError: it can't be written.
    """
    if hasattr(tarfile, "tar_filter"):
        within: Literal["data", "tar"] = "data" if keeps_links_within else "tar"
        archive.extractall(folder, filter=within)  # noqa: S202 - a filter is given
        return
    top = os.path.realpath(folder)
    for entry in archive:
        places = [os.path.realpath(f"{top}/{entry.name}")]
        if entry.issym() and keeps_links_within:
            places.append(os.path.realpath(Path(top, entry.name).parent / entry.linkname))
        is_plain = entry.isreg() or entry.isdir() or entry.issym()
        if os.path.commonpath([top, *places]) != top or not is_plain:
            raise tarfile.TarError(f"{entry.name} leaves the folder, or is neither file, folder nor link")
        entry.mode &= 0o755
        archive.extract(entry, folder)
