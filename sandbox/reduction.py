"""Which tests to keep: every killed mutant by several tests, with as few tests as possible.

Last step of hardening. Greedy cover in which each mutant wants `COVER` different tests; ties go to given tests before
drawn ones, then to shorter inputs, so the choice depends on content alone. Method: greedy set multicover; the depth of
three follows the measurement that 4.6 tests per function reach it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

COVER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A test that may be kept."""

    input: str
    kills: frozenset[int]
    """Indices of the wrong programs that it tells from the reference."""
    given: bool = False
    required: bool = False


def reduce_suite(choices: Sequence[Choice], *, most: int, cover: int = COVER) -> tuple[int, ...]:
    """Return the indices of the tests to keep, sorted; required ones first of all, at most ``most`` in total."""
    kept = [index for index, choice in enumerate(choices) if choice.required][:most]
    need: dict[int, int] = {wrong: cover for choice in choices for wrong in choice.kills}
    for index in kept:
        _count(need, choices[index])
    open_choices = [index for index in range(len(choices)) if index not in kept]
    while open_choices and len(kept) < most:
        best = min(open_choices, key=lambda index: _rank(need, choices[index]))
        if not _gain(need, choices[best]):
            break
        kept.append(best)
        open_choices.remove(best)
        _count(need, choices[best])
    return tuple(sorted(kept))


def _count(need: dict[int, int], choice: Choice) -> None:
    for wrong in choice.kills:
        need[wrong] -= 1


def _gain(need: dict[int, int], choice: Choice) -> int:
    return sum(1 for wrong in choice.kills if need[wrong] > 0)


def _rank(need: dict[int, int], choice: Choice) -> tuple[int, bool, int, str]:
    first_kills = sum(1 for wrong in choice.kills if need[wrong] == COVER)
    return (-(_gain(need, choice) + 2 * first_kills), not choice.given, len(choice.input), choice.input)
