from hypothesis import given
from hypothesis import strategies as st

from transforms.curation.components import Components

edges = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=12)


def groups(pairs):
    components = Components()
    for left, right in pairs:
        components.join(left, right)
    return components.groups()


def test_components_are_joined_through_others_and_sorted():
    assert groups([("c", "b"), ("x", "y"), ("b", "a")]) == (("a", "b", "c"), ("x", "y"))


@given(edges, st.randoms())
def test_the_order_of_edges_does_not_matter(pairs, rng):
    shuffled = [(right, left) for left, right in pairs]
    rng.shuffle(shuffled)
    assert groups(pairs) == groups(shuffled)


@given(edges)
def test_a_component_is_named_by_its_smallest_member(pairs):
    components = Components()
    for left, right in pairs:
        components.join(left, right)
    assert all(components.find(name) == group[0] for group in components.groups() for name in group)
