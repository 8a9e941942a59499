"""What a machine says on its console, drained by a thread; only the end is kept. Method: own."""

import os
import threading
from contextlib import suppress

_TAIL = 16384
_SHOWN = 600


class Console:
    """The reading end of a machine's output."""

    def __init__(self) -> None:
        self._tail = bytearray()
        self._ended = threading.Event()
        self._reader, self.writer = os.pipe2(os.O_CLOEXEC)
        """``writer`` is for the machine's process; `hand_over` closes ours."""

    def hand_over(self) -> None:
        """Close our writing end, now that the process has its own or couldn't be started, and listen to the end."""
        os.close(self.writer)
        threading.Thread(target=self._listen, name="guest-console", daemon=True).start()

    def last_words(self) -> str:
        """Return the end of what was said."""
        return bytes(self._tail[-_SHOWN:]).decode(errors="replace").strip()

    def has_ended(self, *, wait_s: float) -> bool:
        """Return whether nothing more can be said, waiting so long for it."""
        return self._ended.wait(wait_s)

    def _listen(self) -> None:
        with suppress(OSError):
            while piece := os.read(self._reader, _TAIL):
                self._tail = (self._tail + piece)[-_TAIL:]
        os.close(self._reader)
        self._ended.set()
