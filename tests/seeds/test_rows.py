"""Rows from every file kind: each gives one item or one rejection with place and reason."""

import datetime as dt
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import SeedError
from schemas.rejection import Rejection, Stage
from schemas.source import RawItem, SourceKind
from seeds import files
from seeds.rows import read_dataset, read_rows

Read = list[RawItem | Rejection]


def read(path: str, base: Path) -> Read:
    return list(read_rows(path, base, source="s", kind=SourceKind.BANK, key="path"))


def summary(rows: Read) -> list[tuple[str, str]]:
    return [(row.locator, row.reason if isinstance(row, Rejection) else row.payload_json) for row in rows]


def test_json_lines_keep_rows_around_broken_ones(tmp_path: Path) -> None:
    lines = [b'{"b":1,"a":"\xc3\xa9"}', b"{broken", b"[1]", b'"text"', b"\xff\xfe", b'{"n":NaN}', b'{"n":1e999}', b"{}"]
    (tmp_path / "x.jsonl").write_bytes(b"\n".join(lines))
    assert summary(read("x.jsonl", tmp_path)) == [
        ("x.jsonl:1", '{"a":"\\u00e9","b":1}'),
        ("x.jsonl:2", "broken_json"),
        ("x.jsonl:3", "not_an_object"),
        ("x.jsonl:4", "not_an_object"),
        ("x.jsonl:5", "not_utf8"),
        ("x.jsonl:6", "broken_json"),
        ("x.jsonl:7", "broken_json"),
        ("x.jsonl:8", "{}"),
    ]


def test_half_of_a_character_is_refused_and_whole_ones_stay(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a":"\\ud83d\\ude00"}\n{"a":["\\ud83d"]}\n{"\\udcff":1}\n')
    assert [found for _, found in summary(read("x.jsonl", tmp_path))] == [
        '{"a":"\\ud83d\\ude00"}',
        "not_unicode",
        "not_unicode",
    ]


def test_a_rejection_of_a_row_names_source_stage_and_place(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("{")
    (row,) = read("x.jsonl", tmp_path)
    assert isinstance(row, Rejection)
    assert (row.source, row.kind, row.stage, row.locator) == ("s", SourceKind.BANK, Stage.INGEST, "x.jsonl:1")
    assert row.detail.startswith("not valid JSON")


def test_a_deeply_nested_line_is_broken_json_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"a":' * 100_000 + "\n{}")
    assert [pair[1] for pair in summary(read("x.jsonl", tmp_path))] == ["broken_json", "{}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[{"a":1}, {"a":2}\n]', [("x.json:1", '{"a":1}'), ("x.json:2", '{"a":2}')]),
        ("[]", []),
        ("", []),
        ("[1]", [("x.json:1", "not_an_object")]),
        ('{"k1":{"a":1},"k2":{"a":2}}', [("x.json:k1", '{"a":1}'), ("x.json:k2", '{"a":2}')]),
        ('{"a":1,"b":{}}', [("x.json:1", '{"a":1,"b":{}}')]),
        ('[{"a":1},{"a":', [("x.json:1", '{"a":1}'), ("x.json:2", "truncated_file")]),
        ('[{"a":1}', [("x.json:1", '{"a":1}'), ("x.json:2", "truncated_file")]),
        ('[{"a":1} {"a":2}]', [("x.json:1", '{"a":1}'), ("x.json:2", "broken_json")]),
        ('[{"a":1},{a:2},{"a":3}]', [("x.json:1", '{"a":1}'), ("x.json:2", "broken_json")]),
        ('{"a":', [("x.json:1", "broken_json")]),
        ("[NaN]", [("x.json:1", "broken_json")]),
    ],
)
def test_a_json_file_gives_its_rows_up_to_the_break(tmp_path: Path, text: str, expected: list[tuple[str, str]]) -> None:
    (tmp_path / "x.json").write_text(text)
    assert summary(read("x.json", tmp_path)) == expected


def test_a_json_array_that_is_not_utf8_is_refused_from_there(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'[{"a":"' + b"x" * 200_000 + b'"},{"a":"\xff"}]')
    assert [reason for _, reason in summary(read("x.json", tmp_path))][-1] == "not_utf8"


def test_an_element_beyond_the_limit_ends_the_json_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seeds.json_rows.MAX_ROW_BYTES", 100_000)
    (tmp_path / "x.json").write_text('[{"a":1},{"a":"' + "x" * 900_000 + '"}]')
    assert [reason for _, reason in summary(read("x.json", tmp_path))] == ['{"a":1}', "row_too_large"]


rows_of_json = st.lists(
    st.dictionaries(
        st.text(max_size=4),
        st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), st.lists, max_leaves=5),
        max_size=4,
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_json, indent=st.sampled_from([None, 1]))
def test_an_array_and_json_lines_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, rows: list[object], indent: int | None
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    (folder / "x.json").write_text(json.dumps(rows, indent=indent))
    (folder / "y.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    array, lines = read("x.json", folder), read("y.jsonl", folder)
    assert [row.payload_json for row in array] == [row.payload_json for row in lines]
    assert len(array) == len(rows)


def test_parquet_cells_become_plain_json(tmp_path: Path) -> None:
    table = pa.table(
        {
            "text": ["a", None],
            "number": [1.5, float("nan")],
            "day": [dt.date(2024, 1, 2), None],
            "price": [Decimal("1.20"), None],
            "raw": [b"\x00\xff", None],
            "items": [[{"k": 1}], []],
        }
    )
    pq.write_table(table, tmp_path / "x.parquet")
    first, second = read("x.parquet", tmp_path)
    assert isinstance(first, RawItem)
    assert isinstance(second, RawItem)
    assert json.loads(first.payload_json) == {
        "text": "a", "number": 1.5, "day": "2024-01-02", "price": "1.20", "raw": "AP8=", "items": [{"k": 1}],
    }  # fmt: skip
    assert (second.locator, json.loads(second.payload_json)["number"]) == ("x.parquet:2", None)


def test_a_parquet_cell_beyond_the_limit_is_refused_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seeds.parquet_rows.MAX_ROW_BYTES", 1000)
    pq.write_table(pa.table({"id": [1, 2, 3], "tests": ["a", "b" * 5000, "c"]}), tmp_path / "x.parquet")
    rows = read("x.parquet", tmp_path)
    assert [row.reason if isinstance(row, Rejection) else "ok" for row in rows] == ["ok", "field_too_large", "ok"]
    assert isinstance(rows[1], Rejection)
    assert "'tests' holds 5,000 bytes" in rows[1].detail


@pytest.mark.parametrize("content", [b"", b"PAR1 but then nothing", b"x" * 100])
def test_what_is_no_parquet_file_is_one_rejection(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(content)
    assert summary(read("x.parquet", tmp_path)) == [("x.parquet:1", "corrupt_file")]


def test_a_truncated_parquet_file_is_one_rejection(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": list(range(1000))}), path)
    path.write_bytes(path.read_bytes()[:-20])
    assert summary(read("x.parquet", tmp_path)) == [("x.parquet:1", "corrupt_file")]


def test_a_folder_gives_the_rows_of_all_its_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text('{"n":3}')
    (tmp_path / "a.json").write_text('[{"n":1},{"n":2}]')
    assert [place for place, _ in summary(read(".", tmp_path))] == ["a.json:1", "a.json:2", "b.jsonl:1"]


def test_no_machine_path_enters_an_item(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n{")
    assert not any(str(tmp_path) in repr(row) for row in read(str(tmp_path / "*.jsonl"), Path("/")))


def test_a_local_folder_is_read_by_dataset_id(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n')
    rows = list(read_dataset(str(tmp_path), split="train", revision="", source="s", kind=SourceKind.BANK))
    assert [json.loads(row.payload_json) for row in rows if isinstance(row, RawItem)] == [
        {"a": 1, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_an_unknown_split_is_a_seed_error(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text('{"a":1}\n')
    with pytest.raises(SeedError, match="split 'dev' can't be read") as caught:
        list(read_dataset(str(tmp_path), split="dev", revision="", source="s", kind=SourceKind.BANK))
    assert (caught.value.reason, caught.value.retriable) == ("dataset_unreadable", False)


def test_a_dataset_id_without_network_is_a_retriable_seed_error() -> None:
    program = (
        "from seeds.rows import read_dataset\nfrom schemas.errors import SeedError\n"
        "try:\n    list(read_dataset('someone/something', split='train', revision='', source='s', kind='bank'))\n"
        "except SeedError as error:\n    print(error.reason, error.retriable)\n"
    )
    env = {"HF_HUB_OFFLINE": "1", "PATH": "", "HOME": "/nonexistent"}
    found = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
    assert found.stdout == "dataset_unreachable True\n", found.stderr


def test_the_limit_of_a_row_is_32_mebibytes() -> None:
    assert files.MAX_ROW_BYTES == 32 * 1024 * 1024
