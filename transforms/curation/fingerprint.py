"""What deduplication needs to know of a record: a few keys, its shingle set, its signature and its rank.

First step of the dedup stage. A `DocumentPrint` is a few kilobytes and travels in the record's stead; the keys bring
records together that may be duplicates. Method: own; bands from `minhash`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schemas.candidate import Candidate, TaskStyle
from schemas.canonical import canonical_json
from schemas.config import Dedup
from schemas.proven import Proven
from schemas.source import SourceKind
from transforms.curation.lexing import lex_code
from transforms.curation.minhash import Signatures, choose_bands, hash_bands, sign
from transforms.curation.shingles import (
    Hashes,
    hash_ngrams,
    hash_text,
    normalise_text,
    pack_hashes,
    split_symbols,
    split_words,
    union_hashes,
    unpack_hashes,
)

SHORT_MARGIN = 4
"""A document of fewer than shingle + 4 tokens takes part in the exact layers only."""
STATEMENT_WORDS = 20
"""Statements of fewer words are no evidence that two tasks are one."""
NO_LICENSE = frozenset({"", "NOASSERTION", "NONE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPrint:
    """One record as deduplication sees it. Keys are hex digests; an empty key never matches."""

    record_id: str
    source: str
    kind: SourceKind
    locator: str
    rank: tuple[float, ...]
    """Smaller is better; ties are broken by the record id. See `rank_record`."""
    exact_key: str
    """Normalised statement and reference; for a repository task the broken tree."""
    token_key: str = ""
    """The same without layout, comments, docstrings and case of prose; symbols count, since ``<`` isn't ``(``."""
    statement_key: str = ""
    """Statement, starter code and entry point alone."""
    kill_key: str = ""
    """Repository, changed scope and the set of tests that the bug breaks."""
    hashes: bytes = b""
    """Shingle set, see `pack_hashes`; empty for short documents and repository tasks."""
    signature: bytes = b""
    """Little-endian uint32 values; empty when ``hashes`` is."""

    def order(self) -> tuple[tuple[float, ...], str]:
        """Return the total order of winners: the smaller one is kept."""
        return self.rank, self.record_id

    def shingles(self) -> Hashes:
        """Return the shingle set, sorted."""
        return unpack_hashes(self.hashes)


def rank_record(record: Proven) -> tuple[float, ...]:
    """Return the rank by which duplicates are decided; the smaller one wins.

    In this order: an original before a record derived from one, more hidden tests (for a repository task failing
    tests), a higher mutation score, a known licence, a longer statement.
    """
    candidate, evidence = record.candidate, record.evidence
    hidden = sum(not case.public for case in record.tests)
    if record.repository is not None:
        hidden = len(record.repository.fail_to_pass)
    score = evidence.mutants_killed / evidence.mutants if evidence.mutants else 0.0
    return (
        float(bool(candidate.parent_ids)),
        -float(hidden),
        -round(score, 6),
        float(candidate.source.license in NO_LICENSE),
        -float(len(candidate.statement)),
    )


def _digest(*parts: str) -> str:
    return hash_text(canonical_json(list(parts)))


def _statement_key(candidate: Candidate) -> str:
    if len(split_words(candidate.statement)[0]) < STATEMENT_WORDS:
        return ""
    entry = candidate.signature.entry_point if candidate.signature is not None else ""
    starter = " ".join(lex_code(candidate.starter_code).texts)
    return _digest(candidate.style, candidate.language, entry, starter, *split_symbols(candidate.statement))


def _repository_print(record: Proven) -> DocumentPrint:
    candidate, mutation = record.candidate, record.candidate.mutation
    assert mutation is not None
    kill_key = ""
    if record.repository is not None:
        paths = sorted({edit.path for edit in mutation.edits})
        kill_key = _digest(mutation.repository, mutation.scope, *paths, *sorted(record.repository.fail_to_pass))
    return DocumentPrint(
        record_id=candidate.record_id,
        source=candidate.source.source,
        kind=candidate.source.kind,
        locator=candidate.source.locator,
        rank=rank_record(record),
        exact_key=_digest(mutation.repository, mutation.base_commit, normalise_text(mutation.bug_patch)),
        kill_key=kill_key,
    )


def hash_document(words: Sequence[str], tokens: Sequence[str], shingle: int) -> Hashes:
    """Return the shingle set of a document, sorted: n-grams of the statement's words and of the reference's tokens."""
    return union_hashes((hash_ngrams(words, shingle), hash_ngrams(tokens, shingle)))


def fingerprint(record: Proven, settings: Dedup) -> DocumentPrint:
    """Return the print of a record.

    Statement and reference are compared; for a repository task the repository, commit and bug patch, since mutants of
    one tree are alike as text and yet different tasks.

    Cost: about 0.2 ms for a document of 200 tokens.
    """
    candidate = record.candidate
    if candidate.style is TaskStyle.REPOSITORY and candidate.mutation is not None:
        return _repository_print(record)
    words, _, _ = split_words(candidate.statement)
    prose = split_symbols(candidate.statement)
    tokens = lex_code(candidate.reference).texts
    hashes = hash_document(words, tokens, settings.shingle)
    long_enough = len(words) + len(tokens) >= settings.shingle + SHORT_MARGIN and len(hashes) > 0
    signature = sign([hashes], settings.permutations).astype("<u4").tobytes() if long_enough else b""
    return DocumentPrint(
        record_id=candidate.record_id,
        source=candidate.source.source,
        kind=candidate.source.kind,
        locator=candidate.source.locator,
        rank=rank_record(record),
        exact_key=_digest(candidate.style, normalise_text(candidate.statement), normalise_text(candidate.reference)),
        token_key=_digest(candidate.style, *prose, "", *tokens) if prose or tokens else "",
        statement_key=_statement_key(candidate),
        hashes=pack_hashes(hashes) if long_enough else b"",
        signature=signature,
    )


def bucket_keys(record_print: DocumentPrint, settings: Dedup) -> tuple[str, ...]:
    """Return the keys under which the record must meet possible duplicates, layer name first.

    Returns:
        At most one ``exact:``, ``tokens:``, ``statement:`` and ``kill:`` key each, then one ``band:`` key per band
        (20 at the default threshold and permutations).
    """
    named = (
        ("exact", record_print.exact_key),
        ("tokens", record_print.token_key),
        ("statement", record_print.statement_key),
        ("kill", record_print.kill_key),
    )
    keys = [f"{name}:{key}" for name, key in named if key]
    if record_print.signature:
        values: Signatures = np.frombuffer(record_print.signature, dtype="<u4").astype(np.uint32, copy=False)
        bands = choose_bands(settings.threshold, settings.permutations)
        keys += [f"band:{index}:{key:016x}" for index, key in enumerate(hash_bands(values[None, :], bands)[0].tolist())]
    return tuple(keys)
