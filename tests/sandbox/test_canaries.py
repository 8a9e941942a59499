"""Tests that must fail."""

import ast
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.canaries import plant, write_impossible_tests

TESTS = b"""\
import pytest

from shop import add


@pytest.mark.parametrize("x", [1, 2])
def test_add(x):
    for y in range(3):
        assert add(x, y) == x + y


class TestMore:
    def test_method(self):
        assert add("\xc3\xa9", "b") == "\xc3\xa9b"

    def test_true(self):
        assert add(1, 1)
"""
IDS = ("t.py::test_add[1]", "t.py::test_add[2]", "t.py::TestMore::test_method", "t.py::TestMore::test_true")


def run_failures(source: str, names: frozenset[str]) -> dict[str, bool]:
    """Return for each planted module-level function whether calling it raises AssertionError."""
    space: dict[str, object] = {}
    exec(compile(source, "canary", "exec"), space)
    failures = {}
    for name in names & set(space):
        try:
            space[name]()  # type: ignore[operator]
            failures[name] = False
        except AssertionError:
            failures[name] = True
    return failures


@given(st.integers())
def test_impossible_tests_always_fail(seed: int) -> None:
    text, names = write_impossible_tests(random.Random(seed), 4, ())
    assert len(names) == 4
    assert run_failures(text, names) == dict.fromkeys(names, True)


def test_copies_stand_beside_the_originals_with_another_expectation() -> None:
    planted = plant(random.Random(1), {"t.py": TESTS, "other.py": b"x = 1\n"}, IDS)
    assert set(planted.files) == {"t.py"}
    text = planted.files["t.py"].decode()
    module = ast.parse(text)
    original = ast.parse(TESTS)
    top = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    methods = {node.name for part in module.body if isinstance(part, ast.ClassDef) for node in part.body}
    assert len(top & planted.names) == 4
    assert len(methods & planted.names) == 1
    assert {node.name for node in ast.walk(original) if isinstance(node, ast.FunctionDef)} <= top | methods
    assert "== (x + y, " in text
    assert '== ("éb", ' in text
    assert text.count('@pytest.mark.parametrize("x", [1, 2])') == 2


def test_an_expected_value_in_a_variable_is_changed_where_a_frame_would_show_it() -> None:
    source = b"""\
LIMIT = 3

def test_parameter(x, expected):
    assert double(x) == expected

def test_local():
    for x, wanted in [(1, 2), (2, 4)]:
        assert double(x) == wanted

def test_global():
    assert double(1) == LIMIT
"""
    ids = ("t.py::test_parameter[1]", "t.py::test_local", "t.py::test_global")
    text = plant(random.Random(1), {"t.py": source}, ids).files["t.py"].decode()
    assert "    expected = (expected, " in text
    assert "        wanted = (wanted, " in text
    assert "== (LIMIT, " in text
    ast.parse(text)


def test_planting_is_deterministic_and_depends_on_the_generator() -> None:
    one, same, other = (plant(random.Random(seed), {"t.py": TESTS}, IDS) for seed in (1, 1, 2))
    assert one == same
    assert one.names != other.names


def test_canaries_are_recognised_by_node_id() -> None:
    planted = plant(random.Random(1), {"t.py": TESTS}, IDS)
    name = min(planted.names)
    assert planted.is_canary(f"t.py::TestMore::{name}[a::b]") or planted.is_canary(f"t.py::{name}[x]")
    assert not planted.is_canary("t.py::test_add[1]")


@pytest.mark.parametrize("source", [b"def broken(:\n", b"\xff\xfe", b"x = '\0'\n"])
def test_files_that_can_not_be_read_stay_as_they_are(source: bytes) -> None:
    planted = plant(random.Random(1), {"t.py": source}, ("t.py::test_a",))
    assert (planted.files, planted.names) == ({"t.py": source}, frozenset())
