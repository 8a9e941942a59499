"""APPS and TACO rows."""

import json

import pytest

from schemas.candidate import Candidate, CheckerName, TaskStyle
from schemas.errors import SeedError
from schemas.source import SourceKind, SourceRef
from schemas.values import decode_call, decode_text
from seeds.banks.apps import parse

REF = SourceRef(source="apps", kind=SourceKind.BANK, locator="a.jsonl:3", license="MIT")


def row(**changes: object) -> dict[str, object]:
    """Return a stdin row in the published shape."""
    base: dict[str, object] = {
        "problem_id": 7,
        "question": "Double it.\n\n-----Example-----\nInput\n3 4\n\nOutput\n6\n8\n",
        "solutions": json.dumps(["for w in input().split():\n    print(int(w) * 2)\n"]),
        "input_output": json.dumps({"inputs": ["1\n", "3 4\n", "5\n"], "outputs": ["2\n", "6\n8\n", "10\n"]}),
        "difficulty": "introductory",
        "url": "",
        "starter_code": "",
    }
    return base | changes


def called(inputs: list[object], outputs: list[object], solutions: list[str], **changes: object) -> dict[str, object]:
    tests = {"fn_name": "f", "inputs": inputs, "outputs": outputs}
    return row(input_output=json.dumps(tests), solutions=json.dumps(solutions), **changes)


def expected(candidate: Candidate) -> list[object]:
    return [decode_text(test.expected) for test in candidate.tests]


def reason(bad: dict[str, object]) -> str:
    with pytest.raises(SeedError, match=r"source 'apps' \(a\.jsonl:3\)") as caught:
        parse(bad, REF)
    return caught.value.reason


def test_a_stdin_row_becomes_cases_with_the_shown_example_public() -> None:
    candidate = parse(row(), REF)
    assert (candidate.style, candidate.checker.name) == (TaskStyle.STDIN, CheckerName.LINES)
    assert [(t.input, t.expected, t.public) for t in candidate.tests] == [
        ("1\n", "2\n", False),
        ("3 4\n", "6\n8\n", True),
        ("5\n", "10\n", False),
    ]
    assert (candidate.source.original_id, candidate.source.license) == ("7", "MIT")
    assert (candidate.declared_difficulty, candidate.signature) == ("introductory", None)


def test_lists_of_lines_are_joined() -> None:
    tests = {"inputs": [["1", "2"]], "outputs": [["3", ""]]}
    candidate = parse(row(input_output=json.dumps(tests)), REF)
    assert (candidate.tests[0].input, candidate.tests[0].expected) == ("1\n2", "3\n")


def test_decimal_outputs_compare_within_a_tolerance() -> None:
    tests = {"inputs": ["1"], "outputs": ["0.333333"]}
    assert parse(row(input_output=json.dumps(tests)), REF).checker.name is CheckerName.TOKENS_FLOAT


def test_the_first_python_3_solution_is_the_reference() -> None:
    sources = ["print 'two'", "print(1)\r\n", "print(2)", "print(1)\n", " "]
    candidate = parse(row(solutions=json.dumps(sources)), REF)
    assert (candidate.reference, candidate.alternatives) == ("print(1)\n", ("print(2)",))


def test_at_most_eight_further_solutions_are_kept() -> None:
    sources = [f"print({number})" for number in range(40)]
    assert len(parse(row(solutions=json.dumps(sources)), REF).alternatives) == 8


def test_a_called_function_gets_its_signature_from_the_starter_code() -> None:
    starter = "class Solution:\n    def f(self, xs: List[int], k: int) -> int:\n        "
    source = "class Solution:\n    def f(self, xs, k):\n        return len(xs) + k\n"
    question = "Count.\nExample 1:\nInput: xs = [1], k = 2\nOutput: 3\n"
    candidate = parse(called([[[], 1], [[1], 2]], [1, 3], [source], starter_code=starter, question=question), REF)
    signature = candidate.signature
    assert signature is not None
    assert (signature.entry_point, signature.returns) == ("Solution().f", "int")
    assert [(p.name, p.annotation) for p in signature.parameters] == [("xs", "List[int]"), ("k", "int")]
    assert "from typing import *" in signature.preamble
    assert [decode_call(t.input)[0] for t in candidate.tests] == [([], 1), ([1], 2)]
    assert [t.public for t in candidate.tests] == [False, True]


def test_solutions_that_define_something_else_are_left_out() -> None:
    sources = ["def g(a): return a", "def f(a): return a", "class Solution:\n    def f(self, a): return a", "f = abs"]
    candidate = parse(called([[1]], [1], sources), REF)
    assert (candidate.reference, candidate.alternatives) == ("def f(a): return a", ())


@pytest.mark.parametrize(
    ("outputs", "starter", "body", "values"),
    [
        ([[True], [False]], "", "return a > 1", [True, False]),
        ([True, False], "", "return a > 1", [True, False]),
        ([[[1]], [[2]]], "", "return x", [[1], [2]]),
        ([[[1]], [[2]]], "def f(a) -> List[int]:", "return x", [[1], [2]]),
        ([[1], [2]], "def f(a) -> List[int]:", "return x", [[1], [2]]),
        ([[1], [2]], "", "return [a]", [[1], [2]]),
        ([[[1]], [[2]]], "def f(a) -> List[List[int]]:", "return x", [[[1]], [[2]]]),
        ([[1], [2, 3]], "", "return x", [[1], [2, 3]]),
        ([[1, 2], [3, 4]], "", "return (a, a)", [(1, 2), (3, 4)]),
    ],
)
def test_wrapped_outputs_are_unwrapped_unless_the_result_is_a_list(
    outputs: list[object], starter: str, body: str, values: list[object]
) -> None:
    candidate = parse(called([[1], [2]], outputs, [f"def f(a):\n    {body}\n"], starter_code=starter), REF)
    assert expected(candidate) == values


def test_a_taco_row_of_text_columns_is_read() -> None:
    extra = {
        "raw_tags": "['Sorting']",
        "tags": "['Sorting', 'Greedy algorithms']",
        "skill_types": "[]",
        "name": "Doubles",
        "source": "somewhere",
        "time_limit": "1.0 seconds",
        "Expected Time Complexity": None,
        "picture_num": None,
    }
    taco = row(**extra)
    del taco["problem_id"]
    candidate = parse(taco, REF)
    assert (candidate.tags, candidate.title) == (("Sorting", "Greedy algorithms"), "Doubles")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"question": None}, "wrong_type"),
        ({"question": 3}, "wrong_type"),
        ({"question": "  "}, "empty_statement"),
        ({"solutions": ""}, "no_reference"),
        ({"solutions": "[]"}, "no_reference"),
        ({"solutions": "["}, "broken_json"),
        ({"solutions": "{}"}, "no_reference"),
        ({"solutions": '{"a":1}'}, "wrong_type"),
        ({"solutions": "[1]"}, "wrong_type"),
        ({"solutions": json.dumps(["print 1", "x ="])}, "reference_syntax"),
        ({"input_output": ""}, "empty_tests"),
        ({"input_output": "[]"}, "wrong_type"),
        ({"input_output": "{}"}, "missing_field"),
        ({"input_output": '{"inputs": [], "outputs": []}'}, "empty_tests"),
        ({"input_output": '{"inputs": ["1"], "outputs": []}'}, "unequal_tests"),
        ({"input_output": '{"inputs": [1], "outputs": ["1"]}'}, "wrong_type"),
        ({"input_output": '{"inputs": ["1", "1"], "outputs": ["1", "2"]}'}, "contradictory_tests"),
        ({"starter_code": "def f(x):"}, "no_entry_point"),
        ({"question": "Print any valid order."}, "many_answers"),
        ({"question": "half a pair \ud800"}, "not_utf8"),
    ],
)
def test_bad_rows_say_what_is_wrong(changes: dict[str, object], word: str) -> None:
    assert reason(row(**changes)) == word


def test_a_missing_column_names_the_columns_that_are_there() -> None:
    bad = row()
    del bad["question"]
    with pytest.raises(SeedError, match='"question" is missing; the row has: difficulty, input_output'):
        parse(bad, REF)


def test_bad_called_rows_say_what_is_wrong() -> None:
    assert reason(called([[1]], [1], ["def g(): pass"])) == "no_entry_point"
    assert reason(called([1], [1], ["def f(a): return a"])) == "wrong_type"
    assert reason(called([], [], ["def f(a): return a"])) == "empty_tests"
