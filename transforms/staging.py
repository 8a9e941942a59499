"""What all stages share: two outputs, a shuffle that is the same everywhere, and the counting of records.

A stage gives `Staged(kept, rejected)`. Work that fans out is spread by a hash of the record's id, never at random, so
bundles are the same on every runner. Method: own.
"""

from collections.abc import Iterable
from typing import NamedTuple

import apache_beam as beam

from schemas.canonical import bucket_of
from schemas.rejection import Rejection, Stage
from transforms.output.tally import OUT, READ, REJECTED, Tally
from transforms.pooled import Emitted
from transforms.progress import Heartbeat

_BUCKETS = 256


class Staged(NamedTuple):
    """The two outputs of a stage."""

    kept: beam.PCollection
    rejected: beam.PCollection


class TellProgress(beam.DoFn):
    """Passes elements on and tells the terminal what each of them means for a step.

    Args:
        stage: the step.
        heartbeat: where it is told.
        queued: 1 in front of the step.
        done: 1 behind it.
        rejected: 1 behind it, for elements that were refused.
    """

    def __init__(self, stage: str, heartbeat: Heartbeat, *, queued: int = 0, done: int = 0, rejected: int = 0) -> None:
        self._stage = stage
        self._heartbeat = heartbeat
        self._queued = queued
        self._done = done
        self._rejected = rejected

    def process(self, element: object) -> Iterable[Emitted]:
        """Yield the element."""
        self._heartbeat.beat(self._stage, queued=self._queued, done=self._done, rejected=self._rejected)
        yield element

    def finish_bundle(self) -> None:
        """Say what hasn't been said."""
        self._heartbeat.flush()


class SpreadByKey(beam.PTransform):
    """Spreads ``(id, element)`` pairs over workers by a hash of the id and gives the elements back, sorted by id.

    Args:
        stage: the step in front of which the elements wait.
        heartbeat: where the number of waiting elements is told.
    """

    def __init__(self, stage: str, heartbeat: Heartbeat) -> None:
        super().__init__()
        self._stage = stage
        self._heartbeat = heartbeat

    def expand(self, pairs: beam.PCollection) -> beam.PCollection:
        """Return the elements, shuffled."""
        return (
            pairs
            | "Count what waits" >> beam.ParDo(TellProgress(self._stage, self._heartbeat, queued=1))
            | "Key by bucket" >> beam.Map(lambda pair: (bucket_of(pair[0], _BUCKETS), pair))
            | "Shuffle" >> beam.GroupByKey()
            | "In order of id" >> beam.FlatMap(lambda group: [v for _, v in sorted(group[1], key=lambda p: p[0])])
        )


def tally_out(stage: Stage, sources: beam.PCollection) -> beam.PCollection:
    """Return one tally per record that left a stage; `sources` holds the name of each record's source."""
    return sources | f"Tally what left {stage.value}" >> beam.Map(
        lambda source: Tally(source=source, stage=stage.value, outcome=OUT)
    )


def tally_read(sources: beam.PCollection) -> beam.PCollection:
    """Return one tally per record that was read; `sources` holds the name of each record's source."""
    return sources | "Tally what was read" >> beam.Map(
        lambda source: Tally(source=source, stage=Stage.INGEST.value, outcome=READ)
    )


def tally_rejection(rejection: Rejection) -> Tally:
    """Return what one rejection counts as."""
    return Tally(source=rejection.source, stage=rejection.stage.value, outcome=REJECTED, reason=rejection.reason)
