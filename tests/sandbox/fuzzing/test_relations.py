"""What holds between arguments is found in examples and made to hold in draws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.fuzzing.domains import Domain
from sandbox.fuzzing.relations import (
    Relation,
    Rule,
    find_relations,
    is_rectangular,
    is_square,
    repair_call,
    repair_value,
)

EXAMPLES = {
    Rule.SAME_LENGTH: [([1, 2], "ab"), ([], ""), ([5], "x")],
    Rule.NOT_ABOVE: [(1, 1), (-5, 3), (0, 9)],
    Rule.INDEX: [(0, [5]), (1, "abc"), (2, [1, 2, 3])],
    Rule.MEMBER: [(5, [5]), ("b", ["a", "b"]), (None, [None])],
    Rule.AT_MOST_LENGTH: [(0, []), (1, [7]), (1, [7, 8])],
    Rule.IS_LENGTH: [(0, []), (1, [7]), (2, "ab")],
    Rule.NODES_FROM_ZERO: [([[0, 1]], 2), ([[2, 0]], 3), ([], 1)],
    Rule.NODES_FROM_ONE: [([[1, 2]], 2), ([[3, 1]], 3), ([], 1)],
}


def rules_of(calls):
    return {(found.rule, found.first, found.second) for found in find_relations(calls)}


@pytest.mark.parametrize("rule", Rule)
def test_a_relation_of_all_examples_is_found_and_gone_with_one_that_breaks_it(rule):
    assert (rule, 0, 1) in rules_of(EXAMPLES[rule])
    assert (rule, 0, 1) not in rules_of([*EXAMPLES[rule], (object(), object())])


def test_few_examples_show_nothing():
    assert find_relations(EXAMPLES[Rule.NOT_ABOVE][:2]) == ()


def test_a_truth_value_is_no_number_and_positions_that_an_example_lacks_are_left_out():
    assert rules_of([(True, 3), (False, 4), (True, 5)]) == set()
    assert rules_of([(1, 2), (1, 2), (1,)]) == set()


sizes = st.integers(-9, 9)
numbers = st.lists(sizes, max_size=5)
PAIRS = {
    Rule.SAME_LENGTH: (numbers, st.text("ab", max_size=5)),
    Rule.NOT_ABOVE: (sizes, sizes),
    Rule.INDEX: (sizes, st.lists(sizes, min_size=1, max_size=5)),
    Rule.MEMBER: (sizes, st.lists(sizes, min_size=1, max_size=5)),
    Rule.AT_MOST_LENGTH: (sizes, numbers),
    Rule.IS_LENGTH: (sizes, numbers),
    Rule.NODES_FROM_ZERO: (st.lists(numbers, max_size=3), st.integers(1, 9)),
    Rule.NODES_FROM_ONE: (st.lists(numbers, max_size=3), st.integers(1, 9)),
}


@pytest.mark.parametrize("rule", Rule)
def test_a_repaired_call_keeps_the_relation_and_repairing_again_changes_nothing(rule):
    relations = (Relation(rule=rule, first=0, second=1),)

    @given(st.tuples(*PAIRS[rule]))
    def check(call):
        repaired = repair_call(call, relations)
        assert (rule, 0, 1) in rules_of([repaired] * 3)
        assert repair_call(repaired, relations) == repaired

    check()


@pytest.mark.parametrize(
    ("rule", "call"),
    [
        (Rule.INDEX, (3, [])),
        (Rule.MEMBER, (3, [])),
        (Rule.NODES_FROM_ZERO, ([1], 0)),
        (Rule.IS_LENGTH, ("x", [1])),
        (Rule.INDEX, (1, 2)),
    ],
)
def test_a_relation_that_no_value_can_keep_is_left_broken(rule, call):
    assert repair_call(call, (Relation(rule=rule, first=0, second=1),)) == call


@pytest.mark.parametrize(
    ("values", "square", "rectangular"),
    [
        ([[[1, 2], [3, 4]], [[1]]], True, True),
        ([[[1, 2, 3], [3, 4, 5]], [[1]]], False, True),
        ([["ab", "cd"], ["x"]], True, True),
        ([[[1, 2], [3]], [[1]]], False, False),
        ([[[1]], [[2]]], False, False),
        ([[[1, 2], [3, 4]]], False, False),
        ([[[1, 2], [3, 4]], []], False, False),
        ([[[1, 2], 3], [[1]]], False, False),
        ([1, 2], False, False),
    ],
)
def test_tables_are_told_by_their_rows(values, square, rectangular):
    assert (is_square(values), is_rectangular(values)) == (square, rectangular)


def test_lists_are_sorted_and_lose_repeats_where_their_place_asks_for_it():
    domains = {"": Domain(unique=True), "[]": Domain(ordered=True)}
    value = repair_value([[3, 1], [1, 3], (2, True)], domains, square=False, rectangular=False)
    assert value == [[1, 3], (True, 2)]


def test_values_of_several_types_can_be_sorted():
    value = repair_value(["b", 2, None, "a", 1.5], {"": Domain(ordered=True)}, square=False, rectangular=False)
    assert value == [1.5, 2, None, "a", "b"]


@pytest.mark.parametrize(
    ("value", "square", "repaired"),
    [
        ([[1, 2, 3], [4]], False, [[1], [4]]),
        ([[1], [], [2, 3]], False, [[1], [1], [2]]),
        ([[], []], False, [[], []]),
        (["abc", "d"], False, ["a", "d"]),
        ([[1, 2, 3], [4, 5, 6]], True, [[1, 2], [4, 5]]),
        ([[1], [2], [3]], True, [[1]]),
        ([1, [2]], True, [1, [2]]),
        ("ab", True, "ab"),
    ],
)
def test_tables_are_cut_or_filled_to_their_form(value, square, repaired):
    assert repair_value(value, {}, square=square, rectangular=not square) == repaired
