"""Reading whole banks: every row counts once, benchmarks need permission, equal rows are kept once."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.candidate import Candidate
from schemas.config import BankSource
from schemas.errors import ConfigError, SchemaError
from schemas.rejection import Rejection, Stage
from seeds.banks import BANKS
from seeds.banks.reading import check_bank, read_bank

GOOD = {
    "id": "a",
    "style": "function",
    "statement": "Add one.",
    "signature": "def f(n: int) -> int",
    "tests": [{"args": [1], "expected": 2}, {"args": [5], "expected": 6}],
    "reference": "def f(n):\n    return n + 1\n",
}


def bank(**changes: object) -> BankSource:
    base = {"kind": "bank", "name": "b", "format": "taskfoundry", "path": "x.jsonl", "license": "MIT"}
    return BankSource.model_validate(base | changes)


def write(folder: Path, rows: list[object], name: str = "x.jsonl") -> None:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n")


def outcome(record: Candidate | Rejection) -> str:
    return record.reason if isinstance(record, Rejection) else "ok"


def test_rows_around_bad_ones_are_kept(tmp_path: Path) -> None:
    rows = [GOOD, "{", GOOD | {"tests": []}, "[]", {"id": "z"}, GOOD | {"statement": "Other."}]
    write(tmp_path, rows)
    records = list(read_bank(bank(), tmp_path))
    assert [outcome(record) for record in records] == [
        "ok", "broken_json", "empty_tests", "not_an_object", "missing_field", "ok",
    ]  # fmt: skip
    refused = records[2]
    assert isinstance(refused, Rejection)
    assert (refused.stage, refused.source, refused.locator) == (Stage.INGEST, "b", "x.jsonl:3")
    assert json.loads(refused.payload_json)["tests"] == []
    assert "x.jsonl:3" in refused.detail


def test_a_row_nested_too_deeply_is_refused_alone(tmp_path: Path) -> None:
    deep = json.dumps(GOOD | {"tests": [{"args": ["@"], "expected": 1}]}).replace('"@"', "[" * 900 + "]" * 900)
    write(tmp_path, [deep, GOOD])
    assert [outcome(record) for record in read_bank(bank(), tmp_path)] == ["too_deeply_nested", "ok"]


def test_equal_rows_are_kept_once_wherever_they_stand(tmp_path: Path) -> None:
    write(tmp_path, [GOOD, GOOD | {"id": "copy", "tags": ["t"]}], "a.jsonl")
    write(tmp_path, [GOOD], "b.jsonl")
    first, second, third = read_bank(bank(path="*.jsonl"), tmp_path)
    assert [outcome(record) for record in (first, second, third)] == ["ok", "duplicate_row", "duplicate_row"]
    assert isinstance(first, Candidate)
    assert isinstance(third, Rejection)
    assert third.detail == f"source 'b' (b.jsonl:1): the same task as a.jsonl:1 ({first.record_id})"


def test_the_id_of_a_row_does_not_depend_on_its_place(tmp_path: Path) -> None:
    write(tmp_path, [GOOD], "a.jsonl")
    write(tmp_path, ["{", "", GOOD], "b.jsonl")
    ids = {
        record.record_id
        for name in ("a", "b")
        for record in read_bank(bank(path=f"{name}.jsonl"), tmp_path)
        if isinstance(record, Candidate)
    }
    assert len(ids) == 1


def test_a_limit_counts_rows_and_not_candidates(tmp_path: Path) -> None:
    write(tmp_path, ["{", GOOD, GOOD | {"statement": "Other."}])
    assert [outcome(record) for record in read_bank(bank(limit=2), tmp_path)] == ["broken_json", "ok"]


pieces = st.sampled_from(
    [
        json.dumps(GOOD),
        json.dumps(GOOD | {"statement": "Two."}),
        json.dumps(GOOD | {"tests": []}),
        json.dumps(GOOD | {"reference": 3}),
        json.dumps({key: value for key, value in GOOD.items() if key != "statement"}),
        json.dumps(GOOD | {"tests": [{"args": ["@"], "expected": 1}]}).replace('"@"', "[" * 900 + "]" * 900),
        json.dumps({"question": "q", "solutions": '["def f(a): return a"]', "input_output": "@"}).replace(
            "@", '{\\"fn_name\\": \\"f\\", \\"inputs\\": [[1]], \\"outputs\\": [' + "[" * 700 + "]" * 700 + "]}"
        ),
        "{broken",
        "null",
        "",
        "   ",
    ]
)
junk = st.dictionaries(
    st.sampled_from([*GOOD, "asserts", "checker"]), st.none() | st.integers() | st.text() | st.just([{}])
)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=st.lists(pieces | junk.map(json.dumps), max_size=12), bank_format=st.sampled_from(BANKS.names()))
def test_every_row_becomes_exactly_one_record(tmp_path: Path, lines: list[str], bank_format: str) -> None:
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    records = list(read_bank(bank(format=bank_format, allow_benchmark=True), tmp_path))
    filled = [number for number, line in enumerate(lines, 1) if line.strip()]
    places = [r.locator if isinstance(r, Rejection) else r.source.locator for r in records]
    assert places == [f"x.jsonl:{number}" for number in filled]
    kept = Counter(record.record_id for record in records if isinstance(record, Candidate))
    assert all(count == 1 for count in kept.values())


@pytest.mark.parametrize("name", ["humaneval", "mbpp"])
def test_benchmarks_are_refused_as_training_material_unless_asked_for(tmp_path: Path, name: str) -> None:
    write(tmp_path, [])
    with pytest.raises(ConfigError, match=f"source 'b': format '{name}' is a benchmark.*allow_benchmark: true"):
        read_bank(bank(format=name), tmp_path)
    check_bank(bank(format=name, allow_benchmark=True), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "taskfoundry", "dataset": "openai/openai_humaneval"},
        {"format": "mbpp", "dataset": "someone/rows"},
        {"format": "leetcode", "dataset": "someone/LeetCodeDataset", "dataset_split": "test"},
        {"format": "apps", "dataset": "someone/apps", "dataset_split": "test"},
    ],
)
def test_dataset_ids_of_benchmarks_are_refused_without_any_network(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="allow_benchmark"):
        check_bank(bank(path="", **changes), tmp_path)
    check_bank(bank(path="", allow_benchmark=True, **changes), tmp_path)


def test_mistakes_of_the_config_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"source 'b': unknown bank format 'leetcod'\. Did you mean 'leetcode'"):
        read_bank(bank(format="leetcod"), tmp_path)
    with pytest.raises(ConfigError, match=r"source 'b': path: no file at 'x\.jsonl'"):
        read_bank(bank(), tmp_path)


def test_a_format_cannot_be_registered_twice() -> None:
    with pytest.raises(SchemaError, match="'apps' is registered twice"):
        BANKS.register("apps", BANKS.get("apps"))


def test_a_train_split_of_a_dataset_is_no_benchmark(tmp_path: Path) -> None:
    check_bank(bank(path="", format="apps", dataset="someone/apps"), tmp_path)
