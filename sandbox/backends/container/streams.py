"""Takes an engine's mixed stream apart: frames of eight bytes of head (which stream, how long) and their content.

Method: own, after the engine API's description of "attach".
"""

import os

from sandbox.backends.conversation import Ear

_HEAD = 8
_STDERR = 2
_READ = 65536


class FrameReader:
    """Reads one descriptor with both output streams on it.

    Args:
        descriptor: doesn't block.
        ear: where the content goes.
    """

    def __init__(self, descriptor: int, ear: Ear) -> None:
        self._descriptor = descriptor
        self._ear = ear
        self._head = bytearray()
        self._left = 0
        self._is_error = False

    def pull(self) -> bool:
        """Read once and return False at the end of the stream."""
        try:
            piece = os.read(self._descriptor, _READ)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.feed(piece)
        return bool(piece)

    def feed(self, piece: bytes) -> None:
        """Take in the next piece of the stream, however it is cut."""
        view = memoryview(piece)
        while view:
            if not self._left:
                taken = _HEAD - len(self._head)
                self._head += view[:taken]
                view = view[taken:]
                if len(self._head) < _HEAD:
                    return
                self._left = int.from_bytes(self._head[4:], "big")
                self._is_error = self._head[0] == _STDERR
                self._head.clear()
                continue
            content, view = view[: self._left], view[self._left :]
            self._left -= len(content)
            if self._is_error:
                self._ear.hear_error(bytes(content))
            else:
                self._ear.stdout += content
