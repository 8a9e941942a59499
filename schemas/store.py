"""What must survive a crash: a content-addressed store on any fsspec path.

Model replies and proofs lie here, keyed by everything that determines them, so a second run recomputes nothing that
the first one finished. Method: own; the layout is that of git's object folder.
"""

from schemas.canonical import canonical_json, digest_text
from schemas.storage import Folder


class ContentStore:
    """Bytes under a kind and a key.

    Args:
        root: an fsspec URL or path; made when something is first written.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self._folder = Folder(root)

    @staticmethod
    def key_of(*parts: object) -> str:
        """Return the key of whatever determines a value: strings, numbers, plain JSON data."""
        return digest_text(canonical_json(list(parts)))

    def get(self, kind: str, key: str) -> bytes | None:
        """Return the value, or None when nothing was stored."""
        return self._folder.read(f"{kind}/{key[:2]}/{key}")

    def put(self, kind: str, key: str, value: bytes) -> None:
        """Store the value; storing the same key again is harmless.

        Raises:
            ConfigError: the folder can't be written (read-only, full).
        """
        self._folder.write(f"{kind}/{key[:2]}/{key}", value)
