"""Hypothesis strategies for a parameter's values inside its domains.

Fourth step of fuzzing. Every number comes from a small or a wide range, so that equal items, touching intervals and
other collisions occur. Bounds hold by construction; nothing is filtered. Method: own, after the measurement that
alphabet and bounds matter more than the engine.
"""

import math
import sys
from collections.abc import Mapping

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from sandbox.fuzzing.constants import Constants
from sandbox.fuzzing.domains import Domain
from sandbox.fuzzing.draws import MAX_INPUT_CHARS
from sandbox.fuzzing.shapes import Kind, Shape, is_hashable

DEFAULT_TEXT = "abcABC 01"
SMALL_SPAN = 5
WIDE_INT = 100
DEFAULT_SIZE = 8
LARGEST_SIZE = 40
_FREE = Domain()
_HASHING = (Kind.SET, Kind.FROZENSET, Kind.DICT)


def build_strategy(
    shape: Shape, domains: Mapping[str, Domain], constants: Constants, path: str = "", room: int = MAX_INPUT_CHARS
) -> SearchStrategy[object]:
    """Return a strategy for values of a shape.

    Args:
        domains: bounds by constraint path.
        path: where in the parameter the shape stands.
        room: items or characters that there is room for; what is nested gets its share.

    Raises:
        ValueError: the shape leaves something open (`Shape.is_known` is false), or its smallest value has no room.
    """
    domain = domains.get(path, _FREE)
    if domain.choices:
        return st.sampled_from(domain.choices)
    if shape.kind is Kind.UNION:
        return st.one_of(*(build_strategy(part, domains, constants, path, room) for part in shape.parts))
    if shape.kind is Kind.LITERAL:
        return st.sampled_from(shape.literals)
    if (domain.min_size or 0) > room:
        raise ValueError(f"values with {domain.min_size} items at {path or 'the top'} are too large to be drawn")
    if shape.kind in _SCALARS:
        return _SCALARS[shape.kind](domain, constants)
    if not shape.is_known():
        raise ValueError(f"no values of shape {shape.kind} at {path or 'the top'} can be drawn")
    return _build_container(shape, domains, constants, path, room)


def integer_range(domain: Domain) -> tuple[int, int]:
    """Return the least and the greatest integer to draw (both inclusive)."""
    low = math.ceil(domain.low) if domain.low is not None else None
    high = math.floor(domain.high) if domain.high is not None else None
    if low is None:
        low = -WIDE_INT if high is None else min(-WIDE_INT, high - WIDE_INT)
    if high is None:
        high = max(WIDE_INT, low + WIDE_INT)
    return low, max(low, high)


def nearest_float(number: float) -> float:
    """Return the number as a float, the largest one for an integer beyond all floats."""
    try:
        return float(number)
    except OverflowError:
        return math.copysign(sys.float_info.max, number > 0 or -1)


def size_range(domain: Domain) -> tuple[int, int]:
    """Return the least and the greatest size to draw (both inclusive); long ones are left to the boundaries."""
    least = domain.min_size or 0
    most = DEFAULT_SIZE if domain.max_size is None else min(domain.max_size, LARGEST_SIZE)
    return least, max(least, most)


def _integers(domain: Domain, constants: Constants) -> SearchStrategy[object]:
    low, high = integer_range(domain)
    center = min(max(0, low), high)
    small = st.integers(max(low, center - SMALL_SPAN), min(high, center + SMALL_SPAN))
    wide = st.integers(low, high)
    middle = st.integers(max(low, center - WIDE_INT), min(high, center + WIDE_INT))
    known = tuple(value for value in constants.integers if low <= value <= high)
    return st.one_of(small, middle, wide, *((st.sampled_from(known),) if known else ()))


def _floats(domain: Domain, constants: Constants) -> SearchStrategy[object]:
    low = nearest_float(domain.low) if domain.low is not None else -float(WIDE_INT)
    high = nearest_float(domain.high) if domain.high is not None else max(float(WIDE_INT), low + WIDE_INT)
    whole_low, whole_high = integer_range(domain)
    choices: list[SearchStrategy[object]] = [st.floats(low, max(low, high), allow_nan=False)]
    if whole_low <= high:
        choices.append(st.integers(whole_low, whole_high).map(nearest_float))
    known = tuple(value for value in constants.floats if low <= value <= high)
    return st.one_of(*choices, *((st.sampled_from(known),) if known else ()))


def _texts(domain: Domain, constants: Constants) -> SearchStrategy[object]:
    alphabet = domain.alphabet or DEFAULT_TEXT
    least, most = size_range(domain)
    narrow = alphabet if len(alphabet) <= SMALL_SPAN else alphabet[:: max(1, len(alphabet) // SMALL_SPAN)]
    known = tuple(
        text
        for text in constants.texts
        if set(text) <= set(alphabet) and least <= len(text) and (domain.max_size is None or len(text) <= most)
    )
    plain = st.text(alphabet, min_size=least, max_size=most)
    repetitive = st.text(narrow, min_size=least, max_size=most)
    mirrored = st.text(narrow, min_size=(least + 1) // 2, max_size=max((least + 1) // 2, most // 2)).map(
        lambda half: (half + half[::-1])[:most]
    )
    return st.one_of(plain, repetitive, mirrored, *((st.sampled_from(known),) if known else ()))


def _bytes(domain: Domain, constants: Constants) -> SearchStrategy[object]:
    del constants
    least, most = size_range(domain)
    return st.binary(min_size=least, max_size=most)


def _booleans(domain: Domain, constants: Constants) -> SearchStrategy[object]:
    del domain, constants
    return st.booleans()


def _none(domain: Domain, constants: Constants) -> SearchStrategy[object]:
    del domain, constants
    return st.none()


_SCALARS = {
    Kind.INT: _integers,
    Kind.FLOAT: _floats,
    Kind.STR: _texts,
    Kind.BYTES: _bytes,
    Kind.BOOL: _booleans,
    Kind.NONE: _none,
}


def _build_container(
    shape: Shape, domains: Mapping[str, Domain], constants: Constants, path: str, room: int
) -> SearchStrategy[object]:
    least, most = size_range(domains.get(path, _FREE))
    most = max(least, min(most, room))
    room //= max(1, len(shape.parts) if shape.kind is Kind.TUPLE else most)
    if shape.kind is Kind.TUPLE:
        return st.tuples(*(build_strategy(part, domains, constants, path + "[]", room) for part in shape.parts))
    if shape.kind in _HASHING and not is_hashable(shape.parts[0]):
        raise ValueError(f"items of a {shape.kind} at {path or 'the top'} can't be hashed")
    if shape.kind is Kind.DICT:
        keys = build_strategy(shape.parts[0], domains, constants, path + "{k}", room)
        values = build_strategy(shape.parts[1], domains, constants, path + "{v}", room)
        pairs = st.lists(st.tuples(keys, values), min_size=least, max_size=most)
        return pairs.map(dict)
    items = build_strategy(shape.parts[0], domains, constants, path + "[]", room)
    rows = st.lists(items, min_size=least, max_size=most)
    if shape.kind is Kind.LIST:
        return rows.map(list)
    return rows.map({Kind.ROW: tuple, Kind.SET: set, Kind.FROZENSET: frozenset}[shape.kind])
