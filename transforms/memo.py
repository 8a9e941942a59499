"""Finished proofs, kept in the store so that no run computes one twice.

The key holds all that determines a proof: the candidate, the settings, what the sandbox enforces here, the source text
of the code that proves and the versions of the packages it draws on. A retriable rejection is never kept. Method: own.
"""

import logging
import zlib
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import mutators
import sandbox
import schemas
from schemas.canonical import canonical_json, digest_bytes, digest_text
from schemas.codec import decode_record, encode_record
from schemas.errors import SchemaError
from schemas.proven import Proven
from schemas.rejection import Rejection
from schemas.store import ContentStore

_KIND = "proofs"
_MOST_BYTES = 256 * 2**20
_TYPES: dict[str, type[Proven] | type[Rejection]] = {"P": Proven, "R": Rejection}
_DRAWN_ON = ("hypothesis", "libcst", "mutmut", "pytest", "tree-sitter", "tree-sitter-python")
"""Packages whose version may change drawn inputs, mutants or what a suite reports."""

_log = logging.getLogger(__name__)


@lru_cache(maxsize=1)
def digest_code() -> str:
    """Return the SHA-256 of the sources and package versions whose change may change a proof."""
    parts = [[name, version(name), ""] for name in _DRAWN_ON]
    for package in (schemas, sandbox, mutators):
        root = Path(package.__path__[0])
        files = [path for path in sorted(root.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
        parts += [
            [package.__name__, path.relative_to(root).as_posix(), digest_bytes(path.read_bytes())] for path in files
        ]
    return digest_text(canonical_json(parts))


def remember_proof(
    store: ContentStore, parts: list[object], compute: Callable[[], Proven | Rejection]
) -> Proven | Rejection:
    """Return the stored result, or compute and store it.

    Args:
        parts: plain JSON data that, with the code, determines the result.
    """
    key = store.key_of(digest_code(), *parts)
    stored = store.get(_KIND, key)
    known = _unpack(key, stored) if stored is not None else None
    if known is not None:
        return known
    result = compute()
    if isinstance(result, Rejection) and result.retriable:
        return result
    store.put(_KIND, key, _pack(key, result))
    return result


def _pack(key: str, result: Proven | Rejection) -> bytes:
    """Return the entry: the key, so that no entry passes for another one, the kind, and the record."""
    mark = "P" if isinstance(result, Proven) else "R"
    return zlib.compress(f"{key}{mark}{encode_record(result)}".encode())


def _unpack(key: str, entry: bytes) -> Proven | Rejection | None:
    """Return the result of an entry; None when it's damaged, cut, another key's, or unfolds without end."""
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(entry, _MOST_BYTES).decode()
        if not unpacker.eof or not text.startswith(key):
            raise SchemaError("it ends too early, is too large or belongs to another proof")
        return decode_record(_TYPES[text[len(key) : len(key) + 1]], text[len(key) + 1 :])
    except (zlib.error, UnicodeDecodeError, KeyError, SchemaError) as error:
        _log.warning("stored proof %s can't be read and is computed again: %s", key, error)
        return None
