import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.config import Dedup
from schemas.source import SourceKind
from tests.transforms.curation.records import proven_bug, proven_function
from transforms.curation.dedup import (
    PAIR_LIMIT,
    Link,
    compare,
    find_duplicate_prints,
    link_bucket,
    resolve,
)
from transforms.curation.fingerprint import DocumentPrint, fingerprint
from transforms.curation.minhash import sign
from transforms.curation.shingles import jaccard, pack_hashes

SETTINGS = Dedup()


def words(count, seed):
    rng = random.Random(seed)
    return [rng.choice("abcdefghijklmnopqrstuvwxyz") + str(rng.randrange(10_000)) for _ in range(count)]


def edit(text, count, seed):
    """Replace single words, spread evenly."""
    changed = list(text)
    for number in range(count):
        changed[(2 * number + 1) * len(text) // (2 * count)] = f"edit{seed}x{number}"
    return changed


def task(record_id, text, **fields):
    return proven_function(record_id, statement=" ".join(text), reference="def f(a):\n    return a\n", **fields)


def set_print(record_id, members, rank=0.0):
    hashes = np.array(sorted(members), dtype=np.uint64)
    return DocumentPrint(
        record_id=record_id,
        source="s",
        kind=SourceKind.BANK,
        locator=record_id,
        rank=(rank,),
        exact_key=record_id,
        hashes=pack_hashes(hashes),
        signature=sign([hashes]).astype("<u4").tobytes(),
    )


def spread(numbers):
    """Well-mixed hashes for small numbers."""
    return {(n + 1) * 0x9E3779B97F4A7C15 % 2**64 for n in numbers}


def find_duplicates(records, dedup):
    return find_duplicate_prints([fingerprint(record, dedup) for record in records], dedup)


def pairs(duplicates):
    return [(item.record_id, item.kept_id, item.layer) for item in duplicates]


def test_each_layer_names_itself():
    text = words(120, 1)
    records = [
        task("a-best", text, hidden=5),
        task("b-exact", text),
        task("c-tokens", [word.upper() for word in text]),
        proven_function("d-statement", statement=" ".join(text), reference="".join(f"x{n} = {n}\n" for n in range(90))),
        task("e-near", edit(text, 2, 5)),
        task("f-far", words(120, 2)),
    ]
    assert pairs(find_duplicates(records, SETTINGS)) == [
        ("b-exact", "a-best", "exact"),
        ("c-tokens", "a-best", "tokens"),
        ("d-statement", "a-best", "statement"),
        ("e-near", "a-best", "minhash"),
    ]


def test_the_reported_jaccard_is_exact():
    first, second = task("a", words(120, 1), hidden=2), task("b", edit(words(120, 1), 3, 0))
    (duplicate,) = find_duplicates([first, second], SETTINGS)
    left, right = (fingerprint(record, SETTINGS).shingles() for record in (first, second))
    assert duplicate.jaccard == round(jaccard(left, right), 4)
    assert duplicate.layer == "minhash"
    assert (duplicate.source, duplicate.locator) == ("bank", "bank.jsonl:0")


def test_a_chain_drops_only_what_is_like_the_kept_record():
    chain = [set_print(name, spread(range(start, start + 100)), rank) for name, start, rank in
             (("a", 0, 0), ("b", 12, 1), ("c", 24, 2))]  # fmt: skip
    assert compare(chain[0], chain[1], SETTINGS) is not None
    assert compare(chain[1], chain[2], SETTINGS) is not None
    assert compare(chain[0], chain[2], SETTINGS) is None
    assert pairs(find_duplicate_prints(chain, SETTINGS)) == [("b", "a", "minhash")]


def test_the_middle_of_a_chain_takes_both_ends_when_it_is_best():
    chain = [set_print(name, spread(range(start, start + 100)), rank) for name, start, rank in
             (("a", 0, 1), ("b", 12, 0), ("c", 24, 2))]  # fmt: skip
    assert pairs(find_duplicate_prints(chain, SETTINGS)) == [("a", "b", "minhash"), ("c", "b", "minhash")]


def test_members_that_miss_the_head_of_a_large_bucket_are_linked_among_themselves():
    head = [set_print("a", spread(range(100)))]
    others = [set_print(f"b{number:03}", spread(range(1000, 1100)), 1.0) for number in range(PAIR_LIMIT)]
    links = link_bucket(others + head, SETTINGS)
    assert links == tuple(Link(better="b000", worse=item.record_id) for item in others[1:])


def test_a_thousand_equal_documents_leave_one():
    text = words(60, 1)
    duplicates = find_duplicates([task(f"t{number:04}", text) for number in range(1000)], SETTINGS)
    assert len(duplicates) == 999
    assert {item.kept_id for item in duplicates} == {"t0000"}


def test_short_documents_meet_only_when_equal():
    records = [
        proven_function("a", statement="Add.", reference="f=1"),
        proven_function("b", statement="Add.", reference="f=1"),
        proven_function("c", statement="Sub.", reference="f=1"),
        proven_function("d", statement="", reference=""),
        proven_function("e", statement="", reference=""),
    ]
    assert pairs(find_duplicates(records, SETTINGS)) == [("b", "a", "exact"), ("e", "d", "exact")]


def test_mutants_of_one_tree_are_no_duplicates_as_text():
    records = [
        proven_bug("b1", bug_patch="--- a\n+++ b\n-x = 1\n+x = 2\n", failing=("t::a",)),
        proven_bug("b2", bug_patch="--- a\n+++ b\n-x = 1\n+x = 3\n", failing=("t::b",)),
        proven_bug("b3", bug_patch="--- a\n+++ b\n-x = 1\n+x = 2\n\n", failing=("t::a",)),
    ]
    assert pairs(find_duplicates(records, SETTINGS)) == [("b3", "b1", "exact")]


def test_of_bugs_that_fail_the_same_tests_in_one_scope_three_stay():
    records = [proven_bug(f"b{number}", bug_patch=f"-x\n+{number}\n") for number in range(6)]
    records += [proven_bug("other-scope", bug_patch="-x\n+7\n", scope="cart.add")]
    records += [proven_bug("other-repo", bug_patch="-x\n+8\n", repository="bank")]
    assert pairs(find_duplicates(records, SETTINGS)) == [
        ("b3", "b0", "kill_vector"), ("b4", "b0", "kill_vector"), ("b5", "b0", "kill_vector"),
    ]  # fmt: skip


def test_nothing_is_dropped_from_nothing():
    assert find_duplicates([], SETTINGS) == ()
    assert link_bucket([], SETTINGS) == ()
    assert resolve([], [], SETTINGS) == ()


def test_repeated_links_change_nothing():
    prints = [set_print("a", spread(range(90))), set_print("b", spread(range(90)), 1.0)]
    links = link_bucket(prints, SETTINGS)
    assert resolve(links * 3, prints, SETTINGS) == resolve(links, prints, SETTINGS)


def _mixed_prints():
    items = [set_print(f"w{start:02}", spread(range(start * 7, start * 7 + 100)), start % 3) for start in range(12)]
    items += [set_print(f"x{n}", spread(range(500, 560 + n)), n) for n in range(5)]
    items += [set_print(f"y{n}", spread(range(900 + 40 * n, 1000 + 40 * n)), 0) for n in range(4)]
    return items


@settings(max_examples=30, deadline=None)
@given(st.permutations(_mixed_prints()))
def test_any_order_of_records_gives_the_same_result(prints):
    assert find_duplicate_prints(prints, SETTINGS) == find_duplicate_prints(_mixed_prints(), SETTINGS)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(60, 120), st.integers(0, 3)), min_size=2, max_size=14))
def test_every_dropped_record_is_near_a_kept_one_and_agrees_with_a_slow_oracle(windows):
    prints = [
        set_print(f"r{number:02}", spread(range(start, start + length)), rank)
        for number, (start, length, rank) in enumerate(windows)
    ]
    dropped = {item.record_id: item for item in find_duplicate_prints(prints, SETTINGS)}
    by_id = {item.record_id: item for item in prints}
    for item in dropped.values():
        assert item.kept_id not in dropped
        assert jaccard(by_id[item.record_id].shingles(), by_id[item.kept_id].shingles()) >= SETTINGS.threshold
    kept = []
    for item in sorted(prints, key=DocumentPrint.order):
        if all(jaccard(item.shingles(), other.shingles()) < SETTINGS.threshold for other in kept):
            kept.append(item)
    sure = {item.record_id for item in kept}
    found_by_bands = {item.record_id for item in prints} - set(dropped)
    assert len(found_by_bands ^ sure) <= 1


@pytest.mark.parametrize(("edits", "recall"), [(1, 1.0), (3, 1.0), (4, 0.95), (5, 0.9)])
def test_planted_copies_are_found(edits, recall):  # exact Jaccard .94, .82, .77, .71
    originals = [task(f"o{number:03}", words(150, number), hidden=1) for number in range(60)]
    copies = [task(f"p{number:03}", edit(words(150, number), edits, number)) for number in range(60)]
    found = {item.record_id: item for item in find_duplicates(originals + copies, SETTINGS)}
    assert len(found) >= recall * 60
    assert all(item.kept_id == name.replace("p", "o") for name, item in found.items())


def test_copies_below_the_threshold_are_kept():
    originals = [task(f"o{number:03}", words(150, number), hidden=1) for number in range(40)]
    copies = [task(f"p{number:03}", edit(words(150, number), 7, number)) for number in range(40)]
    assert find_duplicates(originals + copies, SETTINGS) == ()
