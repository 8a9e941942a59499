"""Which test cases the statement shows, and which are public."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.candidate import Parameter, TestCase, TestOrigin
from schemas.values import encode_call
from seeds.assert_shapes import PendingCall
from seeds.examples import bind_by_position, labelled_calls, mark_public, read_call, shown_inputs, written_calls

PARAMETERS = (Parameter(name="nums"), Parameter(name="target"))
CALL = encode_call(([2, 7], 9), {})


def case(text: str, expected: str = "1") -> TestCase:
    return TestCase.make(text, expected, origin=TestOrigin.BANK)


def test_keyword_arguments_move_to_their_places() -> None:
    call = PendingCall(args=(), kwargs=(("target", 9), ("nums", [2, 7])))
    assert bind_by_position(call, PARAMETERS) == PendingCall(args=([2, 7], 9))


def test_a_gap_or_an_unknown_name_keeps_the_keywords() -> None:
    call = PendingCall(args=(), kwargs=(("target", 9), ("other", 1)))
    assert bind_by_position(call, PARAMETERS) == call


@given(nums=st.lists(st.integers()), target=st.integers(), count=st.integers(0, 2))
def test_every_split_into_places_and_keywords_is_one_call(nums: list[int], target: int, count: int) -> None:
    values = {"nums": nums, "target": target}
    args = tuple(values.values())[:count]
    kwargs = tuple(list(values.items())[count:][::-1])
    bound = bind_by_position(PendingCall(args=args, kwargs=kwargs), PARAMETERS)
    assert encode_call(bound.args, dict(bound.kwargs)) == encode_call((nums, target), {})


@pytest.mark.parametrize("text", ["f([2, 7], 9)", "f(nums=[2,7], target = 9)", "f(\n[2, 7],\ntarget=9)"])
def test_a_written_call_is_encoded(text: str) -> None:
    assert read_call(text, "f", PARAMETERS) == CALL


@pytest.mark.parametrize("text", ["g(1)", "f(x)", "f(", "1 + f(2)", "", "f(1)\nf(2)", "f(\x00)"])
def test_what_is_no_call_of_plain_data_is_none(text: str) -> None:
    assert read_call(text, "f", PARAMETERS) is None


def test_examples_with_labels_are_found() -> None:
    statement = """Text.

Example 1:

Input: nums = [2,7],
       target = 9
Output: [0,1]
Explanation: because

**Input:** nums = [true, null], target = -1
**Output:** []
"""
    assert labelled_calls(statement, PARAMETERS) == {CALL, encode_call(([True, None], -1), {})}


def test_calls_in_docstrings_and_prose_are_found() -> None:
    text = ">>> f([1], 2)\n3\nFor f('a)b', 0) == 1 and ff(9, 9) nothing; f(unknown, 1) -> 0"
    assert written_calls(text, "f", PARAMETERS) == {encode_call(([1], 2), {}), encode_call(("a)b", 0), {})}


def test_streams_that_stand_in_the_statement_as_lines_are_shown() -> None:
    statement = "Input\n\n3 5\n00100 \n\nOutput\n\n7\n\nA number such as 4 is no example."
    shown, other, half = case("3 5\n00100\n", "7\n"), case("4\n", "4\n"), case("3 5\n00100\n1\n", "7\n")
    assert shown_inputs(statement, [shown, other, half]) == {shown.input}


def test_shown_cases_are_public_and_the_others_hidden() -> None:
    marked = mark_public([case("a"), case("b"), case("c")], frozenset({"b"}))
    assert [item.public for item in marked] == [False, True, False]


@pytest.mark.parametrize(("count", "public"), [(1, 0), (2, 1), (3, 2), (9, 2)])
def test_without_shown_cases_the_first_two_are_public_but_never_all(count: int, public: int) -> None:
    marked = mark_public([case(str(number)) for number in range(count)], frozenset({"elsewhere"}))
    assert [item.public for item in marked] == [number < public for number in range(count)]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["Input:" + "\n" * 90_000, "Input:x" + "\n\t" * 40_000 + "Outp", "Input" * 18_000])
def test_statements_that_never_come_to_an_output_cost_nothing(text: str) -> None:
    assert labelled_calls(text, PARAMETERS) == frozenset()
