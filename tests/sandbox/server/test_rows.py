"""Rows and ground truths that nobody could judge are refused with the name of the field, before anything runs."""

import dataclasses
import json

import pytest

from sandbox.server.bounds import check_task
from sandbox.server.rows import read_row, read_truth
from sandbox.server.settings import ServerSettings
from schemas.candidate import Suite, SuiteFile, TaskStyle
from schemas.errors import ConfigError, SchemaError
from schemas.row import to_row
from tests.builders import make_task

TASK = make_task("t")
ROW = json.loads(json.dumps(to_row(TASK), default=str))
TESTS = "from solution import double\ndef test_two():\n    assert double(2) == 4\n"


def make_deep(levels=5000):
    deep = "x"
    for _ in range(levels):
        deep = [deep]
    return deep


def make_suite_row():
    """Return a suite task as a row."""
    suite = Suite(files=(SuiteFile(path="test_it.py", content=TESTS),))
    candidate = dataclasses.replace(TASK.proven.candidate, style=TaskStyle.SUITE, suite=suite, tests=())
    proven = dataclasses.replace(TASK.proven, candidate=candidate, tests=())
    return json.loads(json.dumps(to_row(dataclasses.replace(TASK, proven=proven)), default=str))


SUITE_ROW = make_suite_row()


def read(row):
    return check_task(read_row(row), ServerSettings())


def in_json(row, column, **changes):
    return {**row, column: json.dumps({**json.loads(row[column]), **changes})}


def with_files(*pairs, **more):
    files = [{"path": path, "content": content} for path, content in pairs]
    return in_json(SUITE_ROW, "suite_json", files=files, **more)


def test_rows_of_ours_are_taken():
    assert read(ROW).candidate.style is TaskStyle.FUNCTION
    assert read(SUITE_ROW).candidate.style is TaskStyle.SUITE
    nested = with_files(("tests/test_it.py", TESTS), ("tests/data/x.txt", ""), ("conftest.py", ""))
    assert len(read(nested).candidate.suite.files) == 3


WRONG = [
    ({"schema_version": make_deep()}, "schema_version"),
    ({"schema_version": "0.0"}, "schema_version"),
    ({"task_id": ["t"]}, "record_id"),
    ({"style": "odd"}, "style"),
    ({"style": make_deep()}, "style"),
    ({"language": {"a": 1}}, "language"),
    ({"signature_json": "[]"}, "signature_json"),
    ({"signature_json": "[" * 100_000}, "signature_json"),
    ({"signature_json": make_deep()}, "signature_json"),
    ({"checker": "odd"}, "checker"),
    ({"checker": make_deep()}, "checker"),
    ({"hidden_tests": None}, "hidden_tests"),
    ({"hidden_tests": [None]}, "hidden_tests"),
    ({"hidden_tests": [{"case_id": "x"}]}, "hidden_tests"),
    ({"hidden_tests": [{**ROW["hidden_tests"][0], "tier": make_deep()}]}, "hidden_tests"),
    ({"hidden_tests": [{**ROW["hidden_tests"][0], "input": 7}]}, "tests"),
    ({"hidden_tests": ROW["hidden_tests"][:1] * 10_001}, "hidden_tests"),
    ({"public_tests": 7}, "public_tests"),
    ({"limits_json": "{"}, "limits_json"),
    ({"limits_json": json.dumps({"cpu_s": [1]})}, "limits_json"),
    ({"verdict_strength": "odd"}, "verdict_strength"),
    ({"tags": 7}, "tags"),
    ({"survivors": [{"odd": 1}]}, "survivors"),
    ({"baseline_failed": -1}, "baseline_failed"),
    ({"baseline_failed": make_deep()}, "baseline_failed"),
    ({"split": "odd"}, "split"),
]


@pytest.mark.parametrize(("change", "name"), WRONG, ids=range(len(WRONG)))
def test_a_column_of_another_kind_is_named(change, name):
    with pytest.raises(SchemaError, match=name) as caught:
        read({**ROW, **change})
    assert len(str(caught.value)) < 1000


def test_a_column_that_is_missing_is_named():
    for column in ("style", "hidden_tests", "limits_json", "checker", "reference_solution"):
        with pytest.raises(SchemaError, match=column):
            read({name: value for name, value in ROW.items() if name != column})


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (with_files(), "no test module"),
        (with_files(("conftest.py", "x = 1")), "no test module"),
        (with_files(("test_it.py", "")), "test_it.py' is empty"),
        (with_files(("test_it.py", "def")), "test_it.py' is no Python"),
        (with_files(("test_it.py", "x = '\0'")), "test_it.py' is no Python"),
        (with_files(("../test_it.py", TESTS)), "no path of a file"),
        (with_files(("/test_it.py", TESTS)), "no path of a file"),
        (with_files(("a//test_it.py", TESTS)), "no path of a file"),
        (with_files(("test\0_it.py", TESTS)), "no path of a file"),
        (with_files(("test\ud800.py", TESTS)), "suite_json"),
        (with_files(("x" * 256, TESTS)), "no path of a file"),
        (with_files(("test_it.py", TESTS), ("test_it.py", TESTS)), "twice"),
        (with_files(("solution.py", TESTS)), "twice"),
        (with_files(("test_it.py", TESTS), ("test_it.py/x", "")), "a folder and a file"),
        (with_files(("test_it.py", TESTS), solution_path=""), "no path of a file"),
        (with_files(("test_it.py", TESTS), solution_path="../x"), "no path of a file"),
        ({**SUITE_ROW, "suite_json": ""}, "suite_json"),
        ({**SUITE_ROW, "reference_solution": ""}, "reference_solution is empty"),
        ({**SUITE_ROW, "reference_solution": "def"}, "reference_solution is no Python"),
        ({**ROW, "signature_json": ""}, "without a signature"),
        (in_json(ROW, "signature_json", entry_point=""), "entry_point is no Python"),
        (in_json(ROW, "signature_json", entry_point="a; b"), "entry_point is no Python"),
        (in_json(ROW, "signature_json", entry_point="(" * 100_000), "entry_point is no Python"),
        (in_json(ROW, "signature_json", preamble="import"), "preamble is no Python"),
    ],
    ids=range(24),
)
def test_a_task_that_nobody_could_judge_is_refused(row, words):
    with pytest.raises(SchemaError, match=words):
        read(row)


def test_too_little_memory_for_anything_to_start_is_refused():
    with pytest.raises(ConfigError, match="memory_mb is 15; nothing starts"):
        read(in_json(ROW, "limits_json", memory_mb=15))
    assert read(in_json(ROW, "limits_json", memory_mb=16)).evidence.limits.memory_mb == 16


def test_a_ground_truth_of_another_kind_says_so():
    truth = ROW["reward_model"]["ground_truth"]
    assert read_truth(truth, "t").tests
    for text in ("[" * 100_000, "{}", "7", json.dumps({**json.loads(truth), "limits": {"cpu_s": "odd"}})):
        with pytest.raises(SchemaError, match="ground_truth"):
            read_truth(text, "t")
