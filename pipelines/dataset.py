"""Reading a finished dataset: the manifest, its files, one task by id.

Used by `status`, `inspect` and `verify`; trusts the manifest and nothing else. Method: own.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pyarrow.parquet as pq

from schemas.arrow import Row
from schemas.canonical import digest_bytes
from schemas.errors import ConfigError
from transforms.output.manifest import MANIFEST, Manifest

TASK_SPLITS = ("train", "validation", "held_out")
_SHOWN_IDS = 8


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a finished dataset.

    Raises:
        ConfigError: there is none, or it isn't one of ours.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(
            f"{str(folder)!r} holds no finished dataset (no {MANIFEST}); run `taskfoundry build` to the end"
        ) from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{str(path)!r} can't be read: {error}") from error
    if not isinstance(data, dict) or "shards" not in data:
        raise ConfigError(f"{str(path)!r} is no manifest of a dataset")
    return cast("Manifest", data)


def damaged_files(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """Return one sentence per file that's missing or whose bytes aren't those of the manifest."""
    found = []
    for shard in manifest["shards"]:
        path = folder / shard["path"]
        if not path.is_file():
            found.append(f"{shard['path']} is missing")
        elif digest_bytes(path.read_bytes()) != shard["sha256"]:
            found.append(f"{shard['path']} has other bytes than the manifest says")
    return tuple(found)


def iterate_rows(folder: Path, manifest: Manifest, splits: tuple[str, ...] = TASK_SPLITS) -> Iterator[Row]:
    """Yield the rows of the named splits, one row group in memory at a time."""
    for shard in manifest["shards"]:
        if shard["split"] not in splits:
            continue
        with pq.ParquetFile(folder / shard["path"]) as file:
            for group in range(file.num_row_groups):
                yield from file.read_row_group(group).to_pylist()


def find_row(folder: Path, manifest: Manifest, task_id: str) -> Row:
    """Return the row of a task or the rejection of a record.

    Args:
        task_id: the id or an unambiguous beginning of it, the id that the source gave, or the place in the source.

    Raises:
        ConfigError: nothing is called like that, or several are.
    """
    found: dict[str, Row] = {}
    for key, place, splits in (
        ("task_id", "source_locator", TASK_SPLITS),
        ("record_id", "locator", ("rejected",)),
    ):
        for row in iterate_rows(folder, manifest, splits):
            if row[key] == task_id:
                return row
            if row[key].startswith(task_id) or task_id in {row[place], row.get("source_id")}:
                found[row[key]] = row
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        some = ", ".join(sorted(found)[:_SHOWN_IDS])
        raise ConfigError(f"{len(found)} records answer to {task_id!r}; take one of: {some}")
    raise ConfigError(
        f"no task or rejection {task_id!r} in {str(folder)!r}; give a task_id or a record_id, the id that the source "
        f"gave, or the place in the source (file.jsonl:3)"
    )
