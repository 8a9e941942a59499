from hypothesis import given
from hypothesis import strategies as st

from schemas.task import Split
from tests.transforms.curation.records import proven_bug
from transforms.curation.splits import SplitEntry, assign_splits, choose_validation, find_families

entries = st.lists(
    st.builds(
        lambda number, key, parent, repository: (number, key, parent, repository),
        st.integers(0, 40),
        st.sampled_from(["", "", "k1", "k2"]),
        st.sampled_from([None, None, 0, 1, 2]),
        st.sampled_from(["", "", "r1"]),
    ),
    unique_by=lambda item: item[0],
    max_size=30,
).map(
    lambda items: [
        SplitEntry(
            record_id=f"t{number}",
            family_key=key,
            parent_ids=() if parent is None else (f"t{parent}",),
            repository=repository,
        )
        for number, key, parent, repository in items
    ]
)


def test_parents_keys_and_repositories_make_families():
    families = find_families(
        [
            SplitEntry(record_id="a"),
            SplitEntry(record_id="b", parent_ids=("a",)),
            SplitEntry(record_id="c", parent_ids=("b",), family_key="k"),
            SplitEntry(record_id="d", family_key="k"),
            SplitEntry(record_id="e", repository="shop"),
            SplitEntry(record_id="f", repository="shop"),
            SplitEntry(record_id="g"),
        ]
    )
    assert len({families[name] for name in "abcd"}) == 1
    assert families["e"] == families["f"]
    assert len(set(families.values())) == 3


def test_siblings_are_one_family_though_their_parent_is_gone():
    families = find_families(
        [SplitEntry(record_id="b", parent_ids=("a",)), SplitEntry(record_id="c", parent_ids=("a",))]
    )
    assert families["b"] == families["c"]


def test_a_record_named_like_a_key_does_not_join_it():
    families = find_families([SplitEntry(record_id="k"), SplitEntry(record_id="a", family_key="k")])
    assert families["k"] != families["a"]


def test_a_repository_candidate_belongs_to_its_repository():
    assert SplitEntry.of(proven_bug("b", bug_patch="x").candidate).repository == "shop"


def test_many_single_families_come_near_the_fraction():
    splits = assign_splits([SplitEntry(record_id=f"t{n}") for n in range(1000)], 0.1, 7)
    assert sum(split is Split.VALIDATION for _, split in splits.values()) == 100


def test_one_huge_family_trains_whole():
    splits = assign_splits([SplitEntry(record_id=f"t{n}", repository="r") for n in range(50)], 0.1, 7)
    assert {split for _, split in splits.values()} == {Split.TRAIN}


def test_a_huge_family_beside_small_ones_leaves_validation_to_them():
    sizes = {"huge": 900} | {f"small{n}": 2 for n in range(50)}
    chosen = choose_validation(sizes, 0.05, 3)
    assert "huge" not in chosen
    assert sum(sizes[name] for name in chosen) == 50


def test_a_fraction_of_zero_validates_nothing():
    assert choose_validation({"a": 1, "b": 2}, 0.0, 3) == frozenset()
    assert assign_splits([], 0.1, 3) == {}


def test_the_seed_decides_which_families_validate():
    items = [SplitEntry(record_id=f"t{n}") for n in range(100)]
    assert assign_splits(items, 0.1, 1) != assign_splits(items, 0.1, 2)


@given(entries, st.floats(0, 0.9), st.randoms())
def test_a_family_is_never_split_and_order_does_not_matter(items, fraction, rng):
    splits = assign_splits(items, fraction, 5)
    sides = {}
    for family, split in splits.values():
        assert sides.setdefault(family, split) is split
    rng.shuffle(items)
    assert assign_splits(items, fraction, 5) == splits
