"""DoFns that do slow work on a pool and yield the results in the order of their elements.

Parallelism belongs to the pool and not to the runner, so one worker or four give the same output. Requests to models
wait on the network and take threads; proofs compute on both sides of the sandbox and take processes. Method: own.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeAlias, TypeVar

import apache_beam as beam
from apache_beam.metrics.metric import Metrics
from apache_beam.pvalue import TaggedOutput
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from schemas.rejection import Rejection
from transforms.containment import BugCounter
from transforms.progress import Heartbeat

REJECTED = "rejected"
Emitted: TypeAlias = Any
"""What a DoFn yields: an element, or a tagged output, whose types Beam can't tell apart."""
In = TypeVar("In")
Out = TypeVar("Out")


def _in_global_window(value: object) -> WindowedValue:
    return WindowedValue(value, MIN_TIMESTAMP, (GlobalWindow(),))


class PooledDoFn(beam.DoFn, Generic[In, Out]):
    """Base of the expensive steps; a subclass says how one element is handed to a pool.

    Results that are rejections go to the output tagged `REJECTED`, all others to the main output.

    Args:
        stage: the word that progress and counters use.
        workers: elements in work at once.
        heartbeat: where progress is told; None tells nobody.
    """

    def __init__(self, stage: str, *, workers: int, heartbeat: Heartbeat | None = None) -> None:
        self._stage = stage
        self._workers = workers
        self._heartbeat = heartbeat
        self._bugs = BugCounter()

    def submit(self, element: In) -> Future[tuple[Out | Rejection, ...]]:
        """Return the future results of one element."""
        raise NotImplementedError

    def start_bundle(self) -> None:
        """Begin with nothing pending."""
        self._pending: deque[Future[tuple[Out | Rejection, ...]]] = deque()

    def _tell(self, future: Future[tuple[Out | Rejection, ...]]) -> None:
        if self._heartbeat is not None and not future.cancelled() and future.exception() is None:
            rejected = sum(isinstance(result, Rejection) for result in future.result())
            self._heartbeat.beat(self._stage, done=1, rejected=rejected)

    def _count(self, result: Out | Rejection) -> None:
        name = f"rejected_{result.reason}" if isinstance(result, Rejection) else "kept"
        Metrics.counter(self._stage, name).inc()
        self._bugs.count(result)

    def _raise_failures(self) -> None:
        """Raise what any pending element has failed with, without waiting for those in front of it."""
        for future in self._pending:
            if future.done():
                future.result()

    def process(self, element: In) -> Iterator[Emitted]:
        """Hand the element to the pool and yield what has finished in front of it."""
        future = self.submit(element)
        future.add_done_callback(self._tell)
        self._pending.append(future)
        self._raise_failures()
        while self._pending and (self._pending[0].done() or len(self._pending) > 8 * self._workers):
            for result in self._pending.popleft().result():
                self._count(result)
                yield TaggedOutput(REJECTED, result) if isinstance(result, Rejection) else result

    def finish_bundle(self) -> Iterator[Emitted]:
        """Wait for the rest."""
        wait(self._pending, return_when=FIRST_EXCEPTION)
        self._raise_failures()
        while self._pending:
            for result in self._pending.popleft().result():
                self._count(result)
                value = _in_global_window(result)
                yield TaggedOutput(REJECTED, value) if isinstance(result, Rejection) else value
        if self._heartbeat is not None:
            self._heartbeat.flush()


class ThreadedDoFn(PooledDoFn[In, Out]):
    """Works on a pool of threads; a subclass says what becomes of one element."""

    def setup(self) -> None:
        """Start the pool."""
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix=self._stage)
        self.open()

    def teardown(self) -> None:
        """Stop the pool; only after a failure something is left in it, and nobody waits for that."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def open(self) -> None:
        """Make what all elements share; called once per instance."""

    def work(self, element: In) -> Iterable[Out | Rejection]:
        """Return what becomes of one element; called from several threads at once."""
        raise NotImplementedError

    def submit(self, element: In) -> Future[tuple[Out | Rejection, ...]]:
        """Return the future results of one element."""
        return self._pool.submit(lambda: tuple(self.work(element)))
