"""How near a candidate stands to the items of benchmarks, and whether that is too near.

Part of the screen stage, before anything is run. Four looks, each with its own measure: where it comes from, its
statement (word 10-grams), its reference solution (code windows with renamed identifiers), its examples. N-grams and
windows that many items of one benchmark share count for none of them, and an item that is too short to be recognised
isn't looked for: trivial overlap convicts nobody. Method: own; see `benchmark_index`.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from schemas.candidate import Candidate
from schemas.config import Decontamination
from schemas.contamination import ContaminationRecord
from transforms.curation.benchmark_index import MIN_DISTINCTIVE, BenchmarkIndex, added_lines, hash_whole
from transforms.curation.examples import ExamplePrint, print_examples
from transforms.curation.shingles import Hashes, Windows, alpha_windows, union_hashes, word_windows

STATEMENT = "statement_10gram"
CODE = "code_window_alpha"
EXAMPLES = "io_fingerprint"
PROVENANCE = "provenance"
SMALL_SOLUTION = 40
SMALL_FACTOR = 2.0
"""A solution of fewer than 40 windows is often a common idiom, so its score is at most twice the share of the
candidate's own windows that it explains."""
MIN_EXAMPLES = 3
"""Examples with as many different outputs that must be shared."""
SPAN_CHARS = 200
_METHODS = (PROVENANCE, STATEMENT, CODE, EXAMPLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """A candidate as the looks see it, taken apart once."""

    candidate: Candidate
    texts: tuple[tuple[str, Windows], ...]
    """Texts in which a published statement may hide: also docstrings and comments of the code."""
    source: str
    """The reference solution, or the lines that a fix adds."""
    code: Windows
    examples: tuple[ExamplePrint, ...]

    @classmethod
    def of(cls, candidate: Candidate, settings: Decontamination) -> "_View":
        texts = (candidate.statement, candidate.starter_code, candidate.reference)
        mutation = candidate.mutation
        source = candidate.reference if mutation is None else added_lines(mutation.fix_patch)
        return cls(
            candidate=candidate,
            texts=tuple((text, word_windows(text, settings.ngram)) for text in texts if text),
            source=source,
            code=alpha_windows(source, settings.code_window),
            examples=print_examples((case.input, case.expected) for case in candidate.tests),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    """One item found by one look."""

    item: int
    score: float
    method: str
    row: int = -1
    """Row of the index that was hit, where there is one."""


def _longest_run(found: Sequence[bool]) -> tuple[int, int]:
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
    first, last = _longest_run(np.isin(windows.hashes, wanted).tolist())
    return text[windows.starts[first] : windows.ends[last]][:SPAN_CHARS] if last >= first else ""


def _look_at_origin(view: _View, index: BenchmarkIndex) -> Iterable[_Hit]:
    for item in index.provenance.find(view.candidate):
        yield _Hit(item=item, score=1.0, method=PROVENANCE)


def _look_at_statement(view: _View, index: BenchmarkIndex) -> Iterable[_Hit]:
    shares = index.statements.measure(union_hashes(windows.hashes for _, windows in view.texts)).shares
    for row in np.flatnonzero((shares > 0) & (index.statements.distinctive_sizes >= MIN_DISTINCTIVE)).tolist():
        yield _Hit(item=row, score=float(shares[row]), method=STATEMENT, row=row)
    for whole in hash_whole(view.candidate.statement).tolist():
        for item in index.wholes.get(whole, ()):
            yield _Hit(item=item, score=1.0, method=STATEMENT)


def _look_at_code(view: _View, index: BenchmarkIndex) -> Iterable[_Hit]:
    windows = view.code.unique()
    overlap = index.code.measure(windows)
    enough = index.code.sizes >= index.settings.min_shingles
    enough &= index.code.distinctive_sizes >= MIN_DISTINCTIVE
    for row in np.flatnonzero((overlap.shares > 0) & enough).tolist():
        score = float(overlap.shares[row])
        if index.code.sizes[row] < SMALL_SOLUTION:
            score = min(score, SMALL_FACTOR * int(overlap.counts[row]) / len(windows))
        yield _Hit(item=index.code_sources[row][0], score=score, method=CODE, row=row)


def _look_at_examples(view: _View, index: BenchmarkIndex) -> Iterable[_Hit]:
    outputs: defaultdict[int, list[int]] = defaultdict(list)
    for example in view.examples:
        for item in index.examples.get(example.pair, ()):
            outputs[item].append(example.output)
    for item, shared in sorted(outputs.items()):
        score = min(len(set(shared)), MIN_EXAMPLES) / MIN_EXAMPLES
        yield _Hit(item=item, score=score, method=EXAMPLES)


def _show(view: _View, index: BenchmarkIndex, hit: _Hit) -> str:
    """Return the matched piece of the candidate's text."""
    item, settings = index.items[hit.item], index.settings
    if hit.method == PROVENANCE:
        return (item.repo or item.item_id)[:SPAN_CHARS]
    if hit.method == CODE:
        solution = item.solutions[index.code_sources[hit.row][1]]
        return find_span(view.source, view.code, alpha_windows(added_lines(solution), settings.code_window).hashes)
    if hit.method == EXAMPLES:
        pairs = {example.pair for example in print_examples(item.io_pairs)}
        return "; ".join(example.text for example in view.examples if example.pair in pairs)[:SPAN_CHARS]
    if hit.row < 0:
        return view.candidate.statement.strip()[:SPAN_CHARS]
    wanted = word_windows(item.statement, settings.ngram).hashes
    return max((find_span(text, windows, wanted) for text, windows in view.texts), key=len)


def threshold_of(method: str, settings: Decontamination) -> float:
    """Return the score from which a method convicts."""
    return {STATEMENT: settings.statement_overlap, CODE: settings.code_overlap}.get(method, 1.0)


def check(candidate: Candidate, index: BenchmarkIndex) -> tuple[ContaminationRecord, ...]:
    """Return the nearest item of every benchmark, ordered by the benchmark's name.

    Returns:
        One record a benchmark. A hit that convicts comes before one that doesn't, then the higher score, then the
        method in the order provenance, statement, code, examples, then the smaller item id. A benchmark that shares
        nothing with the candidate has an empty ``nearest_item`` and score 0.

    Cost: about 1 ms, growing with the candidate's length, the number of items and the number of benchmarks.
    """
    view = _View.of(candidate, index.settings)
    best: dict[str, tuple[tuple[bool, float, int, int], _Hit]] = {}
    for look in (_look_at_origin, _look_at_statement, _look_at_code, _look_at_examples):
        for hit in look(view, index):
            score = round(hit.score, 4)
            convicts = score >= threshold_of(hit.method, index.settings)
            key = (not convicts, -score, _METHODS.index(hit.method), hit.item)
            name = index.items[hit.item].benchmark
            if name not in best or key < best[name][0]:
                best[name] = (key, hit)
    nearest = {name: hit for name, (_, hit) in best.items()}
    return tuple(_record(name, nearest.get(name), view, index) for name in index.names)


def _record(name: str, hit: _Hit | None, view: _View, index: BenchmarkIndex) -> ContaminationRecord:
    if hit is None:
        return ContaminationRecord(benchmark=name, nearest_item="", score=0.0, method=STATEMENT)
    return ContaminationRecord(
        benchmark=name,
        nearest_item=index.items[hit.item].item_id,
        score=round(hit.score, 4),
        method=hit.method,
        span=_show(view, index, hit),
    )


def is_contaminated(records: Iterable[ContaminationRecord], settings: Decontamination) -> ContaminationRecord | None:
    """Return the record that convicts a candidate, the one with the highest score, or None."""
    guilty = [record for record in records if record.score >= threshold_of(record.method, settings)]
    return min(guilty, key=lambda record: (-record.score, record.benchmark), default=None)
