"""Finds the examples that a statement shows, so that exactly those test cases are public.

Policy: cases that the statement shows are public; when it shows none of them, the first two are, but never all;
everything else is hidden. Method: own.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from schemas.candidate import Parameter, TestCase
from schemas.syntax import parse_expression
from schemas.values import EncodingError, encode_call
from seeds.assert_shapes import PendingCall, Scope
from seeds.literals import Budget, NotLiteralError

PUBLIC_WITHOUT_EXAMPLES = 2

_INPUT = re.compile(r"Input:?\**:?")
_OUTPUT = re.compile(r"^[^\S\n]*\**Output", re.MULTILINE)
_INPUT_CHARS = 2000
_SEARCHED_CHARS = 100_000
_CALL_CHARS = 1000
_MOST_CALLS = 50  # written calls, and closing brackets tried for each: a hostile text must not cost much
_JSON_WORDS = {"true": True, "false": False, "null": None}


def bind_by_position(call: PendingCall, parameters: Sequence[Parameter]) -> PendingCall:
    """Return the call with its keyword arguments moved to their places, as far as they follow without a gap."""
    named = dict(call.kwargs)
    args = list(call.args)
    for parameter in parameters[len(args) :]:
        if parameter.name not in named:
            break
        args.append(named.pop(parameter.name))
    return PendingCall(args=tuple(args), kwargs=tuple(named.items()))


def encode_pending(call: PendingCall, parameters: Sequence[Parameter]) -> str:
    """Return the encoded call, arguments by position where the names are known.

    Raises:
        EncodingError: an argument has no encoding.
    """
    bound = bind_by_position(call, parameters)
    return encode_call(bound.args, dict(bound.kwargs))


def read_call(text: str, callee: str, parameters: Sequence[Parameter]) -> str | None:
    """Return the encoded call that a text like ``f([1], k=2)`` spells, or None when it's something else.

    ``true``, ``false`` and ``null`` count as values, since statements write them.
    """
    try:
        node = parse_expression(text.strip())
        scope = Scope(callees=frozenset({callee}), names=_JSON_WORDS, budget=Budget())
        call = scope.call(node)
        return None if call is None else encode_pending(call, parameters)
    except (SyntaxError, ValueError, RecursionError, MemoryError, NotLiteralError, EncodingError):
        return None


def written_calls(text: str, callee: str, parameters: Sequence[Parameter]) -> frozenset[str]:
    """Return the encoded calls ``callee(...)`` that stand anywhere in a text, in doctests or in prose."""
    found = set()
    for match in islice(re.finditer(rf"\b{re.escape(callee)}\(", text), _MOST_CALLS):
        window = text[match.start() : match.start() + _CALL_CHARS]
        for end in islice(re.finditer(r"\)", window), _MOST_CALLS):
            call = read_call(window[: end.end()], callee, parameters)
            if call is not None:
                found.add(call)
                break
    return frozenset(found)


def labelled_calls(statement: str, parameters: Sequence[Parameter]) -> frozenset[str]:
    """Return the encoded calls of examples written ``Input: nums = [2,7], target = 9`` / ``Output: ...``."""
    texts = (" ".join(text.split()) for text in islice(_labelled_texts(statement[:_SEARCHED_CHARS]), _MOST_CALLS))
    calls = (read_call(f"f({text})", "f", parameters) for text in texts)
    return frozenset(call for call in calls if call is not None)


def _labelled_texts(text: str) -> Iterator[str]:
    """Yield what stands between ``Input:`` and the next line that starts with ``Output``, in one pass."""
    ends = [match.start() for match in _OUTPUT.finditer(text)]
    done = 0
    for match in _INPUT.finditer(text):
        place = bisect_left(ends, match.end())
        if match.start() < done or place == len(ends):
            continue
        found = text[match.end() : ends[place]].strip()
        if 0 < len(found) <= _INPUT_CHARS:
            done = ends[place]
            yield found


def shown_inputs(statement: str, cases: Sequence[TestCase]) -> frozenset[str]:
    """Return the standard inputs that stand in the statement as whole lines, their outputs as well."""
    shown = _lines_of(statement)
    return frozenset(case.input for case in cases if _contains(shown, case.input) and _contains(shown, case.expected))


def _lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _contains(lines: list[str], text: str) -> bool:
    wanted = _lines_of(text)
    if not wanted:
        return False
    starts = (index for index, line in enumerate(lines) if line == wanted[0])
    return any(lines[index : index + len(wanted)] == wanted for index in starts)


def mark_public(cases: Sequence[TestCase], shown: frozenset[str]) -> tuple[TestCase, ...]:
    """Return the cases in their order, public by the policy of this module.

    Args:
        shown: inputs of the cases that the statement shows.
    """
    if not any(case.input in shown for case in cases):
        count = min(PUBLIC_WITHOUT_EXAMPLES, len(cases) - 1)
        shown = frozenset(case.input for case in cases[:count])
    return tuple(replace(case, public=case.input in shown) for case in cases)
