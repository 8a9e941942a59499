"""What clients have sent for their jobs, kept by content: folders that are mounted, and large files.

So a tree or an environment crosses once, whoever needs it. Kept up to a number of bytes; what is in use stays, and of
the rest what was used longest ago goes first. Every unpacking has a place of its own, so a warm sandbox never sees a
folder that was removed and came again. Method: own.
"""

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from sandbox.backends.leftovers import make_folder, remove_folder
from sandbox.closing import Closing
from sandbox.server.unpacking import unpack_strictly
from schemas.errors import ConfigError, SandboxError

_KEY = re.compile(r"(tree|file)-[0-9a-f]{64}")
_CONTENT = "tree"


@dataclass(slots=True)
class _Entry:
    folder: Path
    taken: int
    users: int = 0


class ContentStore(Closing):
    """Contents by key: ``tree-`` or ``file-`` and the SHA-256 of the archive or the file. Safe from several threads.

    Args:
        most_bytes: of all contents together.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._places = count()
        self._folder: Path | None = None
        self._taken = 0

    def take(self, key: str) -> Path | None:
        """Return where a content lies, for use until `give_back`; ``None`` when it isn't there."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            entry.users += 1
            return entry.folder / _CONTENT

    def give_back(self, key: str) -> None:
        """Say that a content that was taken is no longer in use."""
        with self._lock:
            if key in self._entries:
                self._entries[key].users -= 1

    def receive(self, key: str, size: int) -> "Upload":
        """Return what takes in a content of that many bytes.

        Raises:
            ConfigError: it will never fit.
            SandboxError: it doesn't fit beside what is in use, or the key is none.
        """
        if not _KEY.fullmatch(key) or size < 1:
            raise SandboxError(f"{key[:100]!r} of {size:,} bytes is no content of ours")
        if size > self._most_bytes:
            raise ConfigError(
                f"a content of {size:,} bytes is over the {self._most_bytes:,} that the service keeps; it can be "
                "started with a larger --cache-mb"
            )
        with self._lock:
            self._make_room(size)
            self._taken += size
            return Upload(self, key, size, self._make_place())

    def enter(self, upload: "Upload", taken: int) -> None:
        """Take over what an upload has laid out; the first of two equal ones stays. Used by `Upload`."""
        with self._lock:
            self._taken -= upload.size
            if upload.key in self._entries or self._folder is None:
                remove_folder(upload.folder)
                return
            self._entries[upload.key] = _Entry(upload.folder, taken)
            self._taken += taken

    def drop(self, upload: "Upload") -> None:
        """Forget an upload. Used by `Upload`."""
        with self._lock:
            self._taken -= upload.size
        remove_folder(upload.folder)

    def close(self) -> None:
        """Remove everything; idempotent."""
        with self._lock:
            folder, self._folder = self._folder, None
            self._entries.clear()
            self._taken = 0
        if folder is not None:
            remove_folder(folder)

    def _make_place(self) -> Path:
        if self._folder is None:
            self._folder = make_folder()
            self._folder.chmod(0o711)
        place = self._folder / str(next(self._places))
        place.mkdir(mode=0o755)
        return place

    def _make_room(self, size: int) -> None:
        idle = [key for key, entry in self._entries.items() if entry.users == 0]
        for key in idle:
            if self._taken + size <= self._most_bytes:
                return
            entry = self._entries.pop(key)
            self._taken -= entry.taken
            remove_folder(entry.folder)
        if self._taken + size > self._most_bytes:
            raise SandboxError(f"the service has no room for {size:,} bytes beside the contents in use")


class Upload:
    """A content on its way in, piece by piece.

    Args:
        folder: an empty one for it alone.
    """

    def __init__(self, store: ContentStore, key: str, size: int, folder: Path) -> None:
        self._store, self.key, self.size, self.folder = store, key, size, folder
        self._hash = hashlib.sha256()
        self._came = 0
        self._part = folder / "part"
        self._file = self._part.open("xb")

    @property
    def is_complete(self) -> bool:
        """Whether all the bytes are there."""
        return self._came == self.size

    def add(self, offset: int, piece: bytes) -> None:
        """Append a piece.

        Raises:
            SandboxError: it isn't the next one, or too long, or can't be written.
        """
        if offset != self._came or offset + len(piece) > self.size:
            raise SandboxError(f"a piece of {len(piece):,} bytes at {offset:,} isn't the next one of {self.key}")
        try:
            self._file.write(piece)
        except OSError as error:
            raise SandboxError(f"{self.key} can't be kept: {error}") from error
        self._hash.update(piece)
        self._came += len(piece)

    def finish(self) -> None:
        """Lay the content out and enter it into the store.

        Raises:
            SandboxError: it doesn't have its digest, or is no archive of ours.
        """
        kind, _, digest = self.key.partition("-")
        try:
            self._file.close()
            if self._hash.hexdigest() != digest:
                raise SandboxError(f"what came as {self.key} has another digest")
            if kind == "tree":
                taken = unpack_strictly(self._part, self.folder)
                self._part.unlink()
            else:
                self._part.rename(self.folder / _CONTENT)
                taken = self.size
        except OSError as error:
            self.abandon()
            raise SandboxError(f"{self.key} can't be kept: {error}") from error
        except SandboxError:
            self.abandon()
            raise
        self._store.enter(self, taken)

    def abandon(self) -> None:
        """Forget what came."""
        self._file.close()
        self._store.drop(self)
