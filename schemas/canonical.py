"""Canonical JSON, content ids, and randomness that belongs to a record and not to a worker.

The second law (same bytes everywhere) rests on this module: an id is a digest of content, a random number is drawn
from ``rng_for(run_seed, record_id, purpose)``, and JSON has exactly one spelling. Method: own; BLAKE2b (RFC 7693).
"""

import hashlib
import json
import random
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def canonical_json(value: object) -> str:
    """Return the one JSON text of a plain value: sorted keys, no blanks, ASCII, no NaN.

    Raises:
        ValueError: the value holds NaN or infinity.
        TypeError: the value isn't plain JSON data.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def is_unicode(text: str) -> bool:
    """Return whether a text has no lone surrogates, so that a file or a column can hold it."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def digest_bytes(data: bytes) -> str:
    """Return the SHA-256 of the bytes, 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def digest_text(text: str) -> str:
    """Return the SHA-256 of the text in UTF-8 (lone surrogates kept), 64 hex digits."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


def content_id(prefix: str, value: object) -> str:
    """Return ``prefix-`` and 20 hex digits of the BLAKE2b of the value's canonical JSON."""
    data = canonical_json(value).encode("ascii")
    return f"{prefix}-{hashlib.blake2b(data, digest_size=10).hexdigest()}"


def _seed_int(*parts: object) -> int:
    data = canonical_json([str(part) for part in parts]).encode("ascii")
    return int.from_bytes(hashlib.blake2b(data, digest_size=16).digest(), "big")


def rng_for(run_seed: int, record_id: str, purpose: str) -> random.Random:
    """Return a generator that depends on nothing but its three arguments."""
    return random.Random(_seed_int(run_seed, record_id, purpose))


def uniform_for(run_seed: int, record_id: str, purpose: str) -> float:
    """Return one number in [0, 1) that depends on nothing but its three arguments."""
    return (_seed_int(run_seed, record_id, purpose) >> 64) / 2.0**64


def bucket_of(record_id: str, buckets: int) -> int:
    """Return the bucket in ``range(buckets)`` to which a record always belongs."""
    return int.from_bytes(hashlib.blake2b(record_id.encode(), digest_size=8).digest(), "big") % buckets
