"""MinHash signatures and their bands.

Part of deduplication, behind the exact layers. `datasketch` is the reference and chooses the bands; a numpy kernel
works out the same signatures, bit for bit, from hashes that are there already. Method: Broder 1997; permutations
``a * h + b mod 2**32`` of datasketch 2 (scheme ``affine32``); bands after Leskovec, Rajaraman, Ullman, "Mining of
Massive Datasets", section 3.4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from datasketch import MinHash, MinHashLSH

from transforms.curation.shingles import Hashes, mix64

Signatures = npt.NDArray[np.uint32]

MAX_HASH = np.uint32(0xFFFFFFFF)
_WEIGHTS = (0.1, 0.9)  # exact verification follows, so a false positive costs little and a miss is final
_BLOCK_HASHES = 2048  # a block of 128 permutations then takes 1 MiB, which stays in the cache
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands:
    """How a signature is cut: the first ``count * rows`` values, ``rows`` a band."""

    count: int
    rows: int


@lru_cache(maxsize=16)
def _permutations(permutations: int) -> tuple[Signatures, Signatures]:
    factors, offsets = MinHash(num_perm=permutations, scheme="affine32").permutations
    return np.ascontiguousarray(factors), np.ascontiguousarray(offsets)


def _fold(hashes: Hashes) -> Signatures:
    """Return the upper 32 bits of each hash: the hash values that datasketch is given."""
    return (hashes >> np.uint64(32)).astype(np.uint32)


def _stir(values: Signatures) -> Signatures:
    """Return the values after the 32-bit finaliser of MurmurHash3, which datasketch applies before permuting."""
    mixed = (values ^ (values >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    result: Signatures = mixed ^ (mixed >> np.uint32(16))
    return result


def sign_with_datasketch(rows: Sequence[Hashes], permutations: int) -> Signatures:
    """Return the signatures as datasketch makes them, shape ``(len(rows), permutations)``."""
    sketches = MinHash.bulk(
        [_fold(row).tolist() for row in rows], num_perm=permutations, hashfunc=int, scheme="affine32"
    )
    result = np.empty((len(rows), permutations), dtype=np.uint32)
    for index, sketch in enumerate(sketches):
        result[index] = sketch.hashvalues
    return result


def _blocks(sizes: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows that hold about `_BLOCK_HASHES` hashes together, at least one row each."""
    ends = np.cumsum(sizes)
    first, taken = 0, 0
    while first < len(sizes):
        last = max(first + 1, int(np.searchsorted(ends, taken + _BLOCK_HASHES, side="right")))
        yield first, last
        first, taken = last, int(ends[last - 1])


def _minima(values: Signatures, factors: Signatures, offsets: Signatures) -> Signatures:
    """Return the minima of one long row, in pieces that stay in the cache."""
    best = np.full(len(factors), MAX_HASH, dtype=np.uint32)
    for start in range(0, len(values), _BLOCK_HASHES):
        permuted = factors[:, None] * values[start : start + _BLOCK_HASHES]
        permuted += offsets[:, None]
        np.minimum(best, permuted.min(axis=1), out=best)
    return best


def sign(rows: Sequence[Hashes], permutations: int = 128) -> Signatures:
    """Return the MinHash signatures of hash sets, shape ``(len(rows), permutations)``.

    An empty set gets the value 2**32 - 1 everywhere. Bit-identical to `sign_with_datasketch`.

    Cost: one multiplication per hash and permutation, in blocks.
    """
    factors, offsets = _permutations(permutations)
    result = np.full((len(rows), permutations), MAX_HASH, dtype=np.uint32)
    filled = [index for index, row in enumerate(rows) if len(row)]
    if not filled:
        return result
    sizes = np.array([len(rows[index]) for index in filled], dtype=np.int64)
    values = _stir(_fold(np.concatenate([rows[index] for index in filled])))
    starts = np.concatenate(([0], np.cumsum(sizes)))
    for first, last in _blocks(sizes):
        block = values[starts[first] : starts[last]]
        if last == first + 1:
            result[filled[first]] = _minima(block, factors, offsets)
            continue
        permuted = factors[:, None] * block
        permuted += offsets[:, None]
        cuts = starts[first:last] - starts[first]
        result[filled[first:last]] = np.minimum.reduceat(permuted, cuts, axis=1).T
    return result


@lru_cache(maxsize=64)
def choose_bands(threshold: float, permutations: int = 128) -> Bands:
    """Return the bands that datasketch's optimiser picks with weights .1 (false positive) and .9 (false negative).

    Two at least: near a threshold of 1 the optimiser wants a single one, which datasketch refuses.
    """
    try:
        index = MinHashLSH(threshold=threshold, num_perm=permutations, weights=_WEIGHTS)
    except ValueError:
        return Bands(count=2, rows=permutations // 2)
    return Bands(count=int(index.b), rows=int(index.r))


def hash_bands(signatures: Signatures, bands: Bands) -> Hashes:
    """Return one 64-bit key per band, shape ``(len(signatures), bands.count)``."""
    width = bands.count * bands.rows
    cut = np.ascontiguousarray(signatures[:, :width]).reshape(len(signatures), bands.count, bands.rows)
    keys: Hashes = np.zeros((len(signatures), bands.count), dtype=np.uint64)
    for row in range(bands.rows):
        keys = mix64(keys * _GOLDEN + cut[:, :, row].astype(np.uint64))
    return keys
