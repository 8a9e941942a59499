"""Proves and hardens what was screened, several records at once, each in sandboxes of its own.

After screening, before scoring; the only stage that runs foreign code, and never in the worker's own process. A proof
that an earlier run finished is taken from the store. Method: own; see sandbox/proving.py and its neighbours.
"""

from collections.abc import Iterable

import apache_beam as beam

from schemas.contamination import ContaminationRecord
from schemas.proven import Proven
from schemas.rejection import Rejection
from schemas.screened import Screened
from transforms.context import RunContext
from transforms.pooled import REJECTED, PooledDoFn
from transforms.provers import Provers
from transforms.staging import SpreadByKey, Staged

STEP = "prove"
ProvenItem = tuple[Proven, tuple[ContaminationRecord, ...]]


class _Prove(PooledDoFn[Screened, ProvenItem]):
    def __init__(self, context: RunContext) -> None:
        super().__init__(STEP, workers=context.workers, heartbeat=context.heartbeat)
        self._context = context

    def open(self) -> None:
        self._provers = Provers(self._context)

    def close(self) -> None:
        self._provers.close()

    def work(self, element: Screened) -> Iterable[ProvenItem | Rejection]:
        result = self._provers.prove(element.candidate)
        return (result,) if isinstance(result, Rejection) else ((result, element.contamination),)


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
