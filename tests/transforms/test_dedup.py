"""The dedup stage keeps the better record, says which, and loses none."""

from pathlib import Path

import apache_beam as beam
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to

from schemas.config import Dedup
from schemas.source import SourceKind
from schemas.task import DuplicateRecord, Scored
from tests.builders import make_scored
from transforms.dedup import DropNearDuplicates, reject_duplicate
from transforms.progress import Heartbeat, ProgressReader, StageProgress

WORDS = "river stone lantern orchard copper meadow signal harbor velvet granite willow ember cinder marble thicket"


def statement(shift: int, length: int = 60) -> str:
    words = WORDS.split()
    return " ".join(words[(shift + index * (shift + 1)) % len(words)] + str(index % 7) for index in range(length))


def run(records: list[Scored], kept: list[str], dropped: list[str]) -> None:
    with TestPipeline(runner="FnApiRunner") as pipeline:
        out = pipeline | beam.Create(records) | DropNearDuplicates(Dedup())
        assert_that(
            out.kept | "ids" >> beam.Map(lambda record: record.proven.candidate.record_id), equal_to(kept), label="kept"
        )
        assert_that(
            out.rejected | "dropped" >> beam.Map(lambda rejection: rejection.record_id),
            equal_to(dropped),
            label="dropped",
        )


def test_progress_tells_what_waits_and_what_was_dropped(tmp_path: Path) -> None:
    with TestPipeline(runner="FnApiRunner") as pipeline:
        records = [make_scored(name, statement=statement(1)) for name in ("a", "b", "c")]
        _ = pipeline | beam.Create(records) | DropNearDuplicates(Dedup(), heartbeat=Heartbeat(tmp_path / "beats"))
    assert ProgressReader(tmp_path / "beats").update().stages["dedup"] == StageProgress(queued=3, done=3, rejected=2)


def test_a_copy_goes_and_its_original_stays() -> None:
    records = [make_scored("a", statement=statement(1)), make_scored("b", statement=statement(1))]
    run(records, ["a"], ["b"])


def test_unlike_records_all_stay() -> None:
    records = [make_scored(f"r{index}", statement=statement(index * 2 + 1)) for index in range(4)]
    run(records, [f"r{index}" for index in range(4)], [])


def test_nothing_in_is_nothing_out() -> None:
    run([], [], [])


def test_the_rejection_names_the_kept_record() -> None:
    duplicate = DuplicateRecord(
        record_id="b", kept_id="a", source="s", kind=SourceKind.BANK, locator="x:1", layer="minhash", jaccard=0.91
    )
    rejection = reject_duplicate(duplicate)
    assert rejection.reason == "duplicate_minhash"
    assert rejection.detail == '{"jaccard":0.91,"kept_id":"a","layer":"minhash"}'
