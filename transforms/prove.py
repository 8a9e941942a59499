"""Proves and hardens what was screened, several records at once, each in sandboxes of its own.

After screening, before scoring; the only stage that runs foreign code, and never in the worker's own process. A proof
that an earlier run finished is taken from the store. Method: own; see sandbox/proving.py and its neighbours.
"""

from concurrent.futures import Future

import apache_beam as beam

from schemas.rejection import Rejection
from schemas.screened import Screened
from transforms.context import RunContext
from transforms.pooled import REJECTED, PooledDoFn
from transforms.staging import SpreadByKey, Staged
from transforms.workers import ProvenItem, prove_in_worker, share_pool

STEP = "prove"


class _Prove(PooledDoFn[Screened, ProvenItem]):
    def __init__(self, context: RunContext) -> None:
        super().__init__(STEP, workers=context.workers, heartbeat=context.heartbeat)
        self._context = context

    def submit(self, element: Screened) -> Future[tuple[ProvenItem | Rejection, ...]]:
        return share_pool(self._context).submit(prove_in_worker, element)


class ProveCandidates(beam.PTransform):
    """Screened candidates to proven records with their contamination evidence, and rejections."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, screened: beam.PCollection) -> Staged:
        """Return the proven records and the refusals of both proving and hardening."""
        proven = (
            screened
            | "Key by id" >> beam.Map(lambda item: (item.candidate.record_id, item))
            | "Spread" >> SpreadByKey(STEP, self._context.heartbeat)
            | "Prove each" >> beam.ParDo(_Prove(self._context)).with_outputs(REJECTED, main="kept")
        )
        return Staged(proven["kept"], proven[REJECTED])
