"""Arguments that are made of one another."""

import pytest
from hypothesis import find
from hypothesis import strategies as st

from sandbox.fuzzing.couplings import Tie, couple, list_couplings
from sandbox.fuzzing.shapes import Kind, Shape

INT = Shape(kind=Kind.INT)
TEXT = Shape(kind=Kind.STR)
NUMBERS = Shape(kind=Kind.LIST, parts=(INT,))
SET = Shape(kind=Kind.SET, parts=(TEXT,))


@pytest.mark.parametrize(
    ("shapes", "ties"),
    [
        ((TEXT, TEXT), {(tie, a, 1 - a) for tie in (Tie.COPY, Tie.REVERSED, Tie.PART) for a in (0, 1)}),
        ((NUMBERS, INT), {(Tie.ITEM, 0, 1), (Tie.LENGTH, 0, 1), (Tie.SUM, 0, 1)}),
        ((TEXT, INT), {(Tie.LENGTH, 0, 1)}),
        ((SET, TEXT), {(Tie.ITEM, 0, 1)}),
        ((SET, SET), {(Tie.COPY, 0, 1), (Tie.COPY, 1, 0)}),
        ((INT, INT), set()),
        ((TEXT,), set()),
    ],
)
def test_only_ties_that_make_sense_are_listed(shapes, ties):
    assert set(list_couplings(shapes)) == ties


def found(shapes, calls, condition):
    return find(couple(calls, shapes), condition)


def test_a_call_may_get_each_tie():
    texts = st.tuples(st.just("abc"), st.just("-"))
    assert found((TEXT, TEXT), texts, lambda call: call[1] == "abc")
    assert found((TEXT, TEXT), texts, lambda call: call[1] == "cba")
    assert found((TEXT, TEXT), texts, lambda call: call[1] == "bc")
    numbers = st.tuples(st.just([10, 200]), st.just(-1))
    for value in (10, 200, 210, 400, 2, 1):
        assert found((NUMBERS, INT), numbers, lambda call, value=value: call[1] == value)


def test_an_item_of_a_set_is_found_in_the_order_of_its_content():
    calls = st.tuples(st.just({"b", "a"}), st.just(""))
    assert found((SET, TEXT), calls, lambda call: call[1] in {"a", "b"})


@pytest.mark.parametrize(
    ("shapes", "call"), [((NUMBERS, INT), ([], 7)), ((SET, SET), (set(), {"x"})), ((INT, INT), (1, 2))]
)
def test_a_source_that_is_too_short_leaves_a_call_of_its_form(shapes, call):
    assert find(
        couple(st.tuples(*map(st.just, call)), shapes),
        lambda drawn: len(drawn) == 2 and type(drawn[1]) is type(call[1]),
    )
