"""The checker that a source's own words ask for."""

import pytest

from schemas.candidate import Checker, CheckerName
from schemas.errors import SeedError
from seeds.checking import (
    accepts_any_answer,
    accepts_any_order,
    choose_for_output,
    choose_for_values,
    holds_float,
    merge_checkers,
)

EXACT, UNORDERED = Checker(), Checker(name=CheckerName.UNORDERED)


def close(rel: float, absolute: float) -> Checker:
    return Checker(name=CheckerName.FLOAT, rel_tol=rel, abs_tol=absolute)


def choose(expected: list[object], statement: str = "", returns: str = "", spelled: Checker = EXACT) -> Checker:
    return choose_for_values(spelled, expected, statement=statement, returns=returns, tolerance=1e-5, place="row")


@pytest.mark.parametrize(
    "statement",
    [
        "Return the pair. You can return the answer in any order.",
        "The output may be printed in any order.",
        "Note that the order of the results does not matter.",
    ],
)
def test_statements_that_free_the_order_of_the_answer_are_seen(statement: str) -> None:
    assert accepts_any_order(statement)


@pytest.mark.parametrize(
    "statement",
    ["You may apply the operations in any order. Return the least cost.", "Return the sorted list.", ""],
)
def test_an_order_of_something_else_is_not_the_order_of_the_answer(statement: str) -> None:
    assert not accepts_any_order(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "If there are multiple answers, print any of them.",
        "If there are several solutions, you may output any.",
        "Return any valid schedule.",
        "Print the path. Any of those is accepted.",
        "If there are multiple ways to satisfy the condition, any of those is accepted.",
        "Find any such subset.",
    ],
)
def test_statements_with_several_right_answers_are_seen(statement: str) -> None:
    assert accepts_any_answer(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "Return True if any of its rotations is a substring of the first word.",
        "If there are multiple answers, return the smallest.",
        "You need to return whether any two cards are equal.",
        "There may be many cells. Print the number of moves. Any cell may be visited twice.",
        "If the input holds several words and any of them is empty, print 0.",
    ],
)
def test_other_uses_of_any_are_left_alone(statement: str) -> None:
    assert accepts_any_answer(statement) == ""


def test_plain_values_compare_exactly() -> None:
    assert choose([1, "a", [2]]) == EXACT


def test_floats_take_the_tolerance_of_the_format() -> None:
    assert choose([1, {"a": [0.5]}]) == close(1e-5, 1e-5)
    assert choose([2], returns="float") == close(1e-5, 1e-5)


def test_what_the_asserts_spell_goes_first() -> None:
    assert choose([0.5], "Return them in any order.", spelled=close(0, 0.1)) == close(0, 0.1)


def test_lists_in_any_order_take_the_unordered_checker() -> None:
    words = "Return the answer in any order."
    assert choose([[2, 1], [0]], words) == UNORDERED
    assert choose([["b", "a"]], words) == UNORDERED
    assert choose([3, [1]], words) == EXACT


def test_lists_of_sorted_lists_in_any_order_are_refused_as_ambiguous() -> None:
    words = "Return all combinations in any order. The result is a list."
    with pytest.raises(SeedError) as caught:
        choose([[[1, 2], [0, 3]], []], words)
    assert caught.value.reason == "ambiguous_order"


def test_lists_of_unsorted_lists_in_any_order_keep_their_inner_order() -> None:
    assert choose([[["b", "a"], ["a", "b"]]], "Return the answer in any order.") == UNORDERED


def test_tolerances_merge_to_the_loosest() -> None:
    assert merge_checkers([EXACT, close(0, 1e-6), close(1e-3, 0)]) == close(1e-3, 1e-6)
    assert merge_checkers([EXACT, EXACT]) == EXACT
    assert merge_checkers([UNORDERED, UNORDERED]) == UNORDERED
    assert merge_checkers([]) == EXACT


def test_ordered_and_unordered_asserts_have_no_common_checker() -> None:
    assert merge_checkers([EXACT, UNORDERED]) is None


@pytest.mark.parametrize(
    ("outputs", "name"),
    [
        (["1\n", "abc"], CheckerName.LINES),
        (["3.50\n"], CheckerName.TOKENS_FLOAT),
        (["1", "x -0.5 y"], CheckerName.TOKENS_FLOAT),
        (["v1.2.3", "10.0.0.1"], CheckerName.LINES),
    ],
)
def test_outputs_with_decimal_numbers_compare_within_a_tolerance(outputs: list[str], name: CheckerName) -> None:
    assert choose_for_output(outputs).name is name


def test_floats_are_found_inside_containers() -> None:
    assert holds_float({1: [(0.5,)]})
    assert not holds_float({1: [(True, "0.5")]})
