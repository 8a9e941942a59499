"""Rows to Parquet bytes that depend on nothing but the rows and the pyarrow version.

Beam's own writer spreads rows over shards at random, so the write stage uses this one: rows sorted by id, one schema,
zstd, fixed row groups, page index, no time stamp. Method: own.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.arrow import Row
from schemas.canonical import digest_bytes
from schemas.rejection import Rejection

REJECTION_SCHEMA = pa.schema(
    [
        pa.field(name, pa.bool_() if name == "retriable" else pa.string(), nullable=False)
        for name in (
            "record_id",
            "source",
            "kind",
            "locator",
            "stage",
            "reason",
            "detail",
            "retriable",
            "payload_json",
        )
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardInfo:
    """What the manifest says of one written file."""

    path: str
    """Relative to the output folder."""
    split: str
    rows: int
    sha256: str


def shard_path(folder: str, split: str, index: int, total: int) -> str:
    """Return ``folder/split-00000-of-00003.parquet``."""
    return f"{folder}/{split}-{index:05d}-of-{total:05d}.parquet"


def encode_parquet(rows: Sequence[Row], schema: pa.Schema, *, row_group_rows: int) -> bytes:
    """Return the Parquet file of the rows, in the order given.

    Texts that aren't Unicode, such as names of files, get backslash escapes for what they can't say otherwise.
    """
    try:
        table = pa.Table.from_pylist(list(rows), schema=schema)
    except UnicodeEncodeError:
        table = pa.Table.from_pylist([_writable(row) for row in rows], schema=schema)
    sink = io.BytesIO()
    pq.write_table(
        table,
        sink,
        row_group_size=row_group_rows,
        version="2.6",
        compression="zstd",
        compression_level=3,
        write_page_index=True,
        write_statistics=True,
    )
    return sink.getvalue()


def _writable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _writable(item) for key, item in value.items()}
    return [_writable(item) for item in value] if isinstance(value, list | tuple) else value


def describe_shard(path: str, split: str, rows: int, data: bytes) -> ShardInfo:
    """Return the manifest's entry for a file of that many rows."""
    return ShardInfo(path=path, split=split, rows=rows, sha256=digest_bytes(data))


def rejection_row(rejection: Rejection) -> Row:
    """Return a rejection as a flat row of `REJECTION_SCHEMA`."""
    return {
        "record_id": rejection.record_id,
        "source": rejection.source,
        "kind": rejection.kind.value,
        "locator": rejection.locator,
        "stage": rejection.stage.value,
        "reason": rejection.reason,
        "detail": rejection.detail,
        "retriable": rejection.retriable,
        "payload_json": rejection.payload_json,
    }
