"""What decontamination looks up: every benchmark item by statement, code, examples and origin.

Built once a worker, before the screen stage; `decontamination` asks it. Method: own; n-gram overlap after GPT-3
(arXiv 2005.14165, appendix C), window-local renaming in the spirit of winnowing (Schleimer et al. 2003).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from schemas.benchmark import BenchmarkItem
from schemas.config import Decontamination
from transforms.curation.examples import print_examples
from transforms.curation.postings import Postings
from transforms.curation.provenance import ProvenanceIndex
from transforms.curation.shingles import Hashes, alpha_windows, hash_ngrams, split_words, union_hashes, word_windows

MIN_DISTINCTIVE = 4
"""Distinctive n-grams or windows that an item needs before a share of them means anything."""
MIN_WORDS = 6
WHOLE_WORDS = 20
"""A statement of 6 to 20 words, which has few n-grams, also convicts when it's equal as a whole."""
_WORKED_EXAMPLE = re.compile(
    r"^[ \t]*>>>.*\n?(?:[ \t]*[^\s>].*\n?)?|^.*\w\(.*\)[ \t]*(?:==|=>|->|➞|=|should|returns?\b).*\n?", re.MULTILINE
)
_DIFF = re.compile(r"^\+\+\+ \S", re.MULTILINE)


def _statement_row(statement: str, size: int) -> Hashes:
    """Return the n-grams of a published statement that outlive a translation.

    Worked examples are respelled by it, so no n-gram touches one, unless the rest has too few.
    """
    parts = [word_windows(part, size).hashes for part in _WORKED_EXAMPLE.split(statement)]
    hashes = union_hashes(parts)
    return hashes if len(hashes) >= 2 * MIN_DISTINCTIVE else word_windows(statement, size).unique()


def hash_whole(text: str) -> Hashes:
    """Return the hash of all words of a short statement together; nothing for a shorter or longer one."""
    words, _, _ = split_words(text)
    short = MIN_WORDS <= len(words) <= WHOLE_WORDS
    return hash_ngrams(words, len(words)) if short else np.empty(0, dtype=np.uint64)


def added_lines(source: str) -> str:
    """Return the lines that a unified diff adds; text that isn't a diff comes back as it is."""
    if not _DIFF.search(source):
        return source
    return "\n".join(line[1:] for line in source.splitlines() if line.startswith("+") and not line.startswith("+++"))


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
            for whole in hash_whole(item.statement).tolist():
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
