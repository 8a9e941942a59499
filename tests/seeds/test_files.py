"""Finding files and reading lines: order, names, broken files, bounded memory."""

import gzip
import tracemalloc
from pathlib import Path

import pytest

from schemas.errors import ConfigError
from seeds.files import MAX_ROW_BYTES, BrokenPart, Line, SourceFile, find_files, iter_lines


def lines_of(path: Path) -> list[Line | BrokenPart]:
    return list(iter_lines(SourceFile(path=path, name=path.name)))


def names(path: str, base: Path) -> list[str]:
    return [file.name for file in find_files(path, base, key="path")]


def test_a_file_goes_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.jsonl").write_text("{}")
    assert names("deep/a.jsonl", tmp_path) == ["a.jsonl"]


def test_a_folder_is_read_recursively_in_the_order_of_names_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a/z.parquet", "a/.git/x.json", ".hidden.jsonl", "notes.txt", "c.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert names(".", tmp_path) == ["a/z.parquet", "b.jsonl", "c.json"]


def test_a_glob_gives_names_relative_to_its_fixed_part(tmp_path: Path) -> None:
    for name in ("bank/x/1.jsonl", "bank/y/2.jsonl", "bank/y/3.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert names("bank/*/*.jsonl", tmp_path) == ["x/1.jsonl", "y/2.jsonl"]
    assert names("bank/**/2*", tmp_path) == ["y/2.jsonl"]
    assert names(str(tmp_path / "bank/*/1.jsonl"), Path("/nowhere")) == ["x/1.jsonl"]


def test_magic_characters_in_the_base_folder_are_no_pattern(tmp_path: Path) -> None:
    base = tmp_path / "odd[1]*"
    base.mkdir()
    (base / "a.jsonl").write_text("{}")
    assert names("*.jsonl", base) == ["a.jsonl"]


@pytest.mark.parametrize(
    ("path", "message"),
    [("gone.jsonl", "no file at 'gone.jsonl'"), ("*.parquet", "no file at '*.parquet'"), ("only.txt", "holds no")],
)
def test_a_path_without_readable_files_is_the_users_to_fix(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "only.txt").write_text("x")
    with pytest.raises(ConfigError, match="bank: path") as caught:
        find_files(path, tmp_path, key="bank: path")
    assert message in str(caught.value)


def test_blank_lines_are_passed_over_and_still_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\r\n\n   \n{"b":2}')
    assert lines_of(path) == [Line(number=1, data=b'{"a":1}'), Line(number=4, data=b'{"b":2}')]


def test_rows_before_the_break_of_a_truncated_gzip_are_kept(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b'{"n":%d}\n' % n for n in range(2000)))
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    *kept, last = lines_of(path)
    assert kept[:2] == [Line(number=1, data=b'{"n":0}'), Line(number=2, data=b'{"n":1}')]
    assert all(isinstance(line, Line) for line in kept)
    assert isinstance(last, BrokenPart)
    assert (last.reason, last.locator) == ("truncated_file", f"a.jsonl.gz:{len(kept) + 1}")


def test_a_gzip_with_damaged_bytes_is_called_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"this is no gzip")
    assert [part.reason for part in lines_of(path) if isinstance(part, BrokenPart)] == ["corrupt_file"]


def test_a_row_beyond_the_limit_is_refused_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(b'{"a":1}\n{"tests":"')
        for _ in range(50):
            stream.write(b"x" * 2**20)
        stream.write(b'"}\n{"b":2}\n')
    tracemalloc.start()
    parts = lines_of(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [type(part).__name__ for part in parts] == ["Line", "BrokenPart", "Line"]
    assert isinstance(parts[1], BrokenPart)
    assert (parts[1].reason, parts[1].locator) == ("row_too_large", "big.jsonl.gz:2")
    assert "52,428,813 bytes" in parts[1].detail
    assert peak < 3 * MAX_ROW_BYTES


def test_a_file_that_vanished_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be opened"):
        lines_of(tmp_path / "gone.jsonl")
