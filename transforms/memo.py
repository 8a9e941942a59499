"""Finished proofs, kept in the store so that no run computes one twice.

The key holds all that determines a proof: the candidate, the settings, what the sandbox enforces here, the source text
of the code that proves and the versions of the packages it draws on. A retriable rejection is never kept. Method: own.
"""

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
from schemas.proven import Proven
from schemas.rejection import Rejection
from schemas.store import ContentStore

_KIND = "proofs"
_DRAWN_ON = ("hypothesis", "libcst", "mutmut", "pytest", "tree-sitter", "tree-sitter-python")
"""Packages whose version may change drawn inputs, mutants or what a suite reports."""


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
    if stored is not None:
        text = zlib.decompress(stored).decode()
        return decode_record(Proven, text[1:]) if text[0] == "P" else decode_record(Rejection, text[1:])
    result = compute()
    if isinstance(result, Rejection) and result.retriable:
        return result
    mark = "P" if isinstance(result, Proven) else "R"
    store.put(_KIND, key, zlib.compress((mark + encode_record(result)).encode()))
    return result
