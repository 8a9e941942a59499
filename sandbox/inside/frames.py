"""Frames on the fork server's standard input and output: four bytes of length, JSON, and the blobs that it counts.

An answer's JSON has a tag before it where the trusted side has sent a key. Runs inside the sandbox. Imports the
standard library and the module beside it. Method: own.
"""

import json
import os
import struct
from typing import Any

from sandbox.inside.seal import Seal

SEAL = Seal()


def read_frame() -> tuple[dict[str, Any], list[bytes]] | None:
    """Return a request and its blobs, or None at the end of the input."""
    head = _read_exactly(4)
    if len(head) < 4:
        return None
    request = json.loads(_read_exactly(struct.unpack("!I", head)[0]))
    return request, [_read_exactly(size) for size in request["blobs"]]


def _read_exactly(size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(0, size - len(data))
        if not chunk:
            break
        data += chunk
    return bytes(data)


def write_frame(answer: dict[str, object], blobs: tuple[bytes, ...]) -> None:
    """Write an answer and its blobs whole."""
    header = json.dumps({**answer, "blobs": [len(blob) for blob in blobs]}).encode("ascii")
    data = memoryview(struct.pack("!I", len(header)) + SEAL.make_tag(header) + header + b"".join(blobs))
    while data:
        data = data[os.write(1, data) :]
