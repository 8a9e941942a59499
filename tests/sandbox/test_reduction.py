import random

from hypothesis import given
from hypothesis import strategies as st

from sandbox.reduction import Choice, reduce_suite


def choice(text, kills, **options):
    return Choice(input=text, kills=frozenset(kills), **options)


def test_every_mutant_is_killed_by_three_tests_where_possible():
    choices = [choice(str(place), {0, 1} if place % 2 else {0}) for place in range(8)]
    kept = reduce_suite(choices, most=40)
    assert sum(1 for place in kept if 1 in choices[place].kills) == 3
    assert len(kept) == 3


def test_required_tests_are_kept_though_they_kill_nothing():
    assert reduce_suite([choice("a", {}, required=True), choice("b", {1})], most=5) == (0, 1)


def test_given_tests_win_over_drawn_ones_of_equal_worth():
    choices = [choice("a", {1}), choice("bbbb", {1}, given=True)]
    assert reduce_suite(choices, most=1) == (1,)


def test_no_more_tests_are_kept_than_allowed():
    assert len(reduce_suite([choice(str(place), {place}) for place in range(50)], most=7)) == 7


def test_useless_tests_are_left_out():
    assert reduce_suite([choice("a", {1}), choice("b", {})], most=9) == (0,)


CHOICES = st.lists(
    st.builds(choice, st.text("ab", max_size=4), st.sets(st.integers(0, 5))),
    unique_by=lambda one: one.input,
    max_size=12,
)


@given(CHOICES)
def test_nothing_that_all_tests_kill_survives_the_reduction(choices):
    kept = reduce_suite(choices, most=len(choices))
    killed = {wrong for place in kept for wrong in choices[place].kills}
    assert killed == {wrong for one in choices for wrong in one.kills}


@given(CHOICES, st.integers(0, 99))
def test_the_choice_does_not_depend_on_the_order_of_the_tests(choices, seed):
    mixed = random.Random(seed).sample(choices, len(choices))
    kept = {choices[place].input for place in reduce_suite(choices, most=4)}
    assert {mixed[place].input for place in reduce_suite(mixed, most=4)} == kept
