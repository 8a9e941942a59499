"""What fuzzing gives: drawn inputs, or the reason why none could be drawn. Method: own."""

from dataclasses import dataclass

MAX_INPUT_CHARS = 4_000
"""Longest drawn input; larger ones make rows heavy and proofs slow."""


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
