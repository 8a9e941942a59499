"""What fuzzing gives: drawn inputs, or the reason why none could be drawn. Method: own."""

from collections.abc import Sequence
from dataclasses import dataclass

MAX_INPUT_CHARS = 4_000
"""Longest drawn input; larger ones make rows heavy and proofs slow."""
_EXAMPLE_CHARS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnInput:
    """One input."""

    text: str
    """Encoded call or standard input."""
    boundary: bool = False
    """Whether it stands at an edge of its domain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Inputs in a stable order."""

    inputs: tuple[DrawnInput, ...] = ()
    why: str = ""
    """Why there are none, in words; empty otherwise."""


def choose_examples(examples: Sequence[str]) -> tuple[str, ...]:
    """Return the examples to learn from: as many of the shortest as are cheap to look at, in their order."""
    left = _EXAMPLE_CHARS
    chosen: set[int] = set()
    for index in sorted(range(len(examples)), key=lambda index: (len(examples[index]), index)):
        left -= len(examples[index])
        if left < 0:
            break
        chosen.add(index)
    return tuple(text for index, text in enumerate(examples) if index in chosen)
