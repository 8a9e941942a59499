"""The manifest: which files belong to the dataset, their digests, and where every input went.

Written last; readers trust it alone. Nothing in it depends on time, host, path or the number of workers. Method: own.
"""

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from platform import python_version

from schemas.arrow import SCHEMA_VERSION
from schemas.canonical import Json
from schemas.config import Config
from transforms.output.parquet import ShardInfo
from transforms.output.tally import SourceLine

MANIFEST = "manifest.json"
_VERSIONED = ("taskfoundry", "apache-beam", "pyarrow", "hypothesis", "mutmut", "datasketch")


def _source_json(line: SourceLine) -> Json:
    stages: dict[str, Json] = {
        stage.stage: {"in": stage.entered, "out": stage.left, "rejected": dict[str, Json](stage.reasons)}
        for stage in line.stages
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
    mixture: Json,
) -> dict[str, Json]:
    """Return the manifest as plain JSON data.

    Args:
        lines: one per source, in the order of the config.
        mixture: what the mixture reached, as its stage reports it.
    """
    files: list[Json] = [
        {"path": shard.path, "split": shard.split, "rows": shard.rows, "sha256": shard.sha256}
        for shard in sorted(shards, key=lambda shard: shard.path)
    ]
    versions: dict[str, Json] = {name: version(name) for name in _VERSIONED}
    return {
        "name": config.name,
        "schema_version": SCHEMA_VERSION,
        "seed": config.seed,
        "config_digest": config.digest(),
        "shards": files,
        "counts": {line.source: _source_json(line) for line in lines},
        "mixture": mixture,
        "versions": {**versions, "python": python_version()},
    }
