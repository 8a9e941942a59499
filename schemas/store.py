"""What must survive a crash: a content-addressed store on any fsspec path.

Model replies and proofs lie here, keyed by everything that determines them, so a second run recomputes nothing that
the first one finished. A value is written to a temporary name and renamed: a reader sees it whole or not at all.
Method: own; layout after git's object folder.
"""

import posixpath
import uuid
from pathlib import Path

from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from schemas.canonical import canonical_json, digest_text
from schemas.errors import ConfigError


class ContentStore:
    """Bytes under a kind and a key on a local or remote folder.

    Args:
        root: an fsspec URL or path. It's made when something is first written.

    Raises:
        ConfigError: no file system answers to that URL.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        try:
            self._fs, self._path = url_to_fs(root)
        except (ValueError, ImportError) as error:
            raise ConfigError(f"store {root!r}: {error}") from error
        self._local = isinstance(self._fs, LocalFileSystem)

    @staticmethod
    def key_of(*parts: object) -> str:
        """Return the key of whatever determines a value: strings, numbers, plain JSON data."""
        return digest_text(canonical_json(list(parts)))

    def _place(self, kind: str, key: str) -> str:
        return posixpath.join(self._path, kind, key[:2], key)

    def get(self, kind: str, key: str) -> bytes | None:
        """Return the value, or None when nothing was stored."""
        try:
            data = self._fs.cat_file(self._place(kind, key))
        except FileNotFoundError:
            return None
        return bytes(data)

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Store the value; storing the same key again is harmless.

        Raises:
            ConfigError: the folder can't be written (read-only, full).
        """
        place = self._place(kind, key)
        part = f"{place}.{uuid.uuid4().hex}.part"
        try:
            self._fs.makedirs(posixpath.dirname(place), exist_ok=True)
            self._fs.pipe_file(part, value)
            if self._local:
                Path(part).replace(place)
            else:
                self._fs.mv(part, place)
        except OSError as error:
            raise ConfigError(f"store {self.root!r} can't be written: {error}") from error
