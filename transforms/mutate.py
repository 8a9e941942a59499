"""Repositories to candidates, each of which is an edit that may break a healthy commit.

First stage of the road for repository tasks. Method: own; see transforms/proposals.py.
"""

from concurrent.futures import Future

import apache_beam as beam

from schemas.candidate import Candidate
from schemas.rejection import Rejection
from transforms.context import RunContext
from transforms.pooled import REJECTED, PooledDoFn
from transforms.staging import SpreadByKey, Staged
from transforms.workers import propose_in_worker, share_pool

STEP = "open repositories"


class _Propose(PooledDoFn[str, Candidate]):
    def __init__(self, context: RunContext) -> None:
        super().__init__(STEP, workers=context.workers, heartbeat=context.heartbeat)
        self._context = context

    def submit(self, element: str) -> Future[tuple[Candidate | Rejection, ...]]:
        return share_pool(self._context).submit(propose_in_worker, element)


class MutateRepositories(beam.PTransform):
    """Names of repository sources to candidates and rejections."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, names: beam.PCollection) -> Staged:
        """Return the proposed mutations, and a rejection per repository or group of its files that can't be used."""
        proposed = (
            names
            | "Key by name" >> beam.Map(lambda name: (name, name))
            | "Spread" >> SpreadByKey(STEP, self._context.heartbeat)
            | "Propose mutations" >> beam.ParDo(_Propose(self._context)).with_outputs(REJECTED, main="kept")
        )
        return Staged(proposed["kept"], proposed[REJECTED])
