"""Canonical JSON, ids and seeds are the same in every process."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.canonical import bucket_of, canonical_json, content_id, digest_text, rng_for, uniform_for

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_canonical_json_reads_back_as_the_same_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


def test_canonical_json_ignores_the_order_of_keys() -> None:
    assert canonical_json({"b": 1, "a": [2, "é"]}) == '{"a":[2,"\\u00e9"],"b":1}'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_canonical_json_refuses_numbers_that_json_lacks(value: float) -> None:
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json(value)


def test_ids_and_seeds_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from schemas.canonical import *; "
        "print(content_id('t', {'a': {'b': 1}}), rng_for(1, 'r', 'p').random(), uniform_for(1, 'r', 'p'), "
        "bucket_of('r', 97), digest_text('x'))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_each_purpose_draws_its_own_numbers() -> None:
    draws = {rng_for(seed, record, purpose).random() for seed in (1, 2) for record in "ab" for purpose in ("x", "y")}
    assert len(draws) == 8


@given(st.text(), st.integers(1, 1000))
def test_a_bucket_lies_in_range(record_id: str, buckets: int) -> None:
    assert 0 <= bucket_of(record_id.encode("utf-8", "replace").decode(), buckets) < buckets


def test_uniform_numbers_spread_over_the_unit_interval() -> None:
    draws = [uniform_for(0, f"record-{index}", "split") for index in range(2000)]
    assert all(0 <= draw < 1 for draw in draws)
    assert 0.45 < sum(draws) / len(draws) < 0.55


def test_ids_begin_with_their_prefix() -> None:
    assert content_id("case", [1, 2]).startswith("case-")
    assert digest_text("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
