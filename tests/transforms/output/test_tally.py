"""Sums per source and stage, and the sentence when they disagree."""

from pipelines.funnel import unbalanced
from schemas.config import Config
from transforms.output.manifest import build_manifest
from transforms.output.parquet import ShardInfo
from transforms.output.tally import EMITTED, OUT, READ, REJECTED, Counts, Tally, balance

STAGES = ("ingest", "screen", "prove", "harden", "score", "dedup", "mix")


def counts_of(*, lost: int = 0) -> Counts:
    counts = {Tally(source="a", stage="ingest", outcome=READ): 10, Tally(source="a", stage="write", outcome=EMITTED): 7}
    counts[Tally(source="a", stage="prove", outcome=REJECTED, reason="no_tests")] = 2
    counts[Tally(source="a", stage="prove", outcome=REJECTED, reason="flaky_reference")] = 1
    for stage in STAGES:
        left = 10 if stage in {"ingest", "screen"} else 7
        counts[Tally(source="a", stage=stage, outcome=OUT)] = left - (lost if stage == "dedup" else 0)
    return counts


def test_equal_sums_balance() -> None:
    (line,) = balance(counts_of(), ["a"])
    assert (line.read, line.emitted, line.rejected, line.held_out) == (10, 7, 3, 0)
    assert line.balanced
    assert line.stages[2].reasons == (("flaky_reference", 1), ("no_tests", 2))


def test_a_lost_record_is_noticed_and_named() -> None:
    lines = balance(counts_of(lost=1), ["a"])
    assert not lines[0].balanced
    config = Config.model_validate({"name": "x", "sources": [{"kind": "curated", "name": "a", "path": "."}]})
    manifest = build_manifest(config, [], lines, mixture=[])
    assert "a, dedup: in 7, out 6, rejected 0" in unbalanced(manifest)


def test_a_source_without_records_balances() -> None:
    assert balance({}, ["empty"])[0].balanced


def test_shards_stand_in_the_manifest_in_order_of_path() -> None:
    config = Config.model_validate({"name": "x", "sources": [{"kind": "curated", "name": "a", "path": "."}]})
    shards = [ShardInfo(path=path, split="train", rows=1, sha256="0") for path in ("data/b", "data/a")]
    manifest = build_manifest(config, shards, balance({}, ["a"]), mixture=[])
    assert [shard["path"] for shard in manifest["shards"]] == ["data/a", "data/b"]  # type: ignore[index,call-overload,union-attr]
