"""How near a candidate stands to the items of benchmarks, and whether that is too near.

Part of the screen stage, before anything is run. Four looks, each with its own measure: where it comes from, its
statement (word 10-grams), its reference solution (code windows with renamed identifiers), its examples. N-grams and
windows that many items of one benchmark share count for none of them, and an item that is too short to be recognised
isn't looked for: trivial overlap convicts nobody. Method: own; n-gram overlap after GPT-3 (arXiv 2005.14165,
appendix C), window-local renaming after winnowing fingerprints (Schleimer et al. 2003).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from schemas.benchmark import BenchmarkItem
from schemas.candidate import Candidate
from schemas.config import Decontamination
from schemas.contamination import ContaminationRecord
from transforms.curation.examples import ExamplePrint, print_examples
from transforms.curation.postings import Postings
from transforms.curation.provenance import ProvenanceIndex
from transforms.curation.shingles import (
    Hashes,
    Windows,
    alpha_windows,
    hash_ngrams,
    split_words,
    union_hashes,
    word_windows,
)

STATEMENT = "statement_10gram"
CODE = "code_window_alpha"
EXAMPLES = "io_fingerprint"
PROVENANCE = "provenance"
MIN_DISTINCTIVE = 4
"""Distinctive n-grams or windows that an item needs before a share of them means anything."""
MIN_WORDS = 6
WHOLE_WORDS = 20
"""A statement of 6 to 20 words, which has few n-grams, also convicts when it's equal as a whole."""
SMALL_SOLUTION = 40
SMALL_FACTOR = 2.0
"""A solution of fewer than 40 windows is often a common idiom, so its score is at most twice the share of the
candidate's own windows that it explains."""
MIN_EXAMPLES = 3
"""Examples with as many different outputs that must be shared."""
SPAN_CHARS = 200
_WORKED_EXAMPLE = re.compile(
    r"^[ \t]*>>>.*\n?(?:[ \t]*[^\s>].*\n?)?|^.*\w\(.*\)[ \t]*(?:==|=>|->|➞|=|should|returns?\b).*\n?", re.MULTILINE
)
_DIFF = re.compile(r"^\+\+\+ \S", re.MULTILINE)
_METHODS = (PROVENANCE, STATEMENT, CODE, EXAMPLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    """One item found by one look."""

    item: int
    score: float
    method: str
    row: int = -1


def _runs(found: Sequence[bool]) -> tuple[int, int]:
    """Return the first and last index of the longest run of true values; ``(0, -1)`` without one."""
    best, start = (0, -1), 0
    for index, hit in enumerate(found):
        if not hit:
            start = index + 1
        elif index - start > best[1] - best[0]:
            best = (start, index)
    return best


def find_span(text: str, windows: Windows, wanted: Hashes) -> str:
    """Return the longest piece of a text whose windows are all wanted, at most 200 characters; empty without one."""
    first, last = _runs(np.isin(windows.hashes, wanted).tolist())
    return text[windows.starts[first] : windows.ends[last]][:SPAN_CHARS] if last >= first else ""


def _statement_row(statement: str, size: int) -> Hashes:
    """Return the n-grams of a published statement that outlive a translation.

    Worked examples are respelled by it, so no n-gram touches one, unless the rest has too few.
    """
    parts = [word_windows(part, size).hashes for part in _WORKED_EXAMPLE.split(statement)]
    hashes = union_hashes(parts)
    return hashes if len(hashes) >= 2 * MIN_DISTINCTIVE else word_windows(statement, size).unique()


def _whole(text: str) -> Hashes:
    """Return the hash of all words of a short statement together; nothing for a shorter or longer one."""
    words, _, _ = split_words(text)
    short = MIN_WORDS <= len(words) <= WHOLE_WORDS
    return hash_ngrams(words, len(words)) if short else np.empty(0, dtype=np.uint64)


def _statement_texts(candidate: Candidate) -> tuple[str, ...]:
    """Return the texts in which a published statement may hide: also docstrings and comments of the code."""
    return tuple(text for text in (candidate.statement, candidate.starter_code, candidate.reference) if text)


def added_lines(source: str) -> str:
    """Return the lines that a unified diff adds; text that isn't a diff comes back as it is."""
    if not _DIFF.search(source):
        return source
    return "\n".join(line[1:] for line in source.splitlines() if line.startswith("+") and not line.startswith("+++"))


def _code_text(candidate: Candidate) -> str:
    return candidate.reference if candidate.mutation is None else added_lines(candidate.mutation.fix_patch)


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class BenchmarkIndex:
    """Everything that a check looks up. Build it once a worker; it can be pickled."""

    settings: Decontamination
    names: tuple[str, ...]
    """The benchmarks, sorted."""
    items: tuple[BenchmarkItem, ...]
    provenance: ProvenanceIndex
    statements: Postings
    wholes: Mapping[int, tuple[int, ...]]
    """Hash of all words of a short statement -> items."""
    code: Postings
    code_sources: tuple[tuple[int, int], ...]
    """Item and number of the solution behind each row of ``code``."""
    examples: Mapping[int, tuple[int, ...]]
    """Hash of an example -> items."""

    @classmethod
    def build(cls, items: Iterable[BenchmarkItem], settings: Decontamination) -> "BenchmarkIndex":
        """Return the index of benchmark items, whatever their order.

        Cost: about 1 ms an item.
        """
        ordered = tuple(sorted(items, key=lambda item: (item.benchmark, item.item_id)))
        names = tuple(sorted({item.benchmark for item in ordered}))
        groups = [names.index(item.benchmark) for item in ordered]
        wholes: defaultdict[int, list[int]] = defaultdict(list)
        examples: defaultdict[int, list[int]] = defaultdict(list)
        code_rows: list[Hashes] = []
        code_sources: list[tuple[int, int]] = []
        for number, item in enumerate(ordered):
            for whole in _whole(item.statement).tolist():
                wholes[whole].append(number)
            for example in print_examples(item.io_pairs):
                examples[example.pair].append(number)
            for place, solution in enumerate(item.solutions):
                code_rows.append(alpha_windows(added_lines(solution), settings.code_window).unique())
                code_sources.append((number, place))
        return cls(
            settings=settings,
            names=names,
            items=ordered,
            provenance=ProvenanceIndex.build(ordered),
            statements=Postings.build([_statement_row(item.statement, settings.ngram) for item in ordered], groups),
            wholes={key: tuple(numbers) for key, numbers in wholes.items()},
            code=Postings.build(code_rows, [groups[number] for number, _ in code_sources]),
            code_sources=tuple(code_sources),
            examples={key: tuple(numbers) for key, numbers in examples.items()},
        )


def _statement_hits(candidate: Candidate, index: BenchmarkIndex) -> Iterable[_Hit]:
    texts = _statement_texts(candidate)
    query = union_hashes(word_windows(text, index.settings.ngram).hashes for text in texts)
    scores = index.statements.measure(query).shares
    for row in np.flatnonzero((scores > 0) & (index.statements.distinctive_sizes >= MIN_DISTINCTIVE)).tolist():
        yield _Hit(item=row, score=float(scores[row]), method=STATEMENT, row=row)
    for whole in _whole(candidate.statement).tolist():
        for item in index.wholes.get(whole, ()):
            yield _Hit(item=item, score=1.0, method=STATEMENT)


def _code_hits(candidate: Candidate, index: BenchmarkIndex) -> Iterable[_Hit]:
    source = _code_text(candidate)
    if not source:
        return
    windows = alpha_windows(source, index.settings.code_window).unique()
    overlap = index.code.measure(windows)
    enough = index.code.sizes >= index.settings.min_shingles
    enough &= index.code.distinctive_sizes >= MIN_DISTINCTIVE
    for row in np.flatnonzero((overlap.shares > 0) & enough).tolist():
        score = float(overlap.shares[row])
        if index.code.sizes[row] < SMALL_SOLUTION:
            score = min(score, SMALL_FACTOR * int(overlap.counts[row]) / len(windows))
        yield _Hit(item=index.code_sources[row][0], score=score, method=CODE, row=row)


def _example_prints(candidate: Candidate) -> tuple[ExamplePrint, ...]:
    return print_examples((case.input, case.expected) for case in candidate.tests)


def _example_hits(candidate: Candidate, index: BenchmarkIndex) -> Iterable[_Hit]:
    shared: defaultdict[int, int] = defaultdict(int)
    outputs: defaultdict[int, set[int]] = defaultdict(set)
    for example in _example_prints(candidate):
        for item in index.examples.get(example.pair, ()):
            shared[item] += 1
            outputs[item].add(example.output)
    for item, count in sorted(shared.items()):
        score = min(count, len(outputs[item]), MIN_EXAMPLES) / MIN_EXAMPLES
        yield _Hit(item=item, score=score, method=EXAMPLES)


def _provenance_hits(candidate: Candidate, index: BenchmarkIndex) -> Iterable[_Hit]:
    for item in index.provenance.find(candidate):
        yield _Hit(item=item, score=1.0, method=PROVENANCE)


def _span(candidate: Candidate, index: BenchmarkIndex, hit: _Hit) -> str:
    item, settings = index.items[hit.item], index.settings
    if hit.method == PROVENANCE:
        return (item.repo or item.item_id)[:SPAN_CHARS]
    if hit.method == CODE:
        source = _code_text(candidate)
        solution = item.solutions[index.code_sources[hit.row][1]]
        wanted = alpha_windows(added_lines(solution), settings.code_window).unique()
        return find_span(source, alpha_windows(source, settings.code_window), wanted)
    if hit.method == EXAMPLES:
        pairs = {example.pair for example in print_examples(item.io_pairs)}
        texts = [example.text for example in _example_prints(candidate) if example.pair in pairs]
        return "; ".join(texts)[:SPAN_CHARS]
    if hit.row < 0:
        return candidate.statement.strip()[:SPAN_CHARS]
    wanted = word_windows(item.statement, settings.ngram).unique()
    spans = [find_span(text, word_windows(text, settings.ngram), wanted) for text in _statement_texts(candidate)]
    return max(spans, key=len)


def threshold_of(method: str, settings: Decontamination) -> float:
    """Return the score from which a method convicts."""
    return {STATEMENT: settings.statement_overlap, CODE: settings.code_overlap}.get(method, 1.0)


def check(candidate: Candidate, index: BenchmarkIndex) -> tuple[ContaminationRecord, ...]:
    """Return the nearest item of every benchmark, ordered by the benchmark's name.

    Returns:
        One record a benchmark. A hit that convicts comes before one that doesn't, then the higher score, then the
        method in the order provenance, statement, code, examples, then the smaller item id. A benchmark that shares
        nothing with the candidate has an empty ``nearest_item`` and score 0.

    Cost: about 1 ms, growing with the candidate's length and with the items that share something.
    """
    best: dict[str, tuple[tuple[bool, float, int, int], _Hit]] = {}
    for look in (_provenance_hits, _statement_hits, _code_hits, _example_hits):
        for hit in look(candidate, index):
            convicts = hit.score >= threshold_of(hit.method, index.settings)
            key = (not convicts, -hit.score, _METHODS.index(hit.method), hit.item)
            name = index.items[hit.item].benchmark
            if name not in best or key < best[name][0]:
                best[name] = (key, hit)
    return tuple(
        ContaminationRecord(
            benchmark=name,
            nearest_item=index.items[best[name][1].item].item_id,
            score=round(best[name][1].score, 4),
            method=best[name][1].method,
            span=_span(candidate, index, best[name][1]),
        )
        if name in best
        else ContaminationRecord(benchmark=name, nearest_item="", score=0.0, method=STATEMENT)
        for name in index.names
    )


def is_contaminated(records: Iterable[ContaminationRecord], settings: Decontamination) -> ContaminationRecord | None:
    """Return the record that convicts a candidate, the one with the highest score, or None."""
    guilty = [record for record in records if record.score >= threshold_of(record.method, settings)]
    return min(guilty, key=lambda record: (-record.score, record.benchmark), default=None)
