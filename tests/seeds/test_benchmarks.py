"""Benchmark files of every published shape as items; nothing is passed over in silence."""

import json
from pathlib import Path

import pytest

from schemas.benchmark import BenchmarkItem
from schemas.config import Benchmark
from schemas.errors import ConfigError, SeedError
from schemas.values import encode_call, encode_text
from seeds.benchmarks import check_benchmark, read_benchmark


def read(folder: Path, *rows: object, name: str = "x.jsonl") -> list[BenchmarkItem]:
    (folder / name).write_text("\n".join(json.dumps(row) for row in rows))
    return list(read_benchmark(Benchmark(name="bench", path="."), folder))


def pair(args: tuple[object, ...], expected: object, **kwargs: object) -> tuple[str, str]:
    return encode_call(args, kwargs), encode_text(expected)


def test_humaneval_rows(tmp_path: Path) -> None:
    row = {
        "task_id": "H/1",
        "prompt": "def f(a, b):\n    pass\n",
        "entry_point": "f",
        "canonical_solution": "    return a\n",
        "test": "def check(candidate):\n    assert candidate(1, b=2) == 1\n",
    }
    (item,) = read(tmp_path, row)
    assert item == BenchmarkItem(
        benchmark="bench",
        item_id="H/1",
        statement=row["prompt"],
        solutions=(row["prompt"] + row["canonical_solution"],),
        io_pairs=(pair((1, 2), 1),),
    )


def test_mbpp_rows_of_both_kinds(tmp_path: Path) -> None:
    code = {"code": "def g(x):\n    return x", "test_list": ["assert g(1) == 1", "assert g('a') == 'a'"]}
    full, sanitized = read(tmp_path, {"task_id": 3, "text": "T"} | code, {"task_id": 4, "prompt": "P"} | code)
    assert (full.item_id, full.statement, sanitized.item_id, sanitized.statement) == ("3", "T", "4", "P")
    assert full.io_pairs == sanitized.io_pairs == (pair((1,), 1), pair(("a",), "a"))


def test_tests_that_are_no_plain_data_leave_the_item_without_pairs(tmp_path: Path) -> None:
    row = {"task_id": 3, "text": "T", "code": "def g(x): return x", "test_list": ["assert g(open('x')) == 1"]}
    (item,) = read(tmp_path, row)
    assert (item.io_pairs, item.solutions) == ((), ("def g(x): return x",))


def test_cruxeval_rows(tmp_path: Path) -> None:
    row = {"id": "s_0", "code": "def f(a, b): return a", "input": "[1], {'k': 2}", "output": "[1]"}
    (item, odd) = read(tmp_path, row, row | {"id": "s_1", "output": "g(1)"})
    assert item.io_pairs == (pair(([1], {"k": 2}), [1]),)
    assert odd.io_pairs == ()


def test_translations_are_told_apart_by_language(tmp_path: Path) -> None:
    multi = {"name": "H_0_f", "language": "cpp", "prompt": "int f()", "tests": "}"}
    poly = {"key": "go", "solutions": {"H/0": "func f()", "H/1": "func g()"}}
    rephrased = {"task_id": "H/0", "rephrase": "js", "text": "function f()"}
    items = read(tmp_path, multi, multi | {"language": "rs"}, poly, rephrased)
    assert [item.item_id for item in items] == ["H_0_f.cpp", "H_0_f.rs", "H/0.go", "H/1.go", "H/0.js"]
    assert items[2].solutions == ("func f()",)


def test_swebench_rows_name_their_repository(tmp_path: Path) -> None:
    row = {
        "instance_id": "o__r-1",
        "repo": "o/r",
        "problem_statement": "It breaks.",
        "patch": "diff",
        "base_commit": "c",
    }
    (item,) = read(tmp_path, row)
    assert (item.repo, item.statement, item.solutions) == ("o/r", "It breaks.", ("diff",))


def test_apps_rows_with_and_without_a_function_name(tmp_path: Path) -> None:
    stdin = {"problem_id": 1, "input_output": '{"inputs": ["1\\n"], "outputs": ["2\\n"]}'}
    called = {"problem_id": 2, "input_output": '{"fn_name": "f", "inputs": [[1, "a"]], "outputs": [[true]]}'}
    empty = {"problem_id": 3, "input_output": "", "question": "Q", "solutions": '["print(1)"]'}
    items = read(tmp_path, stdin, called, empty)
    assert [item.io_pairs for item in items] == [(("1\n", "2\n"),), (pair((1, "a"), True),), ()]
    assert (items[2].statement, items[2].solutions) == ("Q", ("print(1)",))


def test_leetcode_taco_and_exercism_rows(tmp_path: Path) -> None:
    leetcode = {
        "task_id": "two",
        "problem_description": "D",
        "starter_code": "class Solution:\n    def two(self, a: int) -> int:\n        ",
        "entry_point": "Solution().two",
        "completion": "class Solution: pass",
        "test": "def check(candidate):\n    assert candidate(a = 3) == 4\n",
    }
    taco = {"task_id": 5, "question": "Q", "io_style": "stdin"}
    practice = {"track": "go", "slug": "s", "instructions": "I", "example": {"b.go": "B", "a.go": "A"}, "tests": {}}
    canonical = {
        "slug": "s",
        "canonical_data": {"cases": [{"cases": [{"input": {"z": [1, 0]}, "expected": 1}]}, {"input": {}}]},
    }
    items = read(tmp_path, leetcode, taco, practice, canonical)
    assert [item.item_id for item in items] == ["two", "5", "go/s", "s"]
    assert items[0].io_pairs == (pair((3,), 4),)
    assert items[2].solutions == ("A", "B")
    assert items[3].io_pairs == (pair((), 1, z=[1, 0]),)


def test_rows_of_our_own(tmp_path: Path) -> None:
    row = {
        "id": "own-1",
        "statement": "S",
        "solution": "def f(x):\n    return x",
        "tests": ["assert f(1) == 1"],
        "io": [{"input": "1", "output": "2"}, {"args": [[1], {"$tuple": [2]}], "expected": {"$set": []}}],
    }
    (item, bare) = read(tmp_path, row, {"id": "own-2", "statement": "S"})
    assert item.io_pairs == (("1", "2"), pair(([1], (2,)), set()), pair((1,), 1))
    assert bare.solutions == ()


def test_ids_that_repeat_are_numbered(tmp_path: Path) -> None:
    row = {"id": "a", "statement": "S"}
    assert [item.item_id for item in read(tmp_path, row, row, {"id": "b", "statement": "S"}, row)] == [
        "a",
        "a#2",
        "b",
        "a#3",
    ]


@pytest.mark.parametrize(
    ("text", "reason", "message"),
    [
        ('{"id":"a","statement":"S"}\n{', "broken_json", r"benchmark 'bench' \(x\.jsonl:2\)"),
        ('{"other":1}', "unknown_shape", "no known shape has the fields other"),
        ('{"id":"a","statement":3}', "wrong_type", '"statement" is an integer'),
        ('{"key":"go","solutions":{"H/0":1}}', "wrong_type", "expected text"),
    ],
)
def test_a_row_that_cannot_be_read_stops_the_reading(tmp_path: Path, text: str, reason: str, message: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(SeedError, match=message) as caught:
        list(read_benchmark(Benchmark(name="bench", path="x.jsonl"), tmp_path))
    assert caught.value.reason == reason


def test_a_missing_file_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="benchmark 'bench': path: no file at 'gone'"):
        check_benchmark(Benchmark(name="bench", path="gone"), tmp_path)
