from sandbox.fuzzing.domains import Domain, build_domains, collect_places, observe_domain
from sandbox.fuzzing.preconditions import Preconditions
from tests.task_builders import constraint


def test_places_are_named_like_constraint_paths():
    places = collect_places([{"a": [1, 2]}])
    assert set(places) == {"", "{k}", "{v}", "{v}[]"}
    assert places["{v}[]"] == [1, 2]


def test_few_examples_are_widened_but_keep_their_sign():
    domain = observe_domain([3, 8], 2)
    assert (domain.low, domain.high) == (1, 16)
    assert observe_domain([0, 4], 2).low == 0
    assert observe_domain([-3, 4], 2).low == -10


def test_many_examples_are_the_bounds_themselves():
    domain = observe_domain([3, 8, 5, 6, 7, 4], 6)
    assert (domain.low, domain.high) == (3, 8)


def test_brackets_stay_brackets_and_letters_become_the_alphabet():
    assert observe_domain(["()", "[]"], 2).alphabet == "()[]"
    assert observe_domain(["abcdef"], 1).alphabet == "abcdefghijklmnopqrstuvwxyz"


def test_a_grid_of_zeros_and_ones_keeps_its_two_values():
    domains = build_domains([[[0, 1, 1], [1, 0, 0]], [[1, 1, 0], [0, 1, 1]]], ())
    assert domains["[][]"].choices == (0, 1)


def test_names_that_keep_coming_back_are_a_closed_set():
    words = ["push", "pop", "push", "push", "pop", "push", "pop", "push", "pop", "push"]
    assert observe_domain(words, 3).choices == ("pop", "push")


def test_short_sorted_examples_prove_no_order():
    assert not build_domains([[1, 2, 3], [1, 1, 1, 1, 9]], ())[""].ordered


def test_long_sorted_examples_do():
    assert build_domains([[1, 2, 3, 5, 8, 9]], ())[""].ordered


def test_a_stated_order_needs_no_more_than_sorted_examples():
    stated = Preconditions(ordered=True, distinct=True)
    domain = build_domains([[1, 3], [2]], (), stated=stated)[""]
    assert domain.ordered
    assert domain.unique
    assert not build_domains([[3, 1], [2]], (), stated=stated)[""].ordered


def test_declared_bounds_replace_observed_ones():
    rows = (
        constraint("min", -5, "[]"),
        constraint("max", 5, "[]"),
        constraint("max_length", 3),
        constraint("nonempty"),
    )
    domains = build_domains([[100, 200]], rows)
    assert (domains["[]"].low, domains["[]"].high) == (-5, 5)
    assert (domains[""].min_size, domains[""].max_size) == (1, 3)


def test_declared_choices_are_decoded():
    assert build_domains([1.5], (constraint("choices", [{"$float": "0.5"}]),))[""].choices == (0.5,)


def test_a_domain_admits_its_bounds():
    domain = Domain(low=1, high=3)
    assert domain.admits(1)
    assert not domain.admits(4)
    assert Domain(max_size=4).limit_size(9) == 4
