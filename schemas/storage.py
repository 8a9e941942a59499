"""A folder on any fsspec file system in which a file is whole or absent.

Outputs, the store and artifacts are written through it: a temporary name first, then a rename. Method: own.
"""

import errno
import posixpath
import uuid
from contextlib import suppress
from pathlib import Path

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import ConfigError

_ADVICE = {
    errno.ENOSPC: "the disk is full; free room and run again, finished work is kept",
    errno.EDQUOT: "the quota is used up; free room and run again, finished work is kept",
    errno.EROFS: "it is read-only; name another folder",
    errno.EACCES: "it can't be written by this user; name another folder",
    errno.EPERM: "it can't be written by this user; name another folder",
    errno.ENOTDIR: "a part of the path is a file; name another folder",
    errno.ENAMETOOLONG: "the name is too long; name another folder",
    errno.EFBIG: "a file would grow beyond what is allowed here (ulimit -f); raise the limit and run again",
    errno.EMFILE: "too many files are open; raise the limit (ulimit -n) and run again",
    errno.EIO: "the disk fails; finished work is kept",
}
_OF_THE_MACHINE = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EFBIG,
    errno.EMFILE,
    errno.EIO,
}


def is_of_the_machine(error: OSError) -> bool:
    """Return whether a failure is surely one of the machine, whoever met it, and none of ours."""
    return error.errno in _OF_THE_MACHINE


def explain_write_failure(place: str, error: OSError) -> ConfigError:
    """Return the message for a person whose folder can't be written."""
    advice = _ADVICE.get(error.errno or 0, str(error))
    return ConfigError(f"{place}: {advice}")


class Folder:
    """A folder, local or remote.

    Args:
        root: an fsspec URL or path; made when something is first written.

    Raises:
        ConfigError: no file system answers to that URL.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        try:
            self._fs, self._path = url_to_fs(root)
        except (ValueError, ImportError) as error:
            raise ConfigError(f"folder {root!r}: {error}") from error
        self._local = isinstance(self._fs, LocalFileSystem)

    def _place(self, name: str) -> str:
        return posixpath.join(self._path, name)

    def read(self, name: str) -> bytes | None:
        """Return the file's bytes, or None when there's no such file."""
        try:
            return bytes(self._fs.cat_file(self._place(name)))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, name: str, data: bytes) -> None:
        """Write the file under a temporary name and rename it; an older file is replaced.

        Raises:
            ConfigError: the folder can't be written (full, read-only, not allowed).
        """
        place = self._place(name)
        part = f"{place}.{uuid.uuid4().hex}.part"
        try:
            self._fs.makedirs(posixpath.dirname(place), exist_ok=True)
            self._fs.pipe_file(part, data)
            if self._local:
                Path(part).replace(place)
            else:
                self._fs.mv(part, place)
        except OSError as error:
            if self._local:
                with suppress(OSError):
                    Path(part).unlink()
            raise explain_write_failure(self.root, error) from error

    def names(self, under: str = "") -> tuple[str, ...]:
        """Return the names of all files below a sub-folder, relative to the root, sorted."""
        place = self._place(under) if under else self._path
        try:
            found = self._fs.find(place)
        except FileNotFoundError:
            return ()
        return tuple(sorted(posixpath.relpath(name, self._path) for name in found))

    def remove(self, name: str) -> None:
        """Remove the file; it may be absent already."""
        try:
            self._fs.rm_file(self._place(name))
        except FileNotFoundError:
            return
