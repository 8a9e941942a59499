import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.fuzzing.boundaries import list_boundaries
from sandbox.fuzzing.constants import Constants, find_constants
from sandbox.fuzzing.domains import Domain, build_domains
from sandbox.fuzzing.providers import draw_examples
from sandbox.fuzzing.shapes import infer_shape, parse_annotation
from sandbox.fuzzing.strategies import build_strategy

NONE = Constants()


def test_draws_are_the_same_for_the_same_seed_and_differ_for_another():
    strategy = st.lists(st.integers(0, 9) | st.text("ab") | st.floats(0, 1))
    assert draw_examples(strategy, 30, 5) == draw_examples(strategy, 30, 5)
    assert draw_examples(strategy, 30, 5) != draw_examples(strategy, 30, 6)


def test_no_draws_are_made_for_a_count_of_zero():
    assert draw_examples(st.integers(), 0, 1) == []


def test_unbounded_strategies_can_be_drawn():
    drawn = draw_examples(
        st.tuples(st.integers(), st.integers(min_value=7), st.floats(), st.binary(), st.text()), 50, 1
    )
    assert all(second >= 7 for _, second, *_ in drawn)


def test_small_numbers_collide_and_wide_ones_occur():
    numbers = draw_examples(build_strategy(parse_annotation("int"), {"": Domain(low=0, high=10**6)}, NONE), 100, 1)
    assert len([number for number in numbers if number <= 5]) > 10
    assert max(numbers) > 10_000


def test_literals_and_unions_are_drawn():
    drawn = draw_examples(build_strategy(parse_annotation("Literal['x'] | None"), {}, NONE), 30, 1)
    assert set(drawn) == {"x", None}


def test_open_shapes_and_unhashable_keys_are_refused():
    with pytest.raises(ValueError, match="can be drawn"):
        build_strategy(parse_annotation("list"), {}, NONE)
    with pytest.raises(ValueError, match="hashed"):
        build_strategy(parse_annotation("set[list[int]]"), {}, NONE)


def test_boundaries_hold_both_ends_of_a_bound():
    assert {1, 9, 2, 8} <= set(list_boundaries(parse_annotation("int"), {"": Domain(low=1, high=9)}, NONE))


def test_boundaries_of_lists_hold_empty_single_equal_and_long_ones():
    rows = list_boundaries(parse_annotation("list[int]"), {}, NONE)
    assert [] in rows
    assert any(len(row) == 2 and row[0] == row[1] for row in rows)
    assert max(map(len, rows)) >= 50


def test_boundaries_respect_sizes():
    rows = list_boundaries(parse_annotation("list[int]"), {"": Domain(min_size=2, max_size=4)}, NONE)
    assert {len(row) for row in rows} <= {2, 3, 4}


def test_constants_leave_docstrings_out_and_bring_neighbours():
    constants = find_constants('def f(x):\n    """The 99."""\n    return x < 10 or x == "aeiou" or x > 2.5\n')
    assert constants.integers == (9, 10, 11)
    assert constants.texts == ("aeiou",)
    assert constants.floats == (2.5,)
    assert find_constants("def broken(") == Constants()


VALUES = st.recursive(
    st.integers(-100, 100) | st.text("abc", max_size=4) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.tuples(inner, inner),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(VALUES, min_size=1, max_size=3))
def test_whatever_was_inferred_can_be_drawn(values):
    shape = infer_shape(values)
    if shape.is_known():
        strategy = build_strategy(shape, build_domains(values, ()), NONE)
        assert 1 <= len(draw_examples(strategy, 5, 1)) <= 5
        list_boundaries(shape, build_domains(values, ()), NONE)
