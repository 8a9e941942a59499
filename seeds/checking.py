"""Chooses the checker of a task from what its source says, once, so that grading never guesses.

Rules for function tasks, in this order:

1. A tolerance or an unordered comparison that the asserts spell is kept. Asserts with differing tolerances take the
   loosest. Unordered and ordered asserts in one row can't be judged by one checker, and the row runs as a suite.
2. A statement that lets the answer come "in any order" takes ``unordered`` when all expected values are lists or
   tuples. When their items are sorted lists themselves, nobody can tell whether those may be permuted as well, and the
   row is refused (``ambiguous_order``).
3. Expected floats, or a declared ``float`` result, take ``float`` with the format's tolerance.
4. Everything else is ``exact``.

Stdin tasks take ``tokens_float`` when an expected output holds a decimal number, and ``lines`` otherwise. A statement
that accepts any of several answers is refused (``many_answers``): no checker here knows the property. Method: own; the
permissive graders of published banks reward wrong answers.
"""

import re
from collections.abc import Sequence

from schemas.candidate import Checker, CheckerName
from schemas.errors import SeedError

DEFAULT_TOLERANCE = 1e-6

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n\s*\n")
_ANSWER_WORD = re.compile(r"\b(return\w*|print\w*|output\w*|answers?|results?|list them|display\w*)\b", re.IGNORECASE)
_ANY_ORDER = re.compile(
    r"\b(in|of) any order\b|\border\b[^.]{0,60}\b(does not|doesn't|do not|don't) matter\b", re.IGNORECASE
)
_ANY_ANSWER = re.compile(
    r"\b(return|print|output|report|give|find)\b[^.]{0,40}\bany (one )?"
    r"(of (them|those|these|the)\b|(valid|such|possible|correct) |solution|answer)"
    r"|\bany (one )?(of (them|those|these|which)|valid (answer|solution|output)|answer|solution|one)\b[^.]{0,40}"
    r"\b(accepted|acceptable|allowed|correct|suffices?)\b"
    r"|\b(multiple|several|many|more than one) (possible |valid |correct |such )*"
    r"(answers?|solutions?|ways?|outputs?|results?)\b[^.]{0,80}\bany\b",
    re.IGNORECASE,
)
_DECIMAL = re.compile(r"(?:^|\s)[+-]?\d*\.\d+(?:[eE][+-]?\d+)?(?=\s|$)")


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a statement, with blanks joined."""
    return [" ".join(part.split()) for part in _SENTENCE.split(text)]


def accepts_any_answer(statement: str) -> str:
    """Return the sentence by which a statement accepts any of several answers, or an empty text."""
    return next((part for part in sentences_of(statement) if _ANY_ANSWER.search(part)), "")


def accepts_any_order(statement: str) -> bool:
    """Return whether a statement lets the items of the answer come in any order."""
    return any(_ANY_ORDER.search(part) and _ANSWER_WORD.search(part) for part in sentences_of(statement))


def holds_float(value: object) -> bool:
    """Return whether a value is a float or holds one."""
    if isinstance(value, dict):
        return any(holds_float(item) for pair in value.items() for item in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return any(holds_float(item) for item in value)
    return isinstance(value, float)


def merge_checkers(checkers: Sequence[Checker]) -> Checker | None:
    """Return one checker that judges what each of these judges, or None when there is none.

    ``exact`` and ``float`` merge into ``float`` with the loosest tolerances.
    """
    names = {checker.name for checker in checkers}
    if len(names) <= 1 and CheckerName.FLOAT not in names:
        return checkers[0] if checkers else Checker()
    if names - {CheckerName.EXACT, CheckerName.FLOAT}:
        return None
    rel_tol, abs_tol = max(c.rel_tol for c in checkers), max(c.abs_tol for c in checkers)
    return Checker(name=CheckerName.FLOAT, rel_tol=rel_tol, abs_tol=abs_tol)


def choose_for_values(
    spelled: Checker, expected: Sequence[object], *, statement: str, returns: str, tolerance: float, place: str
) -> Checker:
    """Return the checker of a function task by the rules of this module.

    Args:
        spelled: what the asserts say themselves; ``exact`` when they say nothing.
        expected: the expected values.
        returns: annotation of the result, empty when unknown.
        tolerance: relative and absolute tolerance for floats, the format's own.
        place: what messages call the row.

    Raises:
        SeedError: ``ambiguous_order``.
    """
    if spelled.name is not CheckerName.EXACT:
        return spelled
    sequences = [value for value in expected if isinstance(value, list | tuple)]
    if accepts_any_order(statement) and expected and len(sequences) == len(expected):
        if _has_sorted_lists(sequences):
            message = f"{place}: the answer may come in any order, and its items are lists that may be permuted as well"
            raise SeedError(message, reason="ambiguous_order")
        return Checker(name=CheckerName.UNORDERED)
    if returns == "float" or any(holds_float(value) for value in expected):
        return Checker(name=CheckerName.FLOAT, rel_tol=tolerance, abs_tol=tolerance)
    return Checker()


def _has_sorted_lists(sequences: Sequence[Sequence[object]]) -> bool:
    items = [item for sequence in sequences for item in sequence]
    inner = [item for item in items if isinstance(item, list | tuple)]
    if not inner or len(inner) != len(items) or max(map(len, inner)) < 2:
        return False
    return all(_is_sorted(item) for item in inner)


def _is_sorted(items: Sequence[object]) -> bool:
    numbers = [item for item in items if isinstance(item, int | float)]
    texts = [item for item in items if isinstance(item, str)]
    if len(numbers) == len(items):
        return sorted(numbers) == numbers
    return len(texts) == len(items) and sorted(texts) == texts


def choose_for_output(outputs: Sequence[str]) -> Checker:
    """Return the checker of a stdin task: ``tokens_float`` when an output holds a decimal number, else ``lines``."""
    if any(_DECIMAL.search(output) for output in outputs):
        return Checker(name=CheckerName.TOKENS_FLOAT, rel_tol=DEFAULT_TOLERANCE, abs_tol=DEFAULT_TOLERANCE)
    return Checker(name=CheckerName.LINES)
