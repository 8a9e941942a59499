"""Messages of a byte stream: a JSON header and blobs of bytes.

What travels between us and a sandbox elsewhere. A message is four bytes with the length of a JSON header, the header,
and blobs whose lengths the header lists. Whatever comes in is checked for size and type, since the other end may be
hostile. Method: own.
"""

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from schemas.errors import SandboxError

Json = dict[str, object]
"""A JSON object."""
_Kind = TypeVar("_Kind")
_LENGTH = struct.Struct("!I")
_MIB = 1024 * 1024
MAX_HEADER_BYTES = 16 * _MIB
MAX_MESSAGE_BYTES = 1024 * _MIB


@dataclass(slots=True)
class Message:
    """One message: a JSON object and the blobs that its values count by place."""

    header: Json
    blobs: list[bytes] = field(default_factory=list)

    def add(self, data: bytes) -> int:
        """Append a blob and return its place."""
        self.blobs.append(data)
        return len(self.blobs) - 1

    def blob(self, place: object) -> bytes:
        """Return the blob at a place that came in.

        Raises:
            SandboxError: there is none.
        """
        if type(place) is not int or not 0 <= place < len(self.blobs):
            raise SandboxError(f"a message counts {len(self.blobs)} blobs and names blob {place!r}")
        return self.blobs[place]

    def text(self, name: str) -> str:
        """Return a text of the header.

        Raises:
            SandboxError: it isn't there or is no text.
        """
        return expect(self.header.get(name), str, name)

    def number(self, name: str) -> int:
        """Return a whole number of the header.

        Raises:
            SandboxError: it isn't there or is no whole number.
        """
        return expect(self.header.get(name), int, name)

    def seconds(self, name: str) -> float:
        """Return a number of the header.

        Raises:
            SandboxError: it isn't there or is no number.
        """
        value = self.header.get(name)
        return float(value) if type(value) is int else expect(value, float, name)

    def part(self, name: str) -> Json:
        """Return an object within the header.

        Raises:
            SandboxError: it isn't there or is no object.
        """
        return expect(self.header.get(name), dict, name)

    def encode(self) -> bytes:
        """Return the bytes that go over the stream."""
        header = json.dumps({**self.header, "blobs": [len(blob) for blob in self.blobs]}).encode("ascii")
        return b"".join((_LENGTH.pack(len(header)), header, *self.blobs))


def read_message(read: Callable[[int], bytes], *, max_bytes: int = MAX_MESSAGE_BYTES) -> Message | None:
    """Return the next message of a stream; ``None`` at its end.

    Args:
        read: returns exactly so many bytes, or fewer at the end of the stream.
        max_bytes: of the blobs together; the header is capped at `MAX_HEADER_BYTES`.

    Raises:
        SandboxError: the stream ends within a message, or what comes is no message or too long.
    """
    head = read(_LENGTH.size)
    if not head:
        return None
    size = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else 0
    if not 0 < size <= MAX_HEADER_BYTES:
        raise SandboxError(f"a message header of {size:,} bytes isn't one of ours")
    header = _parse(_read_all(read, size))
    lengths = header.pop("blobs", None)
    if not isinstance(lengths, list) or not all(type(length) is int and length >= 0 for length in lengths):
        raise SandboxError("a message doesn't tell the lengths of its blobs")
    if sum(lengths) > max_bytes:
        raise SandboxError(f"a message of {sum(lengths):,} bytes is over the limit of {max_bytes:,}")
    return Message(header, [_read_all(read, length) for length in lengths])


def _read_all(read: Callable[[int], bytes], size: int) -> bytes:
    data = read(size) if size else b""
    if len(data) != size:
        raise SandboxError(f"the stream ended within a message, {size - len(data):,} bytes early")
    return data


def _parse(data: bytes) -> Json:
    try:
        header = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SandboxError(f"a message header is no JSON: {error}") from error
    return expect(header, dict, "header")


def decode_message(data: bytes, *, max_bytes: int = MAX_MESSAGE_BYTES) -> Message:
    """Return the one message that these bytes are.

    Raises:
        SandboxError: they aren't exactly one message.
    """
    view, at = memoryview(data), 0

    def read(size: int) -> bytes:
        nonlocal at
        piece = bytes(view[at : at + size])
        at += len(piece)
        return piece

    message = read_message(read, max_bytes=max_bytes)
    if message is None or at != len(data):
        raise SandboxError(f"{len(data):,} bytes aren't one message")
    return message


def expect(value: object, kind: type[_Kind], name: str) -> _Kind:
    """Return a value that came in, if it is of exactly that type.

    Raises:
        SandboxError: it isn't.
    """
    if type(value) is not kind:
        raise SandboxError(f"{name} of a message is {type(value).__name__}, not {kind.__name__}")
    return value
