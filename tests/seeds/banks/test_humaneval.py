"""HumanEval-style rows."""

import pytest

from schemas.candidate import Checker, CheckerName, TaskStyle
from schemas.errors import SeedError
from schemas.source import SourceKind, SourceRef
from schemas.values import decode_text
from seeds.banks.humaneval import parse

REF = SourceRef(source="he", kind=SourceKind.BANK, locator="h.jsonl:2")
PROMPT = '''from typing import List


def half(x):
    return x / 2


def lift(rows: List[int], by: int = 1) -> int:
    """ Lift the rows.
    >>> lift([1, 2], 3)
    9
    """
'''


def row(**changes: object) -> dict[str, object]:
    base: dict[str, object] = {
        "task_id": "Own/1",
        "prompt": PROMPT,
        "entry_point": "lift",
        "canonical_solution": "    return sum(rows) + by * len(rows)\n",
        "test": "METADATA = {}\n\n\ndef check(candidate):\n"
        "    assert candidate([]) == 0\n    assert candidate([1, 2], 3) == 9\n    assert candidate([5], 0) == 5\n",
    }
    return base | changes


def test_the_prompt_gives_statement_preamble_and_starter() -> None:
    candidate = parse(row(), REF)
    signature = candidate.signature
    assert signature is not None
    assert candidate.statement.startswith("Lift the rows.")
    assert (candidate.starter_code, candidate.title) == (PROMPT, "lift")
    assert signature.preamble.startswith("from typing import List")
    assert signature.preamble.endswith("return x / 2")
    assert [(p.name, p.annotation, p.default) for p in signature.parameters] == [
        ("rows", "List[int]", ""),
        ("by", "int", "1"),
    ]
    assert candidate.reference == PROMPT + "    return sum(rows) + by * len(rows)\n"


def test_the_examples_of_the_docstring_are_public() -> None:
    candidate = parse(row(), REF)
    assert [test.public for test in candidate.tests] == [False, True, False]
    assert [decode_text(test.expected) for test in candidate.tests] == [0, 9, 5]


def test_tolerances_are_kept() -> None:
    test = "def check(candidate):\n    assert abs(candidate([1]) - 0.5) < 1e-3\n    assert candidate([]) == 0.25\n"
    assert parse(row(test=test), REF).checker == Checker(name=CheckerName.FLOAT, abs_tol=1e-3)


def test_tests_that_call_helpers_of_the_prompt_run_as_a_suite() -> None:
    test = "def check(candidate):\n    for x in [2, 4]:\n        assert candidate([x]) == half(2 * x) + 1\n"
    candidate = parse(row(test=test), REF)
    assert candidate.style is TaskStyle.SUITE
    assert candidate.suite is not None
    assert "from solution import lift" in candidate.suite.files[0].content
    assert "def half(x):" in candidate.suite.files[0].content


def test_truth_of_a_value_that_may_not_be_a_boolean_runs_as_a_suite() -> None:
    candidate = parse(row(test="def check(candidate):\n    assert candidate([1])\n"), REF)
    assert candidate.suite is not None
    assert "isn't evidently a boolean" in candidate.suite.why


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"entry_point": "other"}, "no_entry_point"),
        ({"canonical_solution": "  broken"}, "reference_syntax"),
        ({"test": "def check(candidate):\n    pass\n"}, "empty_tests"),
        ({"prompt": None}, "wrong_type"),
        ({"task_id": []}, "wrong_type"),
    ],
)
def test_bad_rows_say_what_is_wrong(changes: dict[str, object], word: str) -> None:
    with pytest.raises(SeedError, match=r"source 'he' \(h\.jsonl:2\)") as caught:
        parse(row(**changes), REF)
    assert caught.value.reason == word
