"""What a job brings along, on its way to a service: folders and large files go by digest, if they aren't there.

Used by `sandbox.backends.remote`. Method: own.
"""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from sandbox.base import Job
from sandbox.messages import Json, Message
from sandbox.transport import encode_job
from sandbox.trees import digest_of, pack_tree
from schemas.errors import SandboxError

_LARGE = 256 * 1024
"""Bytes from which a job's file goes by digest."""
_Stamp = tuple[str, int, int, int, int, int]


class Packer:
    """Names folders by the digest of their archive, which is made again only when something in them has changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[bytes, str]] = {}

    def name(self, source: Path) -> str:
        """Return the key of a folder or file that is mounted.

        Raises:
            SandboxError: it can't be read.
        """
        signature = _sign(source)
        with self._lock:
            known = self._known.get(source)
            if known is None or known[0] != signature:
                known = self._known[source] = (signature, f"tree-{digest_of(pack_tree(source))}")
            return known[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedJob:
    """A job as it is asked for, and how to get at what it names by digest."""

    job: Job
    """Without what goes by digest."""
    mounts: tuple[tuple[str, str], ...] = ()
    """Target and key of each."""
    stored: dict[str, str] = field(default_factory=dict)
    """Keys of large files, by path."""
    contents: dict[str, Callable[[], bytes]] = field(default_factory=dict)
    """By key."""

    def encode(self) -> Message:
        """Return the message that asks for a session."""
        message = Message({"order": "open"})
        encoded: Json = encode_job(self.job, message)
        message.header["job"] = {**encoded, "mounts": [list(pair) for pair in self.mounts], "stored": self.stored}
        return message


def pack_job(job: Job, packer: Packer) -> PackedJob:
    """Return a job for a service.

    Raises:
        SandboxError: a mount can't be read.
    """
    large = {name: content for name, content in job.files.items() if len(content) >= _LARGE}
    stored = {name: f"file-{digest_of(content)}" for name, content in large.items()}
    contents: dict[str, Callable[[], bytes]] = {stored[name]: partial(bytes, kept) for name, kept in large.items()}
    mounts = []
    for mount in job.mounts:
        key = packer.name(mount.source)
        mounts.append((mount.target, key))
        contents[key] = partial(pack_tree, mount.source)
    files = {name: content for name, content in job.files.items() if name not in large}
    return PackedJob(job=replace(job, files=files, mounts=()), mounts=tuple(mounts), stored=stored, contents=contents)


def _sign(source: Path) -> bytes:
    """Return what changes whenever something in a folder or file does."""
    signature = hashlib.sha256()
    try:
        for stamp in _stamp(source):
            signature.update(repr(stamp).encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise SandboxError(f"{source} can't be packed: {error}") from error
    return signature.digest()


def _stamp(source: Path) -> Iterator[_Stamp]:
    told = source.stat()
    yield str(source), told.st_mode, told.st_size, told.st_mtime_ns, told.st_ctime_ns, told.st_ino
    pending = [str(source)] if source.is_dir() else []
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                told = entry.stat(follow_symlinks=False)
                yield entry.path, told.st_mode, told.st_size, told.st_mtime_ns, told.st_ctime_ns, told.st_ino
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
