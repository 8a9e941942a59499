"""The worker processes of a run: each keeps its provers and repositories open between records.

Behind the mutate and the prove stage. Code under test never runs in them, only in the sandboxes that they open. They
are forked from a clean server that has imported what they need, and end when the run that started them is gone, even
killed. Method: own.
"""

import multiprocessing
import os
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache

from schemas.candidate import Candidate
from schemas.proven import Proven
from schemas.rejection import Rejection
from transforms.context import RunContext
from transforms.proposals import propose
from transforms.provers import Provers
from transforms.workshops import Workshops

_WATCH_S = 1.0


class _Desk:
    """What one worker process keeps open."""

    def __init__(self, context: RunContext) -> None:
        self.context = context
        self.workshops = Workshops(context)
        self.provers = Provers(context, self.workshops)


_desks: list[_Desk] = []
"""The desk of this worker process; empty elsewhere."""


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_S)
    os._exit(1)


def _start(context: RunContext) -> None:
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    _desks.append(_Desk(context))


def prove_in_worker(candidate: Candidate) -> Proven | Rejection:
    """Return the proven task or why it is none; runs in a worker process."""
    return _desks[0].provers.prove(candidate)


def propose_in_worker(name: str) -> tuple[Candidate | Rejection, ...]:
    """Return the candidates of a repository source; runs in a worker process."""
    desk = _desks[0]
    results: Iterable[Candidate | Rejection] = propose(desk.context, desk.workshops, name)
    return tuple(results)


@lru_cache(maxsize=1)
def share_pool(context: RunContext) -> ProcessPoolExecutor:
    """Return the worker processes that all steps of this process share."""
    method = multiprocessing.get_context("forkserver")
    method.set_forkserver_preload([__name__])
    return ProcessPoolExecutor(context.workers, mp_context=method, initializer=_start, initargs=(context,))
