"""Rows of a Parquet file as plain JSON values, a few at a time; an oversized cell is refused before it's copied.

Method: own, on pyarrow.
"""

import base64
import datetime as dt
import decimal
import math
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from seeds.files import MAX_ROW_BYTES, BrokenPart, SourceFile

_BATCH_ROWS = 32


def iter_parquet_rows(file: SourceFile) -> Iterator[tuple[str, object] | BrokenPart]:
    """Yield ``(file:number, row)`` in the file's order; numbers start at 1."""
    number = 0
    try:
        with pq.ParquetFile(file.path) as parquet:
            for batch in parquet.iter_batches(batch_size=_BATCH_ROWS):
                too_large = _oversized_cells(batch)
                for index in range(batch.num_rows):
                    number += 1
                    locator = f"{file.name}:{number}"
                    if index in too_large:
                        yield BrokenPart(locator=locator, reason="field_too_large", detail=too_large[index])
                    else:
                        yield locator, _row_at(batch, index)
    except (pa.ArrowException, OSError) as error:
        locator = f"{file.name}:{number + 1}"
        detail = f"not a readable Parquet file from here on: {error}"
        yield BrokenPart(locator=locator, reason="corrupt_file", detail=detail)


def _oversized_cells(batch: pa.RecordBatch) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if not (pa.types.is_large_string(column.type) or pa.types.is_string(column.type)):
            continue
        for index, size in enumerate(pc.binary_length(column).to_pylist()):
            if size is not None and size > MAX_ROW_BYTES:
                found[index] = f"field {name!r} holds {size:,} bytes; the limit is {MAX_ROW_BYTES:,} bytes"
    return found


def _row_at(batch: pa.RecordBatch, index: int) -> dict[str, object]:
    cells = zip(batch.schema.names, batch.columns, strict=True)
    return {name: plain_value(column[index].as_py()) for name, column in cells}


def plain_value(value: object) -> object:
    """Return a cell as plain JSON: NaN and infinities as None, dates in ISO form, bytes as base64, decimals as text."""
    if isinstance(value, dict):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dt.date | dt.time | dt.timedelta | decimal.Decimal):
        return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
