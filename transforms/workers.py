"""The worker processes of a run: each keeps its provers and repositories open between records.

Behind the mutate and the prove stage. Code under test never runs in them, only in the sandboxes that they open. They
are forked from a clean server that has imported what they need (Beam isn't among it), and end when the run that started
them is gone, even killed. Method: own.
"""

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import cache
from multiprocessing.connection import wait
from multiprocessing.util import Finalize

from schemas.candidate import Candidate
from schemas.contamination import ContaminationRecord
from schemas.proven import Proven
from schemas.rejection import Rejection, Stage, reject_candidate
from schemas.screened import Screened
from transforms.containment import INTERNAL_ERROR, contain, log_bugs
from transforms.context import RunContext
from transforms.proposals import propose, reject_repository
from transforms.provers import Provers
from transforms.workshops import Workshops

ProvenItem = tuple[Proven, tuple[ContaminationRecord, ...]]
_contexts: list[RunContext] = []
"""What this worker process works for; empty elsewhere."""
_pools: dict[RunContext, ProcessPoolExecutor] = {}
_opening = threading.Lock()


class _Desk:
    """What one worker process keeps open."""

    def __init__(self, context: RunContext) -> None:
        self.context = context
        self.workshops = Workshops(context)
        self.provers = Provers(context, self.workshops)


@cache
def _desk() -> _Desk:
    """Return the desk of this worker process, made for its first record so that what can't be opened is told."""
    return _Desk(_contexts[0])


def _leave_with_the_run() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _start(context: RunContext) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the run itself ends its workers
    threading.Thread(target=_leave_with_the_run, daemon=True).start()
    # A child of multiprocessing ends without atexit's functions, and so would leave the folders of its sandboxes.
    Finalize(None, atexit._run_exitfuncs, exitpriority=0)  # noqa: SLF001
    log_bugs(context.bug_log)
    _contexts.append(context)


def prove_in_worker(screened: Screened) -> tuple[ProvenItem | Rejection, ...]:
    """Return the proven task with its contamination evidence, or why it is none; runs in a worker process."""
    desk, candidate = _desk(), screened.candidate
    result = contain(
        candidate.record_id,
        lambda: desk.provers.prove(candidate),
        lambda detail: reject_candidate(candidate, Stage.PROVE, INTERNAL_ERROR, detail, retriable=True),
        desk.workshops.close,
    )
    return (result,) if isinstance(result, Rejection) else ((result, screened.contamination),)


def propose_in_worker(name: str) -> tuple[Candidate | Rejection, ...]:
    """Return the candidates of a repository source; runs in a worker process."""
    desk = _desk()
    results: Iterable[Candidate | Rejection] | Rejection = contain(
        name,
        lambda: tuple(propose(desk.context, desk.workshops, name)),
        lambda detail: reject_repository(name, INTERNAL_ERROR, detail, retriable=True),
        desk.workshops.close,
    )
    return (results,) if isinstance(results, Rejection) else tuple(results)


def share_pool(context: RunContext) -> ProcessPoolExecutor:
    """Return the worker processes that all steps of this process share."""
    with _opening:
        if context not in _pools:
            method = multiprocessing.get_context("forkserver")
            method.set_forkserver_preload([__name__])
            _pools[context] = ProcessPoolExecutor(
                context.workers, mp_context=method, initializer=_start, initargs=(context,)
            )
        return _pools[context]


def _take_pools() -> tuple[ProcessPoolExecutor, ...]:
    with _opening:
        pools = tuple(_pools.values())
        _pools.clear()
    return pools


def close_workers() -> None:
    """Wait until the worker processes of this process, which have nothing left to do, have tidied up and ended."""
    for pool in _take_pools():
        pool.shutdown()


def end_workers() -> None:
    """End the worker processes of this process at once, whatever they are doing; finished proofs are in the store."""
    for pool in _take_pools():
        pool.shutdown(wait=False, cancel_futures=True)
    for child in multiprocessing.active_children():
        with suppress(ProcessLookupError):
            child.kill()
