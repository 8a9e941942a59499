"""Writes shards that are the same bytes on every runner, then the card, then the manifest.

Last stage of the road. A row's shard is a hash of its id, rows lie sorted by id, and the number of shards comes from
the counted rows, so neither arrival order nor the number of workers leaves a trace. Method: own.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from math import ceil

import apache_beam as beam
from apache_beam.pvalue import AsDict, AsList

from schemas.arrow import TASK_SCHEMA
from schemas.canonical import bucket_of, canonical_json
from schemas.errors import SchemaError
from schemas.rejection import Rejection
from schemas.row import to_row
from schemas.storage import Folder
from schemas.task import Task
from transforms.artifacts import describe_artifact
from transforms.context import RunContext
from transforms.output.card import build_card
from transforms.output.manifest import MANIFEST, ExploitLine, LeftOutLine, MixtureLine, build_manifest
from transforms.output.parquet import (
    REJECTION_SCHEMA,
    ShardInfo,
    describe_shard,
    encode_parquet,
    rejection_row,
    shard_path,
)
from transforms.output.tally import Counts, balance
from transforms.staging import TellProgress

STEP = "write"
_FOLDER_OF_SPLIT = {"train": "data", "validation": "data", "held_out": "held_out", "rejected": "rejected"}
ExploitOutcome = tuple[int, str, str]
"""Class of exploits, result and basis."""
ShardKey = tuple[str, int, int]
"""Split, index of the shard, number of shards."""


def _shards_of(split: str, rows: int, rows_per_shard: int) -> list[ShardKey]:
    total = max(ceil(rows / rows_per_shard), 1)
    return [(split, index, total) for index in range(total)]


def _key_for(split: str, record_id: str, rows: int, rows_per_shard: int) -> ShardKey:
    total = max(ceil(rows / rows_per_shard), 1)
    return (split, bucket_of(record_id, total), total)


def _id_of(record: Task | Rejection) -> str:
    return record.task_id if isinstance(record, Task) else record.record_id


def _split_of(record: Task | Rejection) -> str:
    return record.split.value if isinstance(record, Task) else "rejected"


class _WriteShard(beam.DoFn):
    def __init__(self, context: RunContext) -> None:
        self._context = context

    def process(self, group: tuple[ShardKey, Iterable[Task | Rejection | None]]) -> Iterator[ShardInfo]:
        (split, index, total), records = group
        kept = sorted(
            (record for record in records if record is not None), key=lambda r: (_id_of(r), canonical_order(r))
        )
        rows = [to_row(record) if isinstance(record, Task) else rejection_row(record) for record in kept]
        schema = REJECTION_SCHEMA if split == "rejected" else TASK_SCHEMA
        data = encode_parquet(rows, schema, row_group_rows=self._context.config.output.row_group_rows)
        path = shard_path(_FOLDER_OF_SPLIT[split], split, index, total)
        Folder(self._context.output).write(path, data)
        self._context.heartbeat.beat(STEP, done=len(rows))
        self._context.heartbeat.flush()
        yield describe_shard(path, split, len(rows), data)


def canonical_order(record: Task | Rejection) -> str:
    """Return what orders records of equal id: a refused duplicate has the id of the record that was kept."""
    if isinstance(record, Task):
        return ""
    return canonical_json([record.source, record.locator, record.stage.value, record.reason, record.detail])


class WriteShards(beam.PTransform):
    """Tasks and rejections to files; gives a `ShardInfo` per file."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, records: beam.PCollection) -> beam.PCollection:
        """Write every record of the collection (tasks of all splits, and rejections)."""
        size = self._context.config.output.rows_per_shard
        rows = records | "Split of each" >> beam.Map(_split_of) | "Rows per split" >> beam.combiners.Count.PerElement()
        empty = rows | "One key per shard" >> beam.FlatMapTuple(
            lambda split, count: [(key, None) for key in _shards_of(split, count, size)]
        )
        waiting = records | "Count what waits" >> beam.ParDo(TellProgress(STEP, self._context.heartbeat, queued=1))
        keyed = waiting | "Shard of each" >> beam.Map(
            lambda record, counts: (
                _key_for(_split_of(record), _id_of(record), counts[_split_of(record)], size),
                record,
            ),
            AsDict(rows),
        )
        return (
            (keyed, empty)
            | "Rows and empty shards" >> beam.Flatten()
            | "By shard" >> beam.GroupByKey()
            | "Write each shard" >> beam.ParDo(_WriteShard(self._context))
        )


def outcomes_of(task: Task) -> tuple[ExploitOutcome, ...]:
    """Return what became of each class of exploits on a task, to be counted."""
    results = task.proven.evidence.exploits
    return tuple((result.number, result.result.value, result.basis.value) for result in results)


def _exploit_lines(counts: Mapping[ExploitOutcome, int]) -> list[ExploitLine]:
    return [
        {"number": number, "result": result, "basis": basis, "tasks": tasks}
        for (number, result, basis), tasks in counts.items()
    ]


class _Finish(beam.DoFn):
    def __init__(self, context: RunContext) -> None:
        self._context = context

    def process(
        self,
        _: None,
        shards: list[ShardInfo],
        counts: Counts,
        mixture: list[MixtureLine],
        licenses: list[str],
        artifacts: list[str],
        left_out: list[LeftOutLine],
        exploits: Mapping[ExploitOutcome, int],
    ) -> Iterator[str]:
        config = self._context.config
        lines = balance(counts, [source.name for source in config.sources])
        report = sorted(mixture, key=canonical_json)
        folder = Folder(self._context.output)
        files = [*shards, *(describe_artifact(folder, path) for path in artifacts)]
        wrong = [sentence for line in lines for sentence in line.disagreements()]
        if wrong:
            raise SchemaError(f"the sums disagree, so no manifest is written. {'; '.join(wrong)}")
        manifest = build_manifest(
            config, files, lines, mixture=report, left_out=left_out, exploits=_exploit_lines(exploits)
        )
        folder.write("README.md", build_card(manifest, tuple(sorted(licenses))).encode())
        text = json.dumps(manifest, indent=2, sort_keys=True) + "\n"
        folder.write(MANIFEST, text.encode())
        yield text


class WriteManifest(beam.PTransform):
    """Shard infos, tallies and the mixture's report to the card and the manifest.

    Args:
        tallies: collection of `Tally`, one per record and stage.
        mixture: collection of the mixture's report lines.
        licenses: collection of the licences of emitted tasks.
        artifacts: collection of the paths of artifacts that tasks name.
        left_out: collection of what repositories were used without.
        exploits: collection of what became of classes of exploits, as `outcomes_of` gives it of each emitted task.
    """

    def __init__(
        self,
        context: RunContext,
        *,
        tallies: beam.PCollection,
        mixture: beam.PCollection,
        licenses: beam.PCollection,
        artifacts: beam.PCollection,
        left_out: beam.PCollection,
        exploits: beam.PCollection,
    ) -> None:
        super().__init__()
        self._context = context
        self._tallies = tallies
        self._mixture = mixture
        self._licenses = licenses
        self._artifacts = artifacts
        self._left_out = left_out
        self._exploits = exploits

    def expand(self, shards: beam.PCollection) -> beam.PCollection:
        """Write card and manifest once all shards exist."""
        counts = self._tallies | "Count tallies" >> beam.combiners.Count.PerElement()
        licenses = self._licenses | "Each licence once" >> beam.Distinct()
        artifacts = self._artifacts | "Each artifact once" >> beam.Distinct()
        exploits = self._exploits | "Count exploits" >> beam.combiners.Count.PerElement()
        return (
            shards.pipeline
            | "Once" >> beam.Create([None])
            | "Card and manifest"
            >> beam.ParDo(
                _Finish(self._context),
                AsList(shards),
                AsDict(counts),
                AsList(self._mixture),
                AsList(licenses),
                AsList(artifacts),
                AsList(self._left_out),
                AsDict(exploits),
            )
        )
