"""Brings the emitted rows to the target shares, and gives every row its family and split.

Last decision before writing. Only ids, families and sources meet in one place; records are joined back by id. Nothing
is refused here: a row that the mixture leaves out is held out, and its proof is kept. Method: own; see
transforms/curation/mixture.py and splits.py.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from schemas.config import Config
from schemas.source import BUCKET_OF_KIND
from schemas.task import Scored, Split, Task
from transforms.curation.mixture import MixtureEntry, MixtureReport, plan_mixture
from transforms.curation.splits import SplitEntry, assign_splits
from transforms.output.manifest import MixtureLine
from transforms.pooled import Emitted

_REPORT = "report"


class Mixed(NamedTuple):
    """The outputs of the mix stage."""

    tasks: beam.PCollection
    report: beam.PCollection
    """One plain JSON object per part of the mixture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the mixture says about one record."""

    family_id: str
    split: Split
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MixEntry:
    """What the mixture needs to know of one record."""

    mixture: MixtureEntry
    family: SplitEntry


def describe_record(scored: Scored) -> MixEntry:
    """Return what the mixture needs to know."""
    candidate = scored.proven.candidate
    bucket = BUCKET_OF_KIND[candidate.source.kind]
    mixture = MixtureEntry(record_id=candidate.record_id, bucket=bucket, source=candidate.source.source)
    return MixEntry(mixture=mixture, family=SplitEntry.of(candidate))


def describe_report(line: MixtureReport) -> MixtureLine:
    """Return one part of the mixture as the manifest has it."""
    return {
        "bucket": line.bucket.value,
        "available": line.available,
        "target": line.target_share,
        "emitted": line.emitted,
        "share": line.actual_share,
        "weighted_share": line.weighted_share,
        "weight": line.weight,
        "held_out": dict(line.held_out),
        "note": line.note,
    }


class _Decide(beam.DoFn):
    def __init__(self, config: Config) -> None:
        self._config = config

    def process(self, group: tuple[None, Iterable[MixEntry]]) -> Iterator[Emitted]:
        config = self._config
        entries = list(group[1])
        plan = plan_mixture([entry.mixture for entry in entries], config.mixture, config.seed)
        yield from (TaggedOutput(_REPORT, describe_report(line)) for line in plan.report)
        held = {row.record_id for row in plan.held_out}
        families = [entry.family for entry in entries]
        splits = assign_splits(families, config.mixture.validation_fraction, config.seed)
        for entry in entries:
            name = entry.mixture.record_id
            family_id, split = splits[name]
            weight = plan.weight_of(entry.mixture)
            if name in held:
                split, weight = Split.HELD_OUT, 0.0
            yield name, Decision(family_id=family_id, split=split, weight=weight)


def finish_task(group: tuple[str, dict[str, Iterable[Any]]]) -> Task:
    """Return the task of a record and its decision."""
    name, joined = group
    (scored,), (decision,) = joined["records"], joined["decisions"]
    return Task(
        task_id=name,
        family_id=decision.family_id,
        proven=scored.proven,
        contamination=scored.contamination,
        difficulty=scored.difficulty,
        bucket=BUCKET_OF_KIND[scored.proven.candidate.source.kind],
        weight=decision.weight,
        split=decision.split,
    )


class MixAndSplit(beam.PTransform):
    """Scored records to tasks with weight, family and split."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self._config = config

    def expand(self, scored: beam.PCollection) -> Mixed:
        """Return all tasks, the held-out ones among them, and the report of the mixture."""
        decided = (
            scored
            | "Describe each" >> beam.Map(lambda record: (None, describe_record(record)))
            | "In one place" >> beam.GroupByKey()
            | "Decide" >> beam.ParDo(_Decide(self._config)).with_outputs(_REPORT, main="decisions")
        )
        keyed = scored | "Key by id" >> beam.Map(lambda record: (record.proven.candidate.record_id, record))
        tasks = (
            {"records": keyed, "decisions": decided["decisions"]}
            | "Join by id" >> beam.CoGroupByKey()
            | "Finish each task" >> beam.Map(finish_task)
        )
        return Mixed(tasks, decided[_REPORT])
