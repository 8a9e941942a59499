import numpy as np
import pytest
from datasketch import MinHashLSH
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.curation.minhash import (
    MAX_HASH,
    Bands,
    choose_bands,
    hash_bands,
    sign,
    sign_with_datasketch,
)
from transforms.curation.shingles import jaccard


def random_set(size, seed):
    values = np.random.default_rng(seed).integers(0, 2**64 - 1, size, dtype=np.uint64)
    return np.unique(values)


hash_sets = st.lists(st.integers(0, 2**64 - 1), max_size=30).map(
    lambda values: np.unique(np.array(values, dtype=np.uint64))
)


@settings(max_examples=40)
@given(st.lists(hash_sets, max_size=6), st.sampled_from([16, 100, 128]))
def test_the_kernel_equals_datasketch_bit_for_bit(rows, permutations):
    assert np.array_equal(sign(rows, permutations), sign_with_datasketch(rows, permutations))


@pytest.mark.parametrize("sizes", [[0], [1], [0, 1, 0, 2], [2047, 2048, 2049], [7000, 3, 0, 1, 6000], [100] * 50])
def test_the_kernel_equals_datasketch_at_block_borders(sizes):
    rows = [random_set(size, seed) for seed, size in enumerate(sizes)]
    assert np.array_equal(sign(rows), sign_with_datasketch(rows, 128))


def test_an_empty_set_has_the_largest_value_everywhere():
    assert (sign([random_set(0, 0)]) == MAX_HASH).all()


def test_a_signature_does_not_depend_on_its_neighbours():
    rows = [random_set(size, size) for size in (5, 3000, 0, 70, 1)]
    together = sign(rows)
    assert all(np.array_equal(together[i], sign([row])[0]) for i, row in enumerate(rows))


def test_bands_are_those_of_datasketch_with_the_weights_for_recall():
    index = MinHashLSH(threshold=0.7, num_perm=128, weights=(0.1, 0.9))
    assert choose_bands(0.7, 128) == Bands(count=index.b, rows=index.r) == Bands(count=20, rows=6)


@pytest.mark.parametrize("permutations", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("threshold", [0.01, 0.5, 0.9, 0.95, 0.99, 1.0])
def test_every_threshold_that_a_config_may_name_has_bands(threshold, permutations):
    bands = choose_bands(threshold, permutations)
    assert bands.count >= 2
    assert bands.count * bands.rows <= permutations


def test_equal_band_rows_give_equal_keys_and_bands_do_not_mix():
    signatures = sign([random_set(50, 1), random_set(50, 1), random_set(50, 2)])
    keys = hash_bands(signatures, Bands(count=20, rows=6))
    assert keys.shape == (3, 20)
    assert np.array_equal(keys[0], keys[1])
    assert not (keys[0] == keys[2]).any()
    changed = signatures[:1].copy()
    changed[0, 6] ^= 1
    assert np.flatnonzero(hash_bands(changed, Bands(count=20, rows=6))[0] != keys[0]).tolist() == [1]


@pytest.mark.parametrize("shared", [0, 50, 150, 180, 200])
def test_the_estimate_is_near_the_exact_similarity(shared):
    pool = random_set(400, 9)
    left, right = np.sort(pool[:200]), np.sort(np.concatenate([pool[:shared], pool[200 : 400 - shared]]))
    signed = sign([left, right], 512)
    estimate = np.mean(signed[0] == signed[1])
    assert abs(estimate - jaccard(left, right)) < 0.1
