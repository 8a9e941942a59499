"""Small changes of example inputs that keep their form, for stdin tasks whose grammar the examples don't show.

The first line and every number that may count something stay as they are; other numbers take values that stand in
their own column, and words get their own characters in another order. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from sandbox.fuzzing.draws import MAX_INPUT_CHARS
from sandbox.fuzzing.grammar import is_int

_MOST_CHANGES = 4
_MOST_SLOTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """A token that may be changed and what it may become."""

    line: int
    token: int
    values: tuple[str, ...]


def list_changes(examples: Sequence[str]) -> SearchStrategy[str]:
    """Return a strategy of changed examples; of the examples themselves when nothing may be changed."""
    texts = sorted({text.rstrip() for text in examples if len(text.rstrip()) <= MAX_INPUT_CHARS})
    changed = [_changes_of(text, _slots_of(text)) for text in texts]
    return st.one_of(*changed) if changed else st.nothing()


def _changes_of(text: str, slots: Sequence[_Slot]) -> SearchStrategy[str]:
    if not slots:
        return st.just(text)
    change = st.sampled_from(slots).flatmap(lambda slot: st.tuples(st.just(slot), st.sampled_from(slot.values)))
    return st.lists(change, min_size=1, max_size=_MOST_CHANGES).map(lambda changes: _apply(text, changes))


def _apply(text: str, changes: Sequence[tuple[_Slot, str]]) -> str:
    lines = [line.split(" ") for line in text.split("\n")]
    for slot, value in changes:
        lines[slot.line][slot.token] = value
    return "\n".join(" ".join(line) for line in lines)


def _slots_of(text: str) -> list[_Slot]:
    lines = [line.split(" ") for line in text.split("\n")]
    slots: list[_Slot] = []
    for row, line in enumerate(lines):
        if row == 0 and len(lines) > 1:
            continue
        for column, token in enumerate(line):
            values = _values_for(lines, row, column, token)
            if len(slots) == _MOST_SLOTS:
                return slots
            if values:
                slots.append(_Slot(line=row, token=column, values=values))
    return slots


def _values_for(lines: Sequence[Sequence[str]], row: int, column: int, token: str) -> tuple[str, ...]:
    if not token:
        return ()
    if not is_int(token):
        turned = {token[::-1], token[1:] + token[:1], token[-1:] + token[:-1], token[0] * len(token)}
        return tuple(sorted(turned - {token}))
    if _may_count(lines, row, int(token)):
        return ()
    same_form = [line for line in lines[1:] if len(line) == len(lines[row])] if len(lines) > 1 else []
    peers = [line[column] for line in same_form] + (list(lines[row]) if len(lines[row]) > 2 else [])
    numbers = sorted({int(peer) for peer in peers if is_int(peer)} | {int(token)})
    low, high = numbers[0], numbers[-1]
    near = {value for value in (int(token) - 1, int(token) + 1, (low + high) // 2) if low <= value <= high}
    return tuple(str(value) for value in sorted((set(numbers) | near) - {int(token)}))


def _may_count(lines: Sequence[Sequence[str]], row: int, value: int) -> bool:
    """Return whether a number alone or first on its line says how much follows."""
    following = len(lines) - row - 1
    if following == 0:
        return False
    return len(lines[row]) == 1 or value in {following, len(lines[row + 1])}
