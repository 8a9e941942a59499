"""How fast an endpoint is asked: a gate whose width follows the endpoint's complaints, and a circuit breaker.

Used by the live client only. Method: additive increase, multiplicative decrease (Chiu and Jain 1989) on HTTP 429;
the breaker opens after a run of failed requests and lets one through after a pause.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from schemas.errors import ModelError


class AdaptiveGate:
    """Lets at most a varying number of requests be under way.

    Args:
        widest: requests at once when nobody complains.
    """

    def __init__(self, widest: int) -> None:
        self._widest = widest
        self._width = float(widest)
        self._inside = 0
        self._epoch = 0
        self._changed = threading.Condition()

    @property
    def width(self) -> int:
        """Requests that may be under way now."""
        return max(1, int(self._width))

    @contextmanager
    def enter(self) -> Iterator[int]:
        """Wait for a place and hold it; gives the epoch, which `narrow` wants to know."""
        with self._changed:
            self._changed.wait_for(lambda: self._inside < self.width)
            self._inside += 1
            epoch = self._epoch
        try:
            yield epoch
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def narrow(self, epoch: int) -> None:
        """Halve the width: the endpoint said that this is too fast.

        Args:
            epoch: when the complaining request entered. Requests that entered together count as one complaint.
        """
        with self._changed:
            if epoch == self._epoch:
                self._width = max(1.0, self._width / 2)
                self._epoch += 1

    def widen(self) -> None:
        """Widen by one place per full width of answered requests."""
        with self._changed:
            self._width = min(float(self._widest), self._width + 1 / self._width)
            self._changed.notify_all()


class CircuitBreaker:
    """Stops asking an endpoint that has failed many requests in a row.

    Args:
        threshold: failed requests in a row that open it.
        cooldown_s: seconds after which one request may try again.
    """

    def __init__(self, *, threshold: int, cooldown_s: float) -> None:
        self._threshold = threshold
        self._cooldown_s = cooldown_s
        self._failures = 0
        self._last_words = ""
        self._next_try = 0.0
        self._lock = threading.Lock()

    def check(self) -> None:
        """Pass while the endpoint is thought alive.

        Raises:
            ModelError: ``endpoint_down``, retriable.
        """
        with self._lock:
            if self._failures < self._threshold:
                return
            now = time.monotonic()
            if now >= self._next_try:
                self._next_try = now + self._cooldown_s
                return
        raise ModelError(
            f"the endpoint failed {self._failures} requests in a row and isn't asked for {self._cooldown_s:g} s; "
            f"last: {self._last_words}",
            reason="endpoint_down",
            retriable=True,
        )

    def note_success(self) -> None:
        """Close the breaker."""
        with self._lock:
            self._failures = 0

    def note_failure(self, words: str) -> None:
        """Count one request that failed for good."""
        with self._lock:
            self._failures += 1
            self._last_words = words
            if self._failures >= self._threshold:
                self._next_try = time.monotonic() + self._cooldown_s
