"""Reads rows from JSON Lines, JSON and Parquet files or a dataset id; each becomes a `RawItem` or a `Rejection`.

First step on the road of a bank or benchmark record. Rows stream in a stable order; a broken row is refused by file
and row number, and everything around it is kept. Method: own.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from schemas.canonical import canonical_json, content_id, is_unicode
from schemas.errors import SeedError
from schemas.rejection import Rejection, Stage
from schemas.source import RawItem, SourceKind
from seeds.files import MAX_ROW_BYTES, BrokenPart, SourceFile, find_files, iter_lines
from seeds.json_rows import iter_json_rows
from seeds.parquet_rows import iter_parquet_rows, plain_value

LocatedRow = tuple[str, object]
"""Locator and parsed row."""


def read_rows(path: str, base_dir: Path, *, source: str, kind: SourceKind, key: str) -> Iterator[RawItem | Rejection]:
    """Return an iterator over the rows of a file, glob or folder: files by name, rows as they stand.

    Args:
        path: as the config gives it, relative to ``base_dir``.
        key: the config key that messages name.

    Raises:
        ConfigError: at once, when no file is there that can be read.
    """
    files = find_files(path, base_dir, key=key)
    return _items_of((part for file in files for part in _parts_of(file)), source, kind)


def read_dataset(
    dataset: str, *, split: str, revision: str, source: str, kind: SourceKind
) -> Iterator[RawItem | Rejection]:
    """Yield the rows of one split of a dataset id, streamed; asks the network unless the id is a local folder.

    Args:
        revision: branch, tag or commit; empty takes the dataset's default.

    Raises:
        SeedError: the dataset can't be reached or read; retriable when the network was the reason.
    """
    # Seconds of import that only dataset ids need.
    from datasets import load_dataset  # noqa: PLC0415
    from datasets.exceptions import DatasetsError  # noqa: PLC0415

    name = f"{dataset}@{split}"
    try:
        rows = load_dataset(dataset, split=split, revision=revision or None, streaming=True)
        parts = (
            (f"{name}:{number}", {str(key): plain_value(value) for key, value in row.items()})
            for number, row in enumerate(rows, 1)
        )
        yield from _items_of(parts, source, kind)
    except (OSError, ValueError, RuntimeError, DatasetsError) as error:
        offline = isinstance(error, ConnectionError | TimeoutError)
        reason = "dataset_unreachable" if offline else "dataset_unreadable"
        message = f"source {source!r}: dataset {dataset!r}, split {split!r} can't be read: {error}"
        raise SeedError(message, reason=reason, retriable=offline) from error


def reject_row(
    source: str, kind: SourceKind, locator: str, *, reason: str, detail: str, payload_json: str = ""
) -> Rejection:
    """Return the rejection of one row at the ingest stage; its id names the place, since the content is unusable."""
    return Rejection(
        record_id=content_id("row", [source, locator]),
        source=source,
        kind=kind,
        locator=locator,
        stage=Stage.INGEST,
        reason=reason,
        detail=detail,
        payload_json=payload_json,
    )


def parse_json_row(data: bytes, locator: str) -> LocatedRow | BrokenPart:
    """Return the value of one JSON text, or why it's none."""
    try:
        return locator, json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        return BrokenPart(locator=locator, reason="not_utf8", detail=f"byte {error.start} of the row isn't UTF-8")
    except (ValueError, RecursionError) as error:
        return BrokenPart(locator=locator, reason="broken_json", detail=f"not valid JSON: {error}")


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")


def _parts_of(file: SourceFile) -> Iterator[LocatedRow | BrokenPart]:
    name = file.name.lower()
    if name.endswith(".parquet"):
        yield from iter_parquet_rows(file)
    elif name.endswith((".jsonl", ".jsonl.gz")):
        for line in iter_lines(file):
            yield line if isinstance(line, BrokenPart) else parse_json_row(line.data, f"{file.name}:{line.number}")
    else:
        yield from iter_json_rows(file)


def _items_of(parts: Iterator[LocatedRow | BrokenPart], source: str, kind: SourceKind) -> Iterator[RawItem | Rejection]:
    for part in parts:
        checked = part if isinstance(part, BrokenPart) else _check_row(*part)
        if isinstance(checked, BrokenPart):
            yield reject_row(source, kind, checked.locator, reason=checked.reason, detail=checked.detail)
        else:
            locator, payload = checked
            yield RawItem(source=source, kind=kind, locator=locator, payload_json=payload)


def _check_row(locator: str, row: object) -> tuple[str, str] | BrokenPart:
    if not isinstance(row, dict):
        detail = f"a row is a JSON object, this one is {_json_type(row)}"
        return BrokenPart(locator=locator, reason="not_an_object", detail=detail)
    for name, value in row.items():
        if isinstance(value, str) and len(value) > MAX_ROW_BYTES:
            detail = f"field {name!r} holds {len(value):,} characters; the limit is {MAX_ROW_BYTES:,}"
            return BrokenPart(locator=locator, reason="field_too_large", detail=detail)
    try:
        payload = canonical_json(row)
        if "\\ud" in payload and not is_unicode(json.dumps(row, ensure_ascii=False)):
            detail = "a text of the row holds half of a character (a lone surrogate)"
            return BrokenPart(locator=locator, reason="not_unicode", detail=detail)
        return locator, payload
    except (ValueError, TypeError, RecursionError) as error:
        return BrokenPart(locator=locator, reason="broken_json", detail=f"the row can't be written as JSON: {error}")


def _json_type(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
