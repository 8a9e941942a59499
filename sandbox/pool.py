"""Warm sandboxes: a backend that keeps a few conversations started, so that nobody waits for the next one to start.

Wraps any backend and is one itself. A conversation that has been used is thrown away and another one is started in its
place: nothing of one solution is there for the next. What has been asked for before is kept ready, by job and program;
the jobs not asked for longest lose their places first. A forked child begins with empty shelves of its own: what its
parent keeps is spoken to over descriptors that both hold. Method: own; costs in docs/serving.md.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from sandbox.base import Backend, Capability, Channel, Job, Outcome, Run, Session, State
from sandbox.closing import Closing
from sandbox.once import once_per_process
from schemas.errors import SandboxError

_DIED = {State.RE, State.INFRA}
"""Ends of a fork server that no program can bring about: it was killed from outside, or its sandbox broke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCounts:
    """What a pool has done since it was made."""

    ready: int
    """Conversations that are started and waiting now."""
    hits: int
    """Conversations that were there when they were asked for."""
    misses: int
    failures: int
    """Starts ahead of time that failed; the sandbox then starts when it is asked for, and says why if it can't."""


@dataclass(slots=True)
class _Shelf:
    """What is kept ready for one job and program."""

    job: Job
    run: Run
    ready: deque[tuple[Session, Channel]] = field(default_factory=deque)
    starting: int = 0


class _Stock:
    """What a pool keeps and has counted in one process."""

    def __init__(self, starters: int) -> None:
        self.shelves: OrderedDict[Hashable, _Shelf] = OrderedDict()
        self.lock = threading.Lock()
        self.starters = ThreadPoolExecutor(starters, thread_name_prefix="warm-sandbox")
        self.hits = self.misses = self.failures = 0


class WarmBackend(Closing):
    """See `sandbox.base.Backend`; `close` ends what is kept ready.

    Args:
        inner: the backend that is kept warm.
        per_job: conversations kept ready for each job and program.
        jobs: how many jobs are kept ready.
        most: conversations kept ready for all jobs together; None bounds them by the other two alone.
        starters: how many are started ahead at once.
    """

    def __init__(
        self, inner: Backend, *, per_job: int = 2, jobs: int = 8, most: int | None = None, starters: int = 1
    ) -> None:
        self.name = inner.name
        self._inner = inner
        self._per_job, self._jobs = per_job, jobs
        self._most = per_job * jobs if most is None else most
        self._stock = once_per_process(lambda: _Stock(starters))
        self._is_closed = False

    def probe(self) -> Capability:
        """Return what the inner backend can do."""
        return self._inner.probe()

    def open(self, job: Job) -> "WarmSession":
        """Return a session that starts nothing before something is run in it.

        Raises:
            SandboxError: the pool is closed.
        """
        self._refuse_closed()
        return WarmSession(self, job)

    def counts(self) -> PoolCounts:
        """Return what there is and what has been done, in this process."""
        stock = self._stock()
        with stock.lock:
            ready = sum(len(shelf.ready) for shelf in stock.shelves.values())
            return PoolCounts(ready=ready, hits=stock.hits, misses=stock.misses, failures=stock.failures)

    def close(self) -> None:
        """Kill everything that is ready; idempotent. What has been taken belongs to who took it."""
        stock = self._stock()
        with stock.lock:
            self._is_closed = True
            shelves = list(stock.shelves.values())
            stock.shelves.clear()
        stock.starters.shutdown(wait=True, cancel_futures=True)
        for shelf in shelves:
            _end_all(shelf)

    def open_inner(self, job: Job) -> Session:
        """Return a session of the inner backend.

        Raises:
            SandboxError: the sandbox can't be set up.
        """
        return self._inner.open(job)

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise SandboxError("the pool of sandboxes is closed")

    def take(self, job: Job, run: Run) -> tuple[Session, Channel]:
        """Return a started conversation with its session, and have its place filled again.

        Raises:
            SandboxError: none was ready, and none can be started.
        """
        key, stock = _key_of(job, run), self._stock()
        with stock.lock:
            shelf = stock.shelves.pop(key, None) or _Shelf(job, run)
            stock.shelves[key] = shelf
            taken = shelf.ready.popleft() if shelf.ready else None
            stock.hits, stock.misses = stock.hits + (taken is not None), stock.misses + (taken is None)
            if not self._is_closed:
                wanted = max(0, self._per_job - len(shelf.ready) - shelf.starting)
                shelf.starting += wanted
                for _ in range(wanted):
                    stock.starters.submit(self._fill, stock, key, shelf)
            dropped = self._make_room(stock)
        for other in dropped:
            _end_all(other)
        return _start(self._inner, job, run) if taken is None else taken

    def _make_room(self, stock: _Stock) -> list[_Shelf]:
        """Return the shelves that go, those not asked for longest; the last one asked for stays."""
        dropped = []
        while len(stock.shelves) > 1 and (
            len(stock.shelves) > self._jobs
            or sum(len(shelf.ready) + shelf.starting for shelf in stock.shelves.values()) > self._most
        ):
            dropped.append(stock.shelves.popitem(last=False)[1])
        return dropped

    def distrust(self) -> None:
        """End all that is ready, since one was found dead: what has killed it may have killed others unseen."""
        stock = self._stock()
        with stock.lock:
            suspects = [_Shelf(shelf.job, shelf.run, deque(shelf.ready)) for shelf in stock.shelves.values()]
            for shelf in stock.shelves.values():
                shelf.ready.clear()
        for shelf in suspects:
            _end_all(shelf)

    def _fill(self, stock: _Stock, key: Hashable, shelf: _Shelf) -> None:
        """Start one conversation for a shelf, unless it is no longer wanted."""
        started, has_failed = None, True
        try:
            if stock.shelves.get(key) is shelf:
                started = _start(self._inner, shelf.job, shelf.run)
            has_failed = False
        except SandboxError:
            pass
        finally:  # also after an error of ours, or the place would never be filled again
            with stock.lock:
                shelf.starting -= 1
                stock.failures += has_failed
                is_wanted = stock.shelves.get(key) is shelf and not self._is_closed
                if started is not None and is_wanted:
                    shelf.ready.append(started)
                    started = None
        if started is not None:
            _end(started)


class WarmSession(Closing):
    """See `sandbox.base.Session`: the first conversations come from the pool, runs from a session of their own."""

    def __init__(self, pool: WarmBackend, job: Job) -> None:
        self._pool, self._job = pool, job
        self._taken: list[tuple[Session, Channel]] = []
        self._for_runs: Session | None = None
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def slowdown(self) -> float:
        """What time limits must be multiplied by."""
        return self._pool.probe().slowdown

    def run(self, run: Run) -> Outcome:
        """Return how a program ended; see `sandbox.base.Session.run`."""
        with self._lock:
            self._refuse_closed()
            if self._for_runs is None:
                self._for_runs = self._pool.open_inner(self._job)
            session = self._for_runs
        return session.run(run)

    def converse(self, run: Run) -> Channel:
        """Return a channel to a program, started before if possible; see `sandbox.base.Session.converse`."""
        self._refuse_closed()
        session, channel = self._pool.take(self._job, run)
        with self._lock:
            if not self._is_closed:
                self._taken.append((session, channel))
                return channel
        session.close()
        raise SandboxError("the session is closed")

    def close(self) -> None:
        """Kill everything inside; idempotent."""
        with self._lock:
            self._is_closed = True
            taken, self._taken = self._taken, []
            for_runs, self._for_runs = self._for_runs, None
        if any(channel.close().state in _DIED for _, channel in taken):
            self._pool.distrust()
        for session in (*(session for session, _ in taken), *filter(None, [for_runs])):
            session.close()

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise SandboxError("the session is closed")


def _key_of(job: Job, run: Run) -> Hashable:
    files = frozenset(job.files.items())
    return job.limits, files, job.mounts, frozenset(job.env.items()), job.language, run.argv, frozenset(run.env.items())


def _start(backend: Backend, job: Job, run: Run) -> tuple[Session, Channel]:
    session = backend.open(job)
    try:
        return session, session.converse(run)
    except BaseException:
        session.close()
        raise


def _end(started: tuple[Session, Channel]) -> None:
    """End a conversation that nobody has; what doesn't die is nothing to whoever asks for another one."""
    session, channel = started
    for part in (channel, session):
        with suppress(SandboxError):
            part.close()


def _end_all(shelf: _Shelf) -> None:
    while shelf.ready:
        _end(shelf.ready.popleft())
