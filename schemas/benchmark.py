"""One item of a benchmark that the data must stay clear of.

Beside the road: readers in `seeds/benchmarks.py` make it out of published benchmark files, decontamination compares
every candidate with it, and nothing ever trains on it. Method: own.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkItem:
    """A published problem as far as its file tells it; what the file doesn't hold is empty."""

    benchmark: str
    """Name of the benchmark in the config."""
    item_id: str
    """The id that the benchmark gave it, for instance ``HumanEval/0``; unique within the benchmark."""
    statement: str = ""
    """Text of the problem, as published (docstring, instructions, issue)."""
    solutions: tuple[str, ...] = ()
    """Sources of right solutions, in any language; patches for repository items."""
    io_pairs: tuple[tuple[str, str], ...] = ()
    """Input and expected output: standard input and output as text, or an encoded call and its encoded value, spelled
    as in `TestCase.input` and `TestCase.expected` (arguments by position where the names are known)."""
    repo: str = ""
    """``owner/name`` of the repository, for repository items."""
