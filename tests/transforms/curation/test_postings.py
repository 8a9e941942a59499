import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.curation.postings import Postings


def hashes(*values):
    return np.array(sorted(values), dtype=np.uint64)


def test_a_row_is_measured_by_the_share_that_the_query_holds():
    index = Postings.build([hashes(1, 2, 3, 4), hashes(5, 6), hashes()], [0, 0, 0])
    assert index.measure(hashes(1, 2, 3, 9)).shares.tolist() == [0.75, 0.0, 0.0]
    assert index.measure(hashes()).shares.tolist() == [0.0, 0.0, 0.0]


def test_hashes_that_four_rows_share_are_not_distinctive():
    rows = [hashes(7, 10 + number) for number in range(4)]
    index = Postings.build(rows, [0] * 4)
    assert index.distinctive_sizes.tolist() == [1] * 4
    assert index.measure(hashes(7)).shares.tolist() == [0.0] * 4
    assert index.measure(hashes(7, 11)).shares.tolist() == [0.0, 1.0, 0.0, 0.0]


def test_a_rare_hash_alone_does_not_contain_a_row_of_common_ones():
    rows = [hashes(1, 2, 3, 100 + number) for number in range(4)]
    assert Postings.build(rows, [0] * 4).measure(hashes(100)).shares[0] == pytest.approx(0.25)


def test_common_is_counted_inside_each_group():
    rows = [hashes(7, number) for number in range(10, 16)]
    index = Postings.build(rows, [0, 0, 1, 1, 2, 2])
    assert index.distinctive_sizes.tolist() == [2] * 6


def test_an_empty_index_answers():
    assert Postings.build([], []).measure(hashes(1)).shares.tolist() == []


@given(st.lists(st.sets(st.integers(0, 30), max_size=8), max_size=8), st.sets(st.integers(0, 35), max_size=12))
def test_shares_equal_those_of_plain_sets(rows, query):
    index = Postings.build([hashes(*row) for row in rows], [0] * len(rows))
    for row, score in zip(rows, index.measure(hashes(*query)).shares.tolist(), strict=True):
        rare = {value for value in row if sum(value in other for other in rows) <= 3}
        shares = [len(part & query) / max(1, len(part)) for part in (row, rare)]
        assert score == pytest.approx(min(shares))
