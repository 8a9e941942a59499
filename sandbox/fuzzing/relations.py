"""What holds between and inside the arguments of every example, and how a drawn call is made to hold it too.

Fifth step of fuzzing: lists of equal length, an index inside its list, a target that is in the list, nodes below the
node count, a sorted list, a rectangular matrix. A drawn call is repaired, not refused: draws stay valid. Method: own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sandbox.fuzzing.domains import Domain
from schemas.python_text import show_value

Call = tuple[object, ...]
"""The values of all parameters, in their order."""


class Rule(StrEnum):
    """What relates two parameters."""

    SAME_LENGTH = "same_length"
    NOT_ABOVE = "not_above"
    """The first number is at most the second."""
    INDEX = "index"
    """The first number is an index of the second."""
    MEMBER = "member"
    """The first is an item of the second."""
    AT_MOST_LENGTH = "at_most_length"
    """The first number counts items of the second."""
    IS_LENGTH = "is_length"
    """The first number is the length of the second."""
    NODES_FROM_ZERO = "nodes_from_zero"
    """All numbers inside the first lie in ``range(second)``."""
    NODES_FROM_ONE = "nodes_from_one"
    """All numbers inside the first lie in ``1..second``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A rule between the parameters at two positions."""

    rule: Rule
    first: int
    second: int


MIN_EXAMPLES = 3
"""Fewer examples show nothing between two parameters."""


def find_relations(calls: Sequence[Call]) -> tuple[Relation, ...]:
    """Return what holds between two parameters in every example, in a fixed order; none for few examples."""
    if len(calls) < MIN_EXAMPLES:
        return ()
    width = min(len(call) for call in calls)
    found: list[Relation] = []
    for first in range(width):
        for second in range(width):
            rules = [rule for rule in Rule if first != second and _holds(rule, calls, first, second)]
            found.extend(Relation(rule=rule, first=first, second=second) for rule in rules)
    return tuple(found)


def is_square(values: Sequence[object]) -> bool:
    """Return whether every value is a list of as many rows (lists or texts) of that length."""
    return _all_rows(values, lambda rows: all(len(row) == len(rows) for row in rows))


def is_rectangular(values: Sequence[object]) -> bool:
    """Return whether every value is a list of rows (lists or texts) of one length, one of them with two rows."""
    return _all_rows(values, lambda rows: len({len(row) for row in rows}) <= 1)


def _all_rows(values: Sequence[object], check: Callable[[list[list[object] | str]], bool]) -> bool:
    tables = [_rows(value) for value in values]
    known = [table for table in tables if table is not None]
    return (
        len(known) == len(values) > 1
        and any(len(table) > 1 and len(table[0]) > 0 for table in known)
        and all(check(table) for table in known)
    )


def _rows(value: object) -> list[list[object] | str] | None:
    if not isinstance(value, list) or not value:
        return None
    rows = [row for row in value if isinstance(row, list | str)]
    return rows if len(rows) == len(value) else None


def _flat_integers(value: object) -> list[int] | None:
    if type(value) is int:
        return [value]
    if not isinstance(value, list | tuple):
        return None
    inner = [_flat_integers(item) for item in value]
    known = [part for part in inner if part is not None]
    return [number for part in known for number in part] if len(known) == len(inner) else None


def _holds(rule: Rule, calls: Sequence[Call], first: int, second: int) -> bool:
    return all(_CHECKS[rule](call[first], call[second]) for call in calls)


def _check_same_length(left: object, right: object) -> bool:
    return isinstance(left, list | str) and isinstance(right, list | str) and len(left) == len(right)


def _check_not_above(left: object, right: object) -> bool:
    return type(left) is int and type(right) is int and left <= right


def _check_index(left: object, right: object) -> bool:
    return type(left) is int and isinstance(right, list | str) and 0 <= left < len(right)


def _check_member(left: object, right: object) -> bool:
    return isinstance(right, list) and not isinstance(left, list) and left in right


def _check_at_most_length(left: object, right: object) -> bool:
    return type(left) is int and isinstance(right, list | str) and 0 <= left <= len(right)


def _check_is_length(left: object, right: object) -> bool:
    return type(left) is int and isinstance(right, list | str) and left == len(right)


def _check_nodes(offset: int) -> Callable[[object, object], bool]:
    def check(left: object, right: object) -> bool:
        numbers = _flat_integers(left) if isinstance(left, list) else None
        return (
            numbers is not None and type(right) is int and all(offset <= number < right + offset for number in numbers)
        )

    return check


_CHECKS: dict[Rule, Callable[[object, object], bool]] = {
    Rule.SAME_LENGTH: _check_same_length,
    Rule.NOT_ABOVE: _check_not_above,
    Rule.INDEX: _check_index,
    Rule.MEMBER: _check_member,
    Rule.AT_MOST_LENGTH: _check_at_most_length,
    Rule.IS_LENGTH: _check_is_length,
    Rule.NODES_FROM_ZERO: _check_nodes(0),
    Rule.NODES_FROM_ONE: _check_nodes(1),
}


def repair_call(call: Call, relations: Sequence[Relation]) -> Call:
    """Return a call in which the relations hold, changing as little as possible.

    A relation that can't be made to hold (an index of an empty list) is left broken.
    """
    values = list(call)
    for relation in relations:
        left, right = values[relation.first], values[relation.second]
        if not _CHECKS[relation.rule](left, right):
            values[relation.first], values[relation.second] = _repair_pair(relation.rule, left, right)
    return tuple(values)


def _repair_pair(rule: Rule, left: object, right: object) -> tuple[object, object]:
    if rule in {Rule.NODES_FROM_ZERO, Rule.NODES_FROM_ONE} and type(right) is int and right > 0:
        return _fold(left, right, 0 if rule is Rule.NODES_FROM_ZERO else 1), right
    if rule is Rule.NOT_ABOVE:
        return right, left
    if not isinstance(right, list | str):
        return left, right
    if rule is Rule.SAME_LENGTH and isinstance(left, list | str):
        size = min(len(left), len(right))
        return left[:size], right[:size]
    if rule is Rule.MEMBER and right:
        return right[len(repr(left)) % len(right)], right
    return (_fit_into(rule, left, len(right)) if type(left) is int else left), right


def _fit_into(rule: Rule, number: int, size: int) -> int:
    """Return the number as an index, a count or the length of a sequence."""
    if rule is Rule.IS_LENGTH:
        return size
    places = size + (rule is Rule.AT_MOST_LENGTH)
    return abs(number) % places if places else number


def _fold(value: object, count: int, offset: int) -> object:
    if type(value) is int:
        return (value - offset) % count + offset
    return [_fold(item, count, offset) for item in value] if isinstance(value, list) else value


def repair_value(
    value: object, domains: dict[str, Domain], path: str = "", *, square: bool, rectangular: bool
) -> object:
    """Return the value with its lists sorted, without repeats and rectangular where that is asked."""
    if not isinstance(value, list | tuple):
        return value
    inner = [repair_value(item, domains, path + "[]", square=False, rectangular=False) for item in value]
    if square or rectangular:
        inner = _repair_table(inner, square=square)
    domain = domains.get(path, Domain())
    if domain.unique:
        inner = list({show_value(item): item for item in inner}.values())
    if domain.ordered:
        inner = sorted(inner, key=_sort_key)
    return tuple(inner) if isinstance(value, tuple) else inner


def _repair_table(rows: list[object], *, square: bool) -> list[object]:
    tables = _rows(rows)
    if tables is None:
        return rows
    width = min(len(row) for row in tables)
    if square:
        width = max(1, min(width, len(tables)))
        tables = tables[:width]
    width = max(width, 1)
    filler = next((row for row in tables if row), None)
    return list(rows) if filler is None else [_cut(row, filler, width) for row in tables]


def _cut(row: list[object] | str, filler: list[object] | str, width: int) -> object:
    """Return the row in the asked width, filled up from another row when it's too short."""
    if isinstance(row, str):
        return (row + "".join(map(str, filler)) * width)[:width]
    return (row + list(filler) * width)[:width]


def _sort_key(item: object) -> tuple[str, float, str]:
    if isinstance(item, int | float):
        return ("", item, "")
    return (type(item).__name__, 0.0, str(item))
