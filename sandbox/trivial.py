"""Trivial solvers: programs that know nothing of the task and must fail its hidden tests.

Constants, echoes, a table of the public examples and one-liners, each as real source that is run like any solution. A
task that one of them solves teaches a model to guess. Method: own; the hollow bodies of checker audits.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.candidate import Candidate, TaskStyle, TestCase
from schemas.python_text import write_value
from schemas.values import EncodingError, Raised, decode_call, decode_text

ENTRY_POINT = "solve"
_MOST_CONSTANTS = 4
_ONE_LINERS = {
    "len": "len(values[0])",
    "sum": "sum(values[0])",
    "sorted": "sorted(values[0])",
    "max": "max(values[0])",
    "min": "min(values[0])",
    "reversed": "values[0][::-1]",
    "str": "str(values[0])",
    "negated": "not values[0]",
}
_STREAM_ONE_LINERS = {
    "first_token": "text.split()[0]",
    "last_token": "text.split()[-1]",
    "sum": "sum(map(int, text.split()))",
    "max": "max(map(int, text.split()))",
    "min": "min(map(int, text.split()))",
    "line_count": "len(text.splitlines())",
    "length": "len(text.strip())",
    "reversed": "text.strip()[::-1]",
    "sorted": "*sorted(text.split()), sep=' '",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrivialSolver:
    """A solver's name and source; a function solver is called `ENTRY_POINT`."""

    name: str
    source: str


def list_trivial_solvers(
    candidate: Candidate, public: Sequence[TestCase], expected: Sequence[str]
) -> tuple[TrivialSolver, ...]:
    """Return the solvers for a task, without two of the same source.

    Args:
        public: what a solver may have seen.
        expected: expected outputs, the hidden ones included, for the constants.
    """
    counts = Counter(expected)
    frequent = sorted(counts, key=lambda output: (-counts[output], output))[:_MOST_CONSTANTS]
    if candidate.style is TaskStyle.STDIN:
        solvers = _stream_solvers(public, frequent)
    else:
        width = max((_width(case.input) for case in public), default=0) or _declared_width(candidate)
        solvers = _function_solvers(public, frequent, width, candidate.signature.returns if candidate.signature else "")
    return tuple({solver.source: solver for solver in reversed(solvers)}.values())[::-1]


def _function(expression: str) -> str:
    head = "inf, nan = float('inf'), float('nan')\n"
    body = f"    values = [*args, *kwargs.values()]\n    return {expression}\n"
    return f"{head}def {ENTRY_POINT}(*args, **kwargs):\n{body}"


def _raising(name: str) -> str:
    return f"def {ENTRY_POINT}(*args, **kwargs):\n    raise type({name!r}, (Exception,), {{}})()\n"


def _constant(output: str) -> str:
    value = decode_text(output)
    return _raising(value.name) if isinstance(value, Raised) else _function(write_value(value))


def _is_written(value: object) -> bool:
    """Return whether the solver's own ``repr`` can write the value."""
    try:
        return bool(repr(value))
    except ValueError:
        return False


def _width(call: str) -> int:
    args, kwargs = decode_call(call)
    return len(args) + len(kwargs)


def _declared_width(candidate: Candidate) -> int:
    return len(candidate.signature.parameters) if candidate.signature else 0


def _function_solvers(
    public: Sequence[TestCase], frequent: Sequence[str], width: int, returns: str
) -> list[TrivialSolver]:
    solvers = [TrivialSolver(name="none", source=_function("None"))]
    default = _default_for(returns, frequent)
    solvers += [
        TrivialSolver(name=f"constant_{place}", source=_constant(output)) for place, output in enumerate(frequent)
    ]
    solvers.append(TrivialSolver(name="typed_default", source=_function(default)))
    solvers += [
        TrivialSolver(name=f"echo_{place}", source=_function(f"values[{place}]")) for place in range(min(width, 4))
    ]
    if public:
        solvers.append(TrivialSolver(name="public_lookup", source=_lookup(public, default)))
    if width:
        solvers += [TrivialSolver(name=name, source=_function(text)) for name, text in _ONE_LINERS.items()]
    return solvers


def _default_for(returns: str, frequent: Sequence[str]) -> str:
    """Return the source of an empty value of the return type."""
    defaults = {"int": "0", "float": "0.0", "str": "''", "bool": "False", "list": "[]", "dict": "{}"}
    defaults |= {"set": "set()", "tuple": "()", "bytes": "b''", "frozenset": "frozenset()"}
    named = returns.split("[", maxsplit=1)[0].strip().lower()
    if named in defaults:
        return defaults[named]
    return defaults.get(type(decode_text(frequent[0])).__name__, "None") if frequent else "None"


def _lookup(public: Sequence[TestCase], default: str) -> str:
    entries = []
    for case in public:
        args, kwargs = decode_call(case.input)
        try:
            value = decode_text(case.expected)
        except EncodingError:
            continue
        given = [*args, *kwargs.values()]
        if not isinstance(value, Raised) and _is_written(given):
            entries.append(f"    {repr(given)!r}: {write_value(value)},\n")
    table = "".join(entries)
    head = "inf, nan = float('inf'), float('nan')\n"
    body = f"    return TABLE.get(repr([*args, *kwargs.values()]), {default})\n"
    return f"{head}TABLE = {{\n{table}}}\ndef {ENTRY_POINT}(*args, **kwargs):\n{body}"


def _stream_solvers(public: Sequence[TestCase], frequent: Sequence[str]) -> list[TrivialSolver]:
    read = "import sys\ntext = sys.stdin.read()\n"
    solvers = [
        TrivialSolver(name="none", source=""),
        TrivialSolver(name="echo", source=f"{read}print(text, end='')\n"),
    ]
    solvers += [
        TrivialSolver(name=f"constant_{place}", source=f"print({output!r}, end='')\n")
        for place, output in enumerate(frequent)
    ]
    if public:
        table = {case.input: case.expected for case in public}
        default = frequent[0] if frequent else ""
        solvers.append(
            TrivialSolver(name="public_lookup", source=f"{read}print({table!r}.get(text, {default!r}), end='')\n")
        )
    solvers += [TrivialSolver(name=name, source=f"{read}print({text})\n") for name, text in _STREAM_ONE_LINERS.items()]
    return solvers
