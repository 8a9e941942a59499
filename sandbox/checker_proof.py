"""The proof that a task's checker can tell right from wrong on the task's own tests.

Stands beside proving on the road: a checker that refuses the reference's output or that takes nothing, an echo or
another input's output for it would poison every reward. Method: own, after the guard rules of public graders' issues.
"""

import itertools
from collections.abc import Iterator, Sequence

from sandbox.checkers import compare
from schemas.candidate import Checker, TaskStyle, TestCase
from schemas.canonical import canonical_json
from schemas.errors import ConfigError
from schemas.values import parse_json


def checker_self_test(checker: Checker, style: TaskStyle, cases: Sequence[TestCase]) -> tuple[str, ...]:
    """Return what is wrong with the checker on these cases; empty when it is sound.

    ``refuses_reference`` when an expected output isn't accepted as itself. ``accepts_none``, ``accepts_empty``,
    ``accepts_echo``, ``accepts_other_output`` when that impostor differs from the expected output in some cases and
    passes in all of those.

    Raises:
        ConfigError: no cases, or a checker that means nothing for that style.
        SchemaError: a case isn't encoded.
    """
    if not cases:
        raise ConfigError("a checker can't be tested without test cases")
    faults = []
    if not all(compare(checker, style, case.expected, case.expected) for case in cases):
        faults.append("refuses_reference")
    outputs = tuple(dict.fromkeys(case.expected for case in cases))
    for fault, impostors in _impostors(style, cases, outputs):
        answers = [
            compare(checker, style, expected, impostor) for expected, impostor in impostors if expected != impostor
        ]
        if answers and all(answers):
            faults.append(fault)
    return tuple(faults)


def _impostors(
    style: TaskStyle, cases: Sequence[TestCase], outputs: Sequence[str]
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield each fault with its pairs of expected output and impostor."""
    is_function = style is TaskStyle.FUNCTION
    yield "accepts_none", [(case.expected, "null" if is_function else "None") for case in cases]
    empties = ('""', "[]") if is_function else ("",)
    yield "accepts_empty", [(case.expected, empty) for case in cases for empty in empties]
    yield (
        "accepts_echo",
        [(case.expected, echo) for case in cases for echo in (_echoes(case.input) if is_function else (case.input,))],
    )
    yield "accepts_other_output", list(itertools.pairwise(outputs))


def _echoes(call_text: str) -> tuple[str, ...]:
    call = parse_json(call_text)
    args = call.get("args") if type(call) is dict else None
    return tuple(map(canonical_json, args)) if type(args) is list else ()
