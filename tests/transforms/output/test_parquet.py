"""Shards as bytes."""

import io

import pyarrow.parquet as pq

from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind
from transforms.output.parquet import REJECTION_SCHEMA, encode_parquet, rejection_row


def test_a_file_name_that_is_not_unicode_is_written_with_escapes() -> None:
    rejection = Rejection(
        record_id="row-1",
        source="bank",
        kind=SourceKind.BANK,
        locator="a\udcff.jsonl:1",
        stage=Stage.INGEST,
        reason="broken_json",
        detail="ä",
    )
    data = encode_parquet([rejection_row(rejection)], REJECTION_SCHEMA, row_group_rows=10)
    (row,) = pq.read_table(io.BytesIO(data)).to_pylist()
    assert (row["locator"], row["detail"]) == (r"a\udcff.jsonl:1", "ä")
