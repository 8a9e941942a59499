"""Gives every proven record its difficulty and curriculum phase.

After hardening, before dedup. Nothing is refused here. Method: own; transforms/curation/difficulty.py.
"""

import apache_beam as beam

from schemas.contamination import ContaminationRecord
from schemas.proven import Proven
from schemas.task import Scored
from transforms.curation.difficulty import score_difficulty


def score(item: tuple[Proven, tuple[ContaminationRecord, ...]]) -> Scored:
    """Return the record with its structural difficulty."""
    proven, contamination = item
    return Scored(proven=proven, contamination=contamination, difficulty=score_difficulty(proven))


class ScoreDifficulty(beam.PTransform):
    """Proven records with their contamination evidence to scored ones."""

    def expand(self, proven: beam.PCollection) -> beam.PCollection:
        """Return the scored records."""
        return proven | "Score each" >> beam.Map(score)
