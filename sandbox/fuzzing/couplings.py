"""Arguments that have to do with one another: a copy, a reversal, an item, a sum of two items, a length.

Independent draws hardly ever make two words anagrams or a target the sum of two items; some draws are coupled on
purpose. A coupled value outside its bounds is refused later like any other. Method: own.
"""

from collections.abc import Sequence
from enum import StrEnum

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from sandbox.fuzzing.relations import Call
from sandbox.fuzzing.shapes import SIZED, Kind, Shape
from schemas.python_text import show_value


class Tie(StrEnum):
    """What one argument takes from another."""

    COPY = "copy"
    REVERSED = "reversed"
    PART = "part"
    ITEM = "item"
    SUM = "sum"
    LENGTH = "length"


Coupling = tuple[Tie, int, int]
"""The tie, the argument that gives, the argument that takes."""


def list_couplings(shapes: Sequence[Shape]) -> tuple[Coupling, ...]:
    """Return the ties that make sense between parameters of these shapes, in a fixed order."""
    couplings: list[Coupling] = []
    for giver, source in enumerate(shapes):
        for taker, target in enumerate(shapes):
            if giver == taker or source.kind not in SIZED:
                continue
            if source == target:
                ties = (Tie.COPY, Tie.REVERSED, Tie.PART) if source.kind in _SLICED else (Tie.COPY,)
                couplings += [(tie, giver, taker) for tie in ties]
            elif source.parts and source.parts[0] == target:
                couplings.append((Tie.ITEM, giver, taker))
            if target.kind is Kind.INT:
                couplings.append((Tie.LENGTH, giver, taker))
                if source.parts and source.parts[0].kind is Kind.INT:
                    couplings.append((Tie.SUM, giver, taker))
    return tuple(couplings)


_SLICED = (Kind.STR, Kind.LIST, Kind.ROW, Kind.BYTES)


def couple(calls: SearchStrategy[Call], shapes: Sequence[Shape]) -> SearchStrategy[Call]:
    """Return a strategy of calls of which about every third has one argument tied to another."""
    couplings = list_couplings(shapes)
    if not couplings:
        return calls
    tied = st.tuples(calls, st.sampled_from(couplings), st.integers(0, 63)).map(lambda drawn: _tie(*drawn))
    return st.one_of(calls, calls, tied)


def _tie(call: Call, coupling: Coupling, pick: int) -> Call:
    tie, giver, taker = coupling
    source = call[giver]
    if isinstance(source, set | frozenset | dict):
        source = sorted(source, key=show_value) if tie is not Tie.COPY else source
    value = _take(tie, source, pick)
    return call if value is None else (*call[:taker], value, *call[taker + 1 :])


def _take(tie: Tie, source: object, pick: int) -> object:
    """Return the tied value, None when the source is too short for it."""
    if tie is Tie.COPY:
        return source
    if not isinstance(source, str | list | tuple | bytes):
        return None
    if tie is Tie.LENGTH:
        return len(source) - pick % 2
    if tie is Tie.REVERSED:
        return source[::-1]
    return _take_items(tie, source, pick) if source else None


def _take_items(tie: Tie, source: str | bytes | list[object] | tuple[object, ...], pick: int) -> object:
    first, second = pick % len(source), (pick // 8) % len(source)
    if tie is Tie.PART:
        return source[min(first, second) : max(first, second) + 1]
    left, right = source[first], source[second]
    if tie is Tie.ITEM:
        return left
    return left + right if type(left) is int and type(right) is int else None
