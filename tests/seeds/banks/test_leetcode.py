"""LeetCodeDataset rows of both versions."""

import pytest

from schemas.candidate import CheckerName, TaskStyle
from schemas.errors import SeedError
from schemas.source import SourceKind, SourceRef
from schemas.values import decode_call, decode_text
from seeds.banks.leetcode import parse

REF = SourceRef(source="leet", kind=SourceKind.BANK, locator="l.jsonl:1")
STATEMENT = """Add a number to a list.

Example 1:

Input: nums = [1,2], k = 3
Output: [4,5]

Constraints:

1 <= k <= 9
"""
STARTER = "class Solution:\n    def shift(self, nums: List[int], k: int) -> List[int]:\n        "
SOLUTION = (
    "class Solution:\n    def shift(self, nums: List[int], k: int) -> List[int]:\n"
    "        return [n + k for n in nums]\n"
)
TEST = """def check(candidate):
    assert candidate(nums = [1, 2],k = 3) == [4, 5]
    assert candidate(nums = [],k = 1) == []
    assert candidate(k = 2, nums = [0]) == [2]
"""


def flat(**changes: object) -> dict[str, object]:
    """Return a row of version 0.3.1."""
    base: dict[str, object] = {
        "task_id": "shift-a-list",
        "question_id": 9001,
        "difficulty": "Easy",
        "tags": ["Array"],
        "problem_description": STATEMENT,
        "starter_code": STARTER,
        "estimated_date": "2024-08-04",
        "prompt": "from typing import *\n",
        "completion": SOLUTION,
        "entry_point": "Solution().shift",
        "test": TEST,
        "input_output": [{"input": "nums = [1,2], k = 3", "output": "[4, 5]"}],
        "query": "",
        "response": "",
    }
    return base | changes


def nested(**changes: object) -> dict[str, object]:
    """Return a row of version 0.2.0."""
    base: dict[str, object] = {
        "task_id": "shift-a-list",
        "prompt": "from typing import *\n",
        "completion": SOLUTION,
        "entry_point": "Solution().shift",
        "test": TEST,
        "query": "",
        "response": "",
        "input_output": [],
        "meta": {
            "question_id": 9001,
            "difficulty": "Easy",
            "question_title": STATEMENT,
            "lang_code": STARTER.rstrip(),
        },
    }
    return base | changes


@pytest.mark.parametrize("row", [flat(), nested()])
def test_both_versions_give_the_same_task(row: dict[str, object]) -> None:
    candidate = parse(row, REF)
    signature = candidate.signature
    assert signature is not None
    assert (candidate.style, candidate.checker.name) == (TaskStyle.FUNCTION, CheckerName.EXACT)
    assert candidate.statement == STATEMENT.strip()
    assert [(p.name, p.annotation) for p in signature.parameters] == [("nums", "List[int]"), ("k", "int")]
    assert (signature.entry_point, signature.preamble) == ("Solution().shift", "from typing import *\n")
    assert [decode_call(test.input) for test in candidate.tests] == [
        (([1, 2], 3), {}),
        (([], 1), {}),
        (([0], 2), {}),
    ]
    assert [decode_text(test.expected) for test in candidate.tests] == [[4, 5], [], [2]]
    assert [test.public for test in candidate.tests] == [True, False, False]
    assert candidate.declared_difficulty == "Easy"


def test_the_two_versions_of_one_task_have_one_id() -> None:
    assert parse(flat(), REF).record_id == parse(nested(), REF).record_id


def test_answers_in_any_order_are_compared_without_order() -> None:
    row = flat(problem_description=STATEMENT + "You can return the answer in any order.")
    assert parse(row, REF).checker.name is CheckerName.UNORDERED


def test_floats_take_the_tolerance_of_the_site() -> None:
    row = flat(test="def check(candidate):\n    assert candidate(nums = [1], k = 2) == 2.50000\n")
    checker = parse(row, REF).checker
    assert (checker.name, checker.rel_tol, checker.abs_tol) == (CheckerName.FLOAT, 1e-5, 1e-5)


def test_rows_with_linked_lists_run_as_suites_and_say_why() -> None:
    test = "def check(candidate):\n    assert is_same_list(candidate(list_node([1]), 2), list_node([3]))\n"
    candidate = parse(flat(test=test), REF)
    assert candidate.style is TaskStyle.SUITE
    assert candidate.suite is not None
    assert "is_same_list" in candidate.suite.why
    assert candidate.tests == ()


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"completion": ""}, "no_reference"),
        ({"completion": "class Solution:"}, "reference_syntax"),
        ({"test": ""}, "empty_tests"),
        ({"test": "def check(candidate):\n    pass"}, "empty_tests"),
        ({"test": "def check(candidate:"}, "empty_tests"),
        ({"test": 3}, "wrong_type"),
        ({"problem_description": ""}, "empty_statement"),
        ({"problem_description": None}, "wrong_type"),
        ({"entry_point": None}, "wrong_type"),
        ({"tags": "Array"}, "wrong_type"),
        ({"problem_description": "If there are multiple answers, return any of them."}, "many_answers"),
    ],
)
def test_bad_rows_say_what_is_wrong(changes: dict[str, object], word: str) -> None:
    with pytest.raises(SeedError, match=r"source 'leet' \(l\.jsonl:1\)") as caught:
        parse(flat(**changes), REF)
    assert caught.value.reason == word
