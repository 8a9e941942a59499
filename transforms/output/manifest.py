"""The manifest: which files belong to the dataset, their digests, and where every input went.

Written last; readers trust it alone. Nothing in it depends on time, host, path or the number of workers. Method: own.
"""

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from platform import python_version
from typing import TypedDict

from schemas.arrow import SCHEMA_VERSION
from schemas.config import Config
from transforms.output.parquet import ShardInfo
from transforms.output.tally import SourceLine

MANIFEST = "manifest.json"
_VERSIONED = ("taskfoundry", "apache-beam", "pyarrow", "hypothesis", "mutmut", "datasketch")


class FileEntry(TypedDict):
    """One file of the dataset."""

    path: str
    split: str
    rows: int
    sha256: str


StageCounts = TypedDict("StageCounts", {"in": int, "out": int, "rejected": dict[str, int]})
"""What entered and left one stage; the refused by reason."""


class SourceCounts(TypedDict):
    """Where the records of one source went."""

    read: int
    emitted: int
    rejected: int
    held_out: int
    stages: dict[str, StageCounts]


class MixtureLine(TypedDict):
    """What one part of the mixture reached; see `transforms.curation.mixture.MixtureReport`."""

    bucket: str
    available: int
    target: float
    emitted: int
    share: float
    weighted_share: float
    weight: float
    held_out: dict[str, int]
    note: str


class LeftOutLine(TypedDict):
    """What a repository was used without: files that can't be mutated, tests that fail on the healthy tree."""

    source: str
    reason: str
    detail: str


class ExploitLine(TypedDict):
    """In how many emitted tasks a class of exploits came out so; see `schemas.exploit_results.ClassResult`."""

    number: int
    result: str
    basis: str
    tasks: int


class Manifest(TypedDict):
    """The manifest as JSON."""

    name: str
    schema_version: str
    seed: int
    config_digest: str
    shards: list[FileEntry]
    counts: dict[str, SourceCounts]
    mixture: list[MixtureLine]
    left_out: list[LeftOutLine]
    exploits: list[ExploitLine]
    versions: dict[str, str]


def _source_json(line: SourceLine) -> SourceCounts:
    stages: dict[str, StageCounts] = {
        stage.stage: {"in": stage.entered, "out": stage.left, "rejected": dict(stage.reasons)} for stage in line.stages
    }
    return {
        "read": line.read,
        "emitted": line.emitted,
        "rejected": line.rejected,
        "held_out": line.held_out,
        "stages": stages,
    }


def build_manifest(
    config: Config,
    shards: Iterable[ShardInfo],
    lines: Sequence[SourceLine],
    *,
    mixture: Sequence[MixtureLine],
    left_out: Sequence[LeftOutLine] = (),
    exploits: Sequence[ExploitLine] = (),
) -> Manifest:
    """Return the manifest.

    Args:
        lines: one per source, in the order of the config.
        mixture: what the mixture reached, as its stage reports it.
        left_out: what repositories were used without, in any order.
        exploits: what became of classes of exploits in emitted tasks, in any order.
    """
    files: list[FileEntry] = [
        {"path": shard.path, "split": shard.split, "rows": shard.rows, "sha256": shard.sha256}
        for shard in sorted(shards, key=lambda shard: shard.path)
    ]
    return {
        "name": config.name,
        "schema_version": SCHEMA_VERSION,
        "seed": config.seed,
        "config_digest": config.digest(),
        "shards": files,
        "counts": {line.source: _source_json(line) for line in lines},
        "mixture": list(mixture),
        "left_out": sorted(left_out, key=lambda line: (line["source"], line["reason"])),
        "exploits": sorted(exploits, key=lambda line: (line["number"], line["result"], line["basis"])),
        "versions": {**{name: version(name) for name in _VERSIONED}, "python": python_version()},
    }
