"""Comparisons of an output with the expected one, by name; each task states the one that judges it.

Runs outside the sandbox, after a program has ended: what a program returned is plain JSON here, never an object whose
``__eq__`` could answer. ``exact`` keeps types: ``True`` isn't 1, 1 isn't 1.0, and a tuple isn't a list (whoever
reads a bank that was stored as JSON expects lists). Method: own.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from schemas.candidate import Checker, CheckerName, TaskStyle
from schemas.canonical import canonical_json
from schemas.errors import ConfigError, SchemaError
from schemas.registry import Registry
from schemas.values import EncodingError, Json, check_encoded, parse_json

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SEQUENCE_TAGS = ("$tuple", "$set", "$frozenset")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How one checker compares encoded values and how it compares texts."""

    values: Callable[[Checker, Json, Json], bool] | None
    """Of function tasks; ``None`` takes string results as texts and refuses all others."""
    texts: Callable[[Checker, str, str], bool] | None
    """Of stdin tasks; ``None`` when the checker means nothing there."""


CHECKERS: Registry[Comparison] = Registry("checker")


def compare(checker: Checker, style: TaskStyle, expected: str, actual: str) -> bool:
    """Return whether the output counts as the expected one.

    Args:
        expected: canonical JSON of the encoded value (function style) or text (stdin style).
        actual: the same of what came out of the sandbox; anything malformed is just not equal.

    Raises:
        ConfigError: the checker means nothing for that style of task.
        SchemaError: the expected value isn't an encoding.
    """
    comparison = CHECKERS.get(checker.name)
    if style is TaskStyle.FUNCTION:
        return _compare_encoded(comparison, checker, expected, actual)
    if style is not TaskStyle.STDIN or comparison.texts is None:
        raise ConfigError(f"checker {checker.name.value!r} can't judge {style.value} tasks")
    return comparison.texts(checker, expected, actual)


def _compare_encoded(comparison: Comparison, checker: Checker, expected: str, actual: str) -> bool:
    try:
        wanted = _parse_encoded(expected)
    except EncodingError as error:
        raise SchemaError(f"expected value {expected[:80]!r} is no encoded value: {error}") from error
    try:
        got = _parse_encoded(actual)
    except EncodingError:
        return False
    if comparison.values is not None:
        return comparison.values(checker, wanted, got)
    if comparison.texts is None or not (type(wanted) is str and type(got) is str):
        return canonical_json(wanted) == canonical_json(got)
    return comparison.texts(checker, wanted, got)


def _parse_encoded(text: str) -> Json:
    parsed = parse_json(text)
    check_encoded(parsed)
    return parsed


def _equal_values(_checker: Checker, expected: Json, actual: Json) -> bool:
    return canonical_json(expected) == canonical_json(actual)


def _equal_texts(_checker: Checker, expected: str, actual: str) -> bool:
    return expected == actual


def _close_values(checker: Checker, expected: Json, actual: Json) -> bool:
    left, right = _number_of(expected), _number_of(actual)
    if left is not None and right is not None:
        return _close_numbers(checker, left, right)
    if type(expected) is list and type(actual) is list:
        return _close_items(checker, expected, actual)
    if type(expected) is not dict or type(actual) is not dict or expected.keys() != actual.keys():
        return _equal_values(checker, expected, actual)
    ((tag, left_content),) = expected.items()
    return _close_tagged(checker, tag, left_content, actual[tag])


def _close_tagged(checker: Checker, tag: str, expected: Json, actual: Json) -> bool:
    if type(expected) is not list or type(actual) is not list:
        return expected == actual
    if tag in {"$set", "$frozenset"}:
        return _close_items(checker, _by_number(expected), _by_number(actual))
    if tag == "$complex":
        return _close_items(checker, _floats_of(expected), _floats_of(actual))
    return _close_items(checker, expected, actual)


def _floats_of(parts: list[Json]) -> list[Json]:
    return [{"$float": part} for part in parts]


def _close_items(checker: Checker, expected: Sequence[Json], actual: Sequence[Json]) -> bool:
    return len(expected) == len(actual) and all(
        _close_values(checker, left, right) for left, right in zip(expected, actual, strict=True)
    )


def _by_number(items: list[Json]) -> list[Json]:
    """Return the items sorted by number when all are numbers, so that near ones stand at equal places."""
    numbers = [_number_of(item) for item in items]
    if any(number is None or number != number for number in numbers):  # noqa: PLR0124  # NaN has no place
        return items
    order = sorted(range(len(items)), key=lambda index: numbers[index] or 0)
    return [items[index] for index in order]


def _number_of(encoded: Json) -> int | float | None:
    if type(encoded) is int:
        return encoded
    if type(encoded) is dict and type(encoded.get("$float")) is str:
        return float(str(encoded["$float"]))
    if type(encoded) is dict and type(encoded.get("$int")) is str:
        return int(str(encoded["$int"]), 0)
    return None


def _close_numbers(checker: Checker, expected: float, actual: float) -> bool:
    """Return whether two numbers agree: two integers exactly, all others within the tolerances, NaN with NaN."""
    if expected == actual:
        return True
    if type(expected) is int and type(actual) is int:
        return False
    try:
        if math.isnan(expected) or math.isnan(actual):
            return math.isnan(expected) and math.isnan(actual)
        return math.isclose(expected, actual, rel_tol=checker.rel_tol, abs_tol=checker.abs_tol)
    except OverflowError:
        return False


def _unordered_values(_checker: Checker, expected: Json, actual: Json) -> bool:
    """Return whether two sequences of one type hold the same items as often; items compare exactly."""
    left, right = _items_of(expected), _items_of(actual)
    if left is None or right is None or left[0] != right[0]:
        return canonical_json(expected) == canonical_json(actual)
    return Counter(map(canonical_json, left[1])) == Counter(map(canonical_json, right[1]))


def _items_of(encoded: Json) -> tuple[str, list[Json]] | None:
    if type(encoded) is list:
        return "list", encoded
    if type(encoded) is dict:
        ((tag, content),) = encoded.items()
        if tag in _SEQUENCE_TAGS and type(content) is list:
            return tag, content
    return None


def _lines_of(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _equal_lines(_checker: Checker, expected: str, actual: str) -> bool:
    """Return whether all lines agree; blanks at line ends and empty lines at the end don't count."""
    return _lines_of(expected) == _lines_of(actual)


def _unordered_lines(_checker: Checker, expected: str, actual: str) -> bool:
    return Counter(_lines_of(expected)) == Counter(_lines_of(actual))


def _equal_tokens(_checker: Checker, expected: str, actual: str) -> bool:
    """Return whether the blank-separated tokens agree, in order."""
    return expected.split() == actual.split()


def _caseless_tokens(_checker: Checker, expected: str, actual: str) -> bool:
    return expected.casefold().split() == actual.casefold().split()


def _close_tokens(checker: Checker, expected: str, actual: str) -> bool:
    """Return whether the tokens agree, in order; decimal numbers within the tolerances, integers exactly."""
    wanted, got = expected.split(), actual.split()
    return len(wanted) == len(got) and all(
        left == right or _close_token(checker, left, right) for left, right in zip(wanted, got, strict=True)
    )


def _close_token(checker: Checker, expected: str, actual: str) -> bool:
    if _INTEGER.fullmatch(expected) and _INTEGER.fullmatch(actual):
        return _integer_form(expected) == _integer_form(actual)
    if _NUMBER.fullmatch(expected) and _NUMBER.fullmatch(actual):
        return _close_numbers(checker, float(expected), float(actual))
    return False


def _integer_form(token: str) -> tuple[bool, str]:
    digits = token.lstrip("+-").lstrip("0")
    return token.startswith("-") and digits != "", digits


CHECKERS.register(CheckerName.EXACT, Comparison(values=_equal_values, texts=_equal_texts))
CHECKERS.register(CheckerName.FLOAT, Comparison(values=_close_values, texts=None))
CHECKERS.register(CheckerName.UNORDERED, Comparison(values=_unordered_values, texts=_unordered_lines))
CHECKERS.register(CheckerName.LINES, Comparison(values=None, texts=_equal_lines))
CHECKERS.register(CheckerName.TOKENS, Comparison(values=None, texts=_equal_tokens))
CHECKERS.register(CheckerName.TOKENS_CASELESS, Comparison(values=None, texts=_caseless_tokens))
CHECKERS.register(CheckerName.TOKENS_FLOAT, Comparison(values=None, texts=_close_tokens))
