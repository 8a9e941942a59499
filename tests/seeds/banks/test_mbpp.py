"""MBPP-style rows, full and sanitized."""

import pytest

from schemas.candidate import CheckerName, TaskStyle
from schemas.errors import SeedError
from schemas.source import SourceKind, SourceRef
from schemas.values import decode_text
from seeds.banks.mbpp import parse

REF = SourceRef(source="mb", kind=SourceKind.BANK, locator="m.jsonl:5")


def full(**changes: object) -> dict[str, object]:
    base: dict[str, object] = {
        "task_id": 4711,
        "text": "Write a function to count the sails of a fleet.",
        "code": "def helper(x):\r\n  return x * 2\r\ndef sails(ships):\r\n  return sum(helper(s) for s in ships)",
        "test_setup_code": "",
        "test_list": ["assert sails([1]) == 2", "assert sails([]) == 0", "assert sails([1, 2]) == 6"],
        "challenge_test_list": ["assert sails([9]) == 18"],
    }
    return base | changes


def sanitized(**changes: object) -> dict[str, object]:
    base = {
        key: value for key, value in full().items() if key not in {"text", "test_setup_code", "challenge_test_list"}
    }
    return base | {"prompt": "Count the sails.", "test_imports": [], "source_file": "x"} | changes


def test_a_full_row_keeps_challenge_tests_and_gets_lf_line_ends() -> None:
    candidate = parse(full(), REF)
    assert [decode_text(test.expected) for test in candidate.tests] == [2, 0, 6, 18]
    assert [test.public for test in candidate.tests] == [True, True, False, False]
    assert "\r" not in candidate.reference
    assert candidate.signature is not None
    assert candidate.signature.entry_point == "sails"


def test_a_sanitized_row_takes_its_prompt() -> None:
    assert parse(sanitized(), REF).statement == "Count the sails."


def test_sets_of_items_are_compared_without_order_in_the_container_of_the_reference() -> None:
    changes = {
        "code": "def both(a, b):\n  res = tuple(set(a) & set(b))\n  return res",
        "test_list": ["assert set(both((1, 2), (2, 3))) == set((2,))"],
    }
    candidate = parse(sanitized(**changes), REF)
    assert candidate.checker.name is CheckerName.UNORDERED
    assert decode_text(candidate.tests[0].expected) == (2,)


def test_sets_of_items_of_an_unknown_container_run_as_a_suite() -> None:
    changes = {"code": "def both(a):\n  return a", "test_list": ["assert set(both([1])) == {1}"]}
    candidate = parse(sanitized(**changes), REF)
    assert candidate.style is TaskStyle.SUITE


def test_set_up_code_with_objects_runs_as_a_suite() -> None:
    changes = {
        "code": "class Node:\n  def __init__(self, v):\n    self.v = v\ndef top(n):\n  return n.v",
        "test_setup_code": "root = Node(3)",
        "test_list": ["assert top(root) == 3"],
        "challenge_test_list": [],
    }
    candidate = parse(full(**changes), REF)
    assert candidate.suite is not None
    assert "from solution import Node, top" in candidate.suite.files[0].content


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"test_list": [], "challenge_test_list": []}, "empty_tests"),
        ({"test_list": "assert sails([1]) == 2"}, "wrong_type"),
        ({"test_list": [1]}, "wrong_type"),
        ({"test_list": ["assert other(1) == 2"], "challenge_test_list": []}, "no_entry_point"),
        ({"code": ""}, "no_reference"),
        ({"code": "print 1"}, "reference_syntax"),
        ({"text": ""}, "empty_statement"),
        ({"test_list": ["assert sails([1]) == 2", "assert sails([1]) == 3"]}, "contradictory_tests"),
    ],
)
def test_bad_rows_say_what_is_wrong(changes: dict[str, object], word: str) -> None:
    with pytest.raises(SeedError, match=r"source 'mb' \(m\.jsonl:5\)") as caught:
        parse(full(**changes), REF)
    assert caught.value.reason == word


def test_a_row_without_statement_misses_a_field() -> None:
    bad = full()
    del bad["text"]
    with pytest.raises(SeedError, match='"prompt" is missing'):
        parse(bad, REF)
