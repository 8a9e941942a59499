"""How the fork server shows that an answer is its own, where a child can write to the server's output as well.

gVisor lets every program of the same user open the descriptors of process 1 through ``/proc``. So the trusted side
sends a key before there is any child, each child forgets it before it does anything else, and the header of every
answer has a tag that depends on the key and on how many answers there were. Used on both sides. Method: own; BLAKE2
with a key is in RFC 7693.
"""

import os
from _blake2 import blake2b  # not by way of hashlib, whose import takes a millisecond

KEY_SIZE = 32
TAG_SIZE = 16


class Seal:
    """A key and the number of tags that were made with it."""

    def __init__(self, key: bytes = b"") -> None:
        self._key = bytearray(key)
        self._count = 0

    @property
    def tag_size(self) -> int:
        """Bytes of every tag."""
        return TAG_SIZE if self._key else 0

    def receive(self, fd: int) -> None:
        """Take the key from a descriptor; no other copy of it is made."""
        self._key = bytearray(KEY_SIZE)
        room = memoryview(self._key)
        while room and (taken := os.readv(fd, [room])):
            room = room[taken:]

    def forget(self) -> None:
        """Overwrite the key."""
        for index in range(len(self._key)):
            self._key[index] = 0

    def make_tag(self, header: bytes) -> bytes:
        """Return the tag of the next header; empty without a key."""
        if not self._key:
            return b""
        self._count += 1
        return blake2b(self._count.to_bytes(8, "big") + header, digest_size=TAG_SIZE, key=self._key).digest()
