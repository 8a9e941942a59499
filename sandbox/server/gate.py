"""Admission: so many requests at work, so many waiting, and a clear answer to all others. Method: own."""

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_REMEMBERED = 50


class BusyError(Exception):
    """A request was turned away: the queue is full, or its turn didn't come in time."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"too many requests; try again in {retry_after_s} s")
        self.retry_after_s = retry_after_s


class Gate:
    """Lets requests through in the order in which they came; belongs to one event loop.

    Args:
        concurrency: requests at work at once.
        waiting: requests that may wait.
        wait_s: seconds that one may wait.
    """

    def __init__(self, *, concurrency: int, waiting: int, wait_s: float) -> None:
        self._concurrency, self._most_waiting, self._wait_s = concurrency, waiting, wait_s
        self._turns = asyncio.Semaphore(concurrency)
        self._durations: deque[float] = deque(maxlen=_REMEMBERED)
        self.waiting = 0
        """Requests that wait now."""
        self.working = 0
        """Requests at work now."""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and hold it.

        Raises:
            BusyError: the queue is full, or the turn didn't come in time.
        """
        if self.waiting >= self._most_waiting and self._turns.locked():
            raise BusyError(self._guess_wait())
        self.waiting += 1
        try:
            async with asyncio.timeout(self._wait_s):
                await self._turns.acquire()
        except TimeoutError:
            raise BusyError(self._guess_wait()) from None
        finally:
            self.waiting -= 1
        self.working += 1
        start = time.monotonic()
        try:
            yield
        finally:
            self._durations.append(time.monotonic() - start)
            self.working -= 1
            self._turns.release()

    def _guess_wait(self) -> int:
        """Return after how many whole seconds, 1 to 60, the queue has probably moved on."""
        usual = sum(self._durations) / len(self._durations) if self._durations else 1.0
        return min(60, max(1, math.ceil(usual * self.waiting / self._concurrency)))
