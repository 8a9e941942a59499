"""Tiers of tests: basic, intermediate, complex, edge (TAROT, arXiv 2602.15449, section 3).

An input at an edge of its domain is an edge test; the others are ranked by size among their own suite. Method: own.
"""

from collections.abc import Sequence

from schemas.candidate import TaskStyle, TestTier
from schemas.values import EncodingError, decode_call

SMALL_CHARS = 24
"""An input of at most so many characters is basic however small the others are."""
LARGE_CHARS = 80
"""A shorter input is never complex."""


def rank_tiers(style: TaskStyle, inputs: Sequence[tuple[str, bool]]) -> tuple[TestTier, ...]:
    """Return one tier per input.

    Args:
        inputs: each input and whether it was drawn at an edge.
    """
    sizes = sorted(len(text) for text, _ in inputs)
    third = sizes[len(sizes) // 3] if sizes else 0
    upper = sizes[3 * len(sizes) // 4] if sizes else 0
    return tuple(_tier(style, text, third, upper, edge=edge) for text, edge in inputs)


def _tier(style: TaskStyle, text: str, third: int, upper: int, *, edge: bool) -> TestTier:
    if edge or _has_empty_part(style, text):
        return TestTier.EDGE
    if len(text) <= max(third, SMALL_CHARS):
        return TestTier.BASIC
    return TestTier.COMPLEX if len(text) >= max(upper, LARGE_CHARS) else TestTier.INTERMEDIATE


def _has_empty_part(style: TaskStyle, text: str) -> bool:
    if style is TaskStyle.STDIN:
        return not text.strip()
    try:
        args, kwargs = decode_call(text)
    except EncodingError:
        return False
    values = [*args, *kwargs.values()]
    return any(isinstance(value, str | bytes | list | tuple | set | dict) and not value for value in values)
