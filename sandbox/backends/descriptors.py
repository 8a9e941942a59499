"""File descriptors that are closed together, whatever happens between.

A sandbox start opens up to ten of them, and one forgotten per run would end a long pipeline. Method: own.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from sandbox.closing import Closing

_SEALED = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


class Descriptors(Closing):
    """A group of open descriptors; leaving the block or `close` closes those not closed before."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._open))

    def open(self, path: Path | str, flags: int, *, at: int | None = None) -> int:
        """Return a descriptor for a path, relative to the folder ``at`` if given.

        Raises:
            OSError: it can't be opened.
        """
        return self.adopt(os.open(path, flags | os.O_CLOEXEC, dir_fd=at))

    def pipe(self) -> tuple[int, int]:
        """Return the reading and the writing end of a new pipe."""
        reader, writer = os.pipe2(os.O_CLOEXEC)
        return self.adopt(reader), self.adopt(writer)

    def hold(self, name: str, content: bytes) -> int:
        """Return a descriptor that reads the content from its start; nobody can write to it any more."""
        memory = self.adopt(os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
        left = memoryview(content)
        while left:
            left = left[os.write(memory, left) :]
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, _SEALED)
        reader = self.open(f"/proc/self/fd/{memory}", os.O_RDONLY)
        self.drop(memory)
        return reader

    def adopt(self, descriptor: int) -> int:
        """Take over a descriptor and return it."""
        self._open.add(descriptor)
        return descriptor

    def release(self, descriptor: int) -> int:
        """Give one of the group away, still open, and return it."""
        self._open.discard(descriptor)
        return descriptor

    def drop(self, descriptor: int) -> None:
        """Close one of the group, if it is still open."""
        if descriptor in self._open:
            self._open.discard(descriptor)
            os.close(descriptor)

    def close(self) -> None:
        """Close all that is open; idempotent."""
        while self._open:
            with suppress(OSError):
                os.close(self._open.pop())


def write_all(descriptor: int, data: bytes, await_room: Callable[[], None]) -> None:
    """Write all the bytes to a descriptor that doesn't block.

    Args:
        await_room: waits until the other end has read something, or raises what the caller makes of a deaf one.

    Raises:
        OSError: the other end is closed.
    """
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:
            await_room()
