"""The image of our containers: mount points, links and an ``/etc``, made here and named by its content.

No registry is asked: the host's ``/usr`` and the interpreter are mounted when a container starts, so the image is a
few hundred KiB and the same layout gives the same bytes. Method: own, over the engine's import of a plain tar file.
"""

import hashlib
import io
import tarfile
from functools import cache
from pathlib import Path, PurePosixPath

from sandbox.backends.layout import Layout

REPOSITORY = "taskfoundry-root"
_OPEN = {"tmp", "work"}
"""Folders for everybody, until a file system is mounted over them."""


@cache
def pack_image(layout: Layout) -> bytes:
    """Return the image as a tar file, the same bytes for the same layout and ``/etc``."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for folder in layout.folders:
            archive.addfile(_describe(folder.strip("/"), tarfile.DIRTYPE))
        for bind in layout.binds:
            if not bind.source.is_dir():
                for parent in reversed(PurePosixPath(bind.target).parents[:-1]):
                    archive.addfile(_describe(str(parent).strip("/"), tarfile.DIRTYPE))
                archive.addfile(_describe(bind.target.strip("/"), tarfile.REGTYPE))
        for link, target in sorted(layout.links):
            archive.addfile(_describe(link.strip("/"), tarfile.SYMTYPE, target))
        for path in sorted(layout.etc.rglob("*")):
            _add_etc(archive, path, f"etc/{path.relative_to(layout.etc)}")
    return buffer.getvalue()


def name_image(tar: bytes) -> str:
    """Return the tag of an image, from its content."""
    return hashlib.sha256(tar).hexdigest()[:16]


def _add_etc(archive: tarfile.TarFile, path: Path, name: str) -> None:
    if path.is_symlink():
        archive.addfile(_describe(name, tarfile.SYMTYPE, str(path.readlink())))
    elif path.is_dir():
        archive.addfile(_describe(name, tarfile.DIRTYPE))
    else:
        content = path.read_bytes()
        member = _describe(name, tarfile.REGTYPE)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


def _describe(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = kind
    member.linkname = target
    if kind == tarfile.DIRTYPE:
        member.mode = 0o1777 if name in _OPEN else 0o755
    else:
        member.mode = 0o777 if kind == tarfile.SYMTYPE else 0o644
    return member
