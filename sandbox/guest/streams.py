"""The streams over which the agent can be reached: a virtio serial port, a vsock port, or its standard input.

Method: own.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import ConfigError

_ABSENT_S = 0.05
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One connection to the host."""

    read: Callable[[int], bytes]
    """Returns exactly so many bytes, or fewer at the end of the stream."""
    write: Callable[[bytes], None]
    """Writes all the bytes."""


def open_streams(spec: str) -> Iterator[Stream]:
    """Yield the host's connections, one after another.

    Args:
        spec: ``port:NAME`` for the virtio serial port of that name, ``vsock:NUMBER`` for a vsock port that is listened
            at, ``stdio`` for standard input and output.

    Raises:
        ConfigError: another word.
    """
    kind, _, name = spec.partition(":")
    if kind == "port":
        device = os.open(_find_port(name), os.O_RDWR | os.O_CLOEXEC)
        yield _make_stream(device, device, is_lasting=True)
    elif kind == "vsock":
        yield from _listen(int(name))
    elif kind == "stdio":
        reader, writer = os.dup(0), os.dup(1)
        os.dup2(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), 0)
        os.dup2(2, 1)
        yield _make_stream(reader, writer)
    else:
        raise ConfigError(f"unknown stream {spec!r}; known: port:NAME, vsock:NUMBER, stdio")


def _find_port(name: str) -> str:
    """Return the device of a named virtio serial port."""
    for label in sorted(Path("/sys/class/virtio-ports").glob("*/name")):
        if label.read_text(encoding="ascii").strip() == name:
            return f"/dev/{label.parent.name}"
    raise ConfigError(f"this machine has no virtio serial port called {name!r}")


def _listen(port: int) -> Iterator[Stream]:
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as listener:
        listener.bind((socket.VMADDR_CID_ANY, port))
        listener.listen(1)
        while True:
            connection, _ = listener.accept()
            with connection:
                yield _make_stream(connection.fileno(), connection.fileno())


def _make_stream(reader: int, writer: int, *, is_lasting: bool = False) -> Stream:
    """Return the stream of two descriptors.

    Args:
        is_lasting: whether an empty read means that the host isn't there at the moment, not that the stream is over.
    """

    def read(size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = os.read(reader, min(size - len(data), _CHUNK))
            data += piece
            if not piece and not is_lasting:
                break
            if not piece:
                time.sleep(_ABSENT_S)
        return bytes(data)

    def write(data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(writer, left) :]

    return Stream(read=read, write=write)
