"""Mutants of a reference solution, for the mutation score of a test suite.

Used while a function or stdin task is hardened: a suite is as good as the share of these mutants that it notices.
Method: own; mutation score after DeMillo, Lipton and Sayward (IEEE Computer 11(4), 1978).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mutators.patches import changed_lines
from mutators.selection import select_sites
from mutators.sites import SurveyedFile, enumerate_sites
from mutators.splice import splice
from schemas.errors import MutationError

_HEAD_LINES = 2  # where an encoding may be named
_PATH = "solution.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMutant:
    """A broken copy of a solution."""

    operator: str
    source: str
    diff: str
    """Removed lines with ``-`` and added lines with ``+``; nothing around them."""


def mutate_source(
    source: str, *, operators: Sequence[str] = (), limit: int, run_seed: int, record_id: str
) -> tuple[SourceMutant, ...]:
    """Return at most ``limit`` different mutants of a program, each of which compiles to other bytecode.

    Functions and operators take turns, so that a small limit still gives different mutants; a smaller limit gives a
    prefix of what a larger one gives.

    Args:
        operators: names; empty takes all.

    Raises:
        MutationError: the program doesn't parse.
        ConfigError: an operator's name is unknown.
    """
    data = _encode(source)
    sites = enumerate_sites(_PATH, data, operators, module_level=True)
    file = SurveyedFile(path=_PATH, source=data, sites=sites)
    chosen = select_sites([file], limit=limit, run_seed=run_seed, record_id=record_id)
    mutants = []
    for site in chosen:
        broken = splice(data, site.edits)
        mutants.append(
            SourceMutant(operator=site.operator, source=broken.decode("utf-8"), diff=changed_lines(data, broken))
        )
    return tuple(mutants)


def _encode(source: str) -> bytes:
    """Return the source in UTF-8 without the name of another encoding, which says nothing about a text."""
    lines = source.split("\n", _HEAD_LINES)
    head = [line.replace("coding", "c0ding") if line.lstrip().startswith("#") else line for line in lines[:_HEAD_LINES]]
    try:
        return "\n".join((*head, *lines[_HEAD_LINES:])).encode("utf-8")
    except UnicodeEncodeError as error:
        raise MutationError(f"{_PATH}: text holds a lone surrogate at {error.start}") from error
