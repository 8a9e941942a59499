"""One small run from every kind of source to Parquet that libraries load."""

import re
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from pipelines.dataset import iterate_rows, read_manifest
from pipelines.funnel import unbalanced
from schemas.arrow import TASK_SCHEMA
from schemas.row_reading import from_row
from tests.pipelines.conftest import run_cli


def test_the_sums_of_every_source_and_stage_are_equal(dataset: Path) -> None:
    manifest = read_manifest(dataset)
    assert unbalanced(manifest) == ()
    assert set(manifest["counts"]) == {"bank", "streams", "leaked", "flawed", "curated", "quartermaster", "topics"}


def test_planted_faults_are_refused_for_what_they_are(dataset: Path) -> None:
    rejected = list(iterate_rows(dataset, read_manifest(dataset), ("rejected",)))
    reasons = {(row["source"], row["reason"]) for row in rejected}
    assert ("leaked", "benchmark_overlap") in reasons
    assert {("flawed", "empty_tests"), ("flawed", "reference_fails_tests"), ("flawed", "flaky_reference")} <= reasons
    assert ("topics", "broken_json") in reasons
    assert sum(row["source"] == "leaked" for row in rejected) == 4


def test_every_kind_and_style_is_emitted(dataset: Path) -> None:
    rows = list(iterate_rows(dataset, read_manifest(dataset)))
    assert {row["source_kind"] for row in rows} == {"bank", "curated", "repository", "topics"}
    assert {"function", "stdin", "repository"} <= {row["style"] for row in rows}
    assert all(row["model"] == "recorded" for row in rows if row["source_kind"] == "topics")


def test_every_row_carries_its_evidence(dataset: Path) -> None:
    for row in iterate_rows(dataset, read_manifest(dataset)):
        task = from_row(row)
        evidence = task.proven.evidence
        assert evidence.repeats == 3
        assert evidence.baseline_failed >= 1
        assert not any(probe.accepted for probe in evidence.probes)
        assert task.contamination
        assert task.difficulty.provenance == "structural"
        if row["style"] == "repository":
            assert row["FAIL_TO_PASS"]
            assert row["PASS_TO_PASS"]
        else:
            assert row["verdict_strength"] == "split"
            assert len(row["hidden_tests"]) >= 2
            assert row["mutation_score"] is not None


def test_shards_have_the_schema_and_a_page_index(dataset: Path) -> None:
    for shard in read_manifest(dataset)["shards"]:
        if shard["split"] != "train":
            continue
        file = pq.ParquetFile(dataset / shard["path"])
        assert file.schema_arrow.equals(TASK_SCHEMA, check_metadata=True)
        column = file.metadata.row_group(0).column(0)
        assert column.compression == "ZSTD"
        assert column.has_offset_index


def test_datasets_polars_and_duckdb_load_the_same_rows(dataset: Path, tmp_path: Path) -> None:
    train = f"{dataset}/data/train-*.parquet"
    loaded = load_dataset("parquet", data_files={"train": train}, split="train", cache_dir=str(tmp_path))
    ids = sorted(loaded["task_id"])
    assert ids
    assert sorted(pl.read_parquet(train)["task_id"].to_list()) == ids
    found = duckdb.sql(f"select task_id from read_parquet('{train}') order by task_id").fetchall()
    assert [row[0] for row in found] == ids


def test_the_card_loads_as_a_dataset_of_its_own(dataset: Path, tmp_path: Path) -> None:
    loaded = load_dataset(str(dataset), cache_dir=str(tmp_path))
    assert "train" in loaded
    assert loaded["train"].features["prompt"].feature.keys() == {"role", "content"}


def test_rows_have_what_verl_and_trl_read(dataset: Path) -> None:
    row = next(iterate_rows(dataset, read_manifest(dataset), ("train",)))
    assert row["prompt"][0].keys() == {"role", "content"}
    assert row["reward_model"]["style"] == "rule"
    assert {"split", "index"} <= row["extra_info"].keys()
    assert row["ability"] == "code"


def test_status_says_finished_and_prints_the_funnel(dataset: Path) -> None:
    done = run_cli("status", dataset)
    assert done.returncode == 0
    assert "finished" in done.stdout
    assert re.search(r"read \d+ = emitted \d+ \+ rejected \d+ \+ held out 0", done.stdout)


def test_the_build_prints_equal_sums_and_how_to_load(dataset: Path) -> None:
    printed = (dataset / ".taskfoundry" / "stdout").read_text()
    assert re.search(r"read \d+ = emitted \d+", printed)
    assert "load_dataset(" in printed
    assert "sums disagree" not in printed
    assert re.search(r"; dedup (\d+)/\1 .*; write (\d+)/\2 ", printed)


@pytest.mark.parametrize("style", ["function", "stdin", "repository"])
def test_inspect_shows_a_task(dataset: Path, style: str) -> None:
    row = next(row for row in iterate_rows(dataset, read_manifest(dataset)) if row["style"] == style)
    done = run_cli("inspect", dataset, row["task_id"])
    assert done.returncode == 0, done.stderr
    assert "Evidence" in done.stdout
    assert re.search(r"exploits, by the proof +classes [\d, ]*19 refused", done.stdout)
    assert ("Bug" if style == "repository" else "Tests") in done.stdout


def test_inspect_shows_a_rejection_and_helps_with_ids(dataset: Path) -> None:
    row = next(iterate_rows(dataset, read_manifest(dataset), ("rejected",)))
    shown = run_cli("inspect", dataset, row["record_id"])
    assert row["reason"] in shown.stdout
    wrong = run_cli("inspect", dataset, "nonsense")
    assert wrong.returncode == 2
    assert "no task or rejection 'nonsense'" in wrong.stderr


def test_verify_proves_the_tasks_again(dataset: Path) -> None:
    done = run_cli("verify", dataset, "--sample", "6")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 of 6 tasks proven again" in done.stdout
