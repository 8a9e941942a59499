"""Shards are the same bytes whatever the order of the records, and the manifest names them all."""

import io
import json
import shutil
from pathlib import Path

import apache_beam as beam
import pyarrow.parquet as pq
import pytest
from apache_beam.testing.test_pipeline import TestPipeline
from rich.console import Console

from pipelines.dataset import damaged_files, find_row, iterate_rows, read_manifest
from pipelines.failures import explain
from pipelines.funnel import print_funnel
from schemas.canonical import digest_bytes
from schemas.config import Config
from schemas.errors import SchemaError
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind
from schemas.task import Split, Task
from tests.builders import make_task
from transforms.context import RunContext
from transforms.output.tally import EMITTED, OUT, READ, REJECTED, Tally
from transforms.progress import ProgressReader, StageProgress
from transforms.write import WriteManifest, WriteShards


def make_rejection(number: int) -> Rejection:
    return Rejection(
        record_id=f"r-{number}",
        source="a",
        kind=SourceKind.BANK,
        locator=f"bank.jsonl:{number}",
        stage=Stage.INGEST,
        reason="broken_json",
        detail="line 3",
    )


def records() -> list[Task | Rejection]:
    tasks = [make_task(f"task-{number}", split=Split.TRAIN) for number in range(23)]
    held = [make_task(f"held-{number}", split=Split.HELD_OUT) for number in range(2)]
    return [*tasks, *held, *(make_rejection(number) for number in range(5))]


def tallies() -> list[Tally]:
    stages = [stage.value for stage in Stage if stage is not Stage.WRITE]
    out = [Tally(source="a", stage=stage, outcome=OUT) for stage in stages for _ in range(25)]
    read = [Tally(source="a", stage="ingest", outcome=READ)] * 30
    rejected = [Tally(source="a", stage="ingest", outcome=REJECTED, reason="broken_json")] * 5
    emitted = [Tally(source="a", stage="write", outcome=EMITTED)] * 23
    held = [Tally(source="a", stage="write", outcome="held_out")] * 2
    return [*out, *read, *rejected, *emitted, *held]


LEFT_OUT = [
    {"source": "a", "reason": "files_unparsable", "detail": "1 file: x.py:1: no Python"},
    {
        "source": "a",
        "reason": "tests_always_failing",
        "detail": "2 of 9 tests fail on the healthy tree: t.py::a, t.py::b",
    },
]

OUTCOMES = [(15, "refused", "proof"), (15, "accepted", "proof"), (16, "refused", "proof"), (16, "refused", "battery")]


Written = tuple[Path, dict[str, object]]


def write(folder: Path, *, backwards: bool, counted: list[Tally] | None = None) -> dict[str, object]:
    config = Config.model_validate(
        {
            "name": "toy",
            "sources": [{"kind": "curated", "name": "a", "path": "."}],
            "output": {"rows_per_shard": 8, "row_group_rows": 3},
        }
    )
    context = RunContext(
        config=config, base_dir=folder, output=str(folder), cache_dir=folder, workers=1, progress=folder / "beats"
    )
    folder.mkdir(exist_ok=True)
    data = records()[::-1] if backwards else records()
    with TestPipeline(runner="FnApiRunner") as pipeline:
        shards = pipeline | "records" >> beam.Create(data) | WriteShards(context)
        shards | WriteManifest(
            context,
            tallies=pipeline | "tallies" >> beam.Create(counted or tallies()),
            mixture=pipeline | "mixture" >> beam.Create([{"bucket": "bank"}]),
            licenses=pipeline | "licenses" >> beam.Create(["MIT", "MIT"]),
            artifacts=pipeline | "artifacts" >> beam.Create([]),
            left_out=pipeline | "left out" >> beam.Create(LEFT_OUT[::-1] if backwards else LEFT_OUT),
            exploits=pipeline | "exploits" >> beam.Create(OUTCOMES[::-1] if backwards else OUTCOMES),
        )
    return read_manifest(folder)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A folder, written backwards, that no test changes, and its manifest."""
    folder = tmp_path_factory.mktemp("written")
    return folder, write(folder, backwards=True)


def test_bytes_do_not_depend_on_the_order_of_records(tmp_path: Path, written: Written) -> None:
    first = write(tmp_path, backwards=False)
    assert first == written[1]
    for shard in first["shards"]:  # type: ignore[attr-defined]
        data = (written[0] / shard["path"]).read_bytes()
        assert digest_bytes(data) == shard["sha256"]


def test_progress_tells_what_waits_and_what_is_written(written: Written) -> None:
    folder, _ = written
    count = len(records())
    assert ProgressReader(folder / "beats").update().stages["write"] == StageProgress(queued=count, done=count)


def test_the_manifest_names_every_shard_and_every_row(written: Written) -> None:
    folder, manifest = written
    rows = dict.fromkeys(("train", "held_out", "rejected"), 0)
    for shard in manifest["shards"]:  # type: ignore[attr-defined]
        rows[shard["split"]] += pq.ParquetFile(folder / shard["path"]).metadata.num_rows
    assert rows == {"train": 23, "held_out": 2, "rejected": 5}
    names = sorted(path.name for path in (folder / "data").iterdir())
    assert names == [f"train-0000{index}-of-00003.parquet" for index in range(3)]
    assert damaged_files(folder, manifest) == ()


def test_the_manifest_and_the_card_count_what_became_of_exploits(written: Written) -> None:
    folder, manifest = written
    assert manifest["exploits"] == [
        {"number": 15, "result": "accepted", "basis": "proof", "tasks": 1},
        {"number": 15, "result": "refused", "basis": "proof", "tasks": 1},
        {"number": 16, "result": "refused", "basis": "battery", "tasks": 1},
        {"number": 16, "result": "refused", "basis": "proof", "tasks": 1},
    ]
    card = (folder / "README.md").read_text()
    assert "| 15 | statement leaks the answer | 1 | 1 | 0 |\n| 16 | hollow body | 2 | 0 | 1 |\n" in card


def test_the_manifest_and_the_funnel_say_what_repositories_are_used_without(written: Written) -> None:
    _, manifest = written
    assert manifest["left_out"] == LEFT_OUT
    said = io.StringIO()
    print_funnel({**manifest, "mixture": []}, Console(file=said, width=150))  # type: ignore[typeddict-item]
    assert "tests_always_failing" in said.getvalue()
    assert "2 of 9 tests fail on the healthy tree: t.py::a, t.py::b" in said.getvalue()


def test_rows_are_sorted_by_id_in_each_shard(written: Written) -> None:
    folder, _ = written
    for path in (folder / "data").iterdir():
        ids = pq.read_table(path)["task_id"].to_pylist()
        assert ids == sorted(ids)


def test_damage_is_found(tmp_path: Path, written: Written) -> None:
    folder, manifest = written
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "data" / "train-00000-of-00003.parquet").write_bytes(b"x")
    (tmp_path / "data" / "train-00001-of-00003.parquet").unlink()
    said = damaged_files(tmp_path, manifest)
    assert len(said) == 2
    assert "has other bytes" in said[0]
    assert "is missing" in said[1]


def test_a_task_and_a_rejection_are_found_by_id(written: Written) -> None:
    folder, manifest = written
    assert find_row(folder, manifest, "task-7")["task_id"] == "task-7"
    assert find_row(folder, manifest, "r-3")["reason"] == "broken_json"
    assert find_row(folder, manifest, "held-1")["split"] == "held_out"
    assert len(list(iterate_rows(folder, manifest))) == 25


def test_the_card_front_matter_names_the_splits(written: Written) -> None:
    folder, _ = written
    text = (folder / "README.md").read_text()
    assert text.startswith("---\npretty_name: toy\nlicense: mit\n")
    assert "path: data/train-*.parquet" in text
    assert json.loads((folder / "manifest.json").read_text())["name"] == "toy"


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        (Tally(source="a", stage="write", outcome=EMITTED), "a: read 30, but emitted 22, rejected 5, held out 2"),
        (Tally(source="a", stage="dedup", outcome=OUT), "a, dedup: in 25, but out 24, rejected 0"),
        (
            Tally(source="a", stage="ingest", outcome=REJECTED, reason="broken_json"),
            "a, ingest: in 30, but out 25, rejected 4",
        ),
    ],
)
def test_a_run_whose_sums_disagree_fails_without_a_manifest(tmp_path: Path, missing: Tally, words: str) -> None:
    counted = tallies()
    counted.remove(missing)
    with pytest.raises(SchemaError, match="the sums disagree, so no manifest is written") as raised:
        write(tmp_path, backwards=False, counted=counted)
    assert words in str(raised.value)
    assert not (tmp_path / "manifest.json").exists()
    assert explain(raised.value) is None
