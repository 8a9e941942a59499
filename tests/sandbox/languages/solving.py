"""How the tests of a language that is built first call solutions, and values of all types to call them with."""

import math
import struct
from dataclasses import dataclass

import pytest
from hypothesis import strategies as st

from sandbox.backends import select_backend
from sandbox.judging import CaseOutcome, Program
from sandbox.languages.compiled import CompiledEvaluators
from sandbox.languages.recipes import Language
from schemas.candidate import Parameter, Signature, TaskStyle
from schemas.errors import ConfigError
from schemas.limits import Limits
from schemas.values import encode_call

LIMITS = Limits(cpu_s=2, wall_s=20, memory_mb=384, disk_mb=32, stdout_mb=4, processes=64)
EVERYTHING = "a: int; b: bigint; c: float; d: bool; e: str; f: bytes; g: list[list[int]]; h: set[str]; i: dict[tuple[int, str], list[float]]; j: tuple[int, str | None, tuple[bool]]; k: dict[str, bytes] | None"
EVERYTHING += " -> tuple[int, bigint, float, bool, str, bytes, tuple[list[list[int]], set[str], dict[tuple[int, str], list[float]]], tuple[tuple[int, str | None, tuple[bool]], dict[str, bytes] | None]]"
"""A signature with all types; its solution returns its arguments."""

_INT = st.integers(-(2**63), 2**63 - 1)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_FLOAT = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack(">d", struct.pack(">Q", bits))[0])
_FLOAT = st.one_of(st.floats(allow_nan=False), _FLOAT.filter(lambda number: number == number))
EVERYTHING_ARGUMENTS = st.tuples(
    _INT,
    st.integers(-(10**60), 10**60),
    _FLOAT,
    st.booleans(),
    _TEXT,
    st.binary(max_size=6),
    st.lists(st.lists(_INT, max_size=3), max_size=3),
    st.sets(_TEXT, max_size=4),
    st.dictionaries(st.tuples(_INT, _TEXT), st.lists(_FLOAT, max_size=3), max_size=3),
    st.tuples(_INT, st.none() | _TEXT, st.tuples(st.booleans())),
    st.none() | st.dictionaries(_TEXT, st.binary(max_size=3), max_size=3),
)

EVERY_TYPE = (
    "int, bigint, float, bool, str, bytes, list[list[int]], set[str], dict[str, list[int]], tuple[int, str], "
    "dict[tuple[int, int], float], int | None, str | None, list[tuple[str, bool]]"
)
"""Types with every form, and values of them that are at their limits."""
VALUES = (
    -(2**63),
    10**40,
    -math.inf,
    True,
    "z\u00e9\U0001f600\ud800",
    b"\0\xff",
    [[1], []],
    {"a", "b"},
    {"k": [1, 2], "": []},
    (7, "seven"),
    {(1, 2): 0.5, (-1, 0): -0.0},
    None,
    "there",
    [("x", False)],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """What is tried in one language by the tests that all built languages share."""

    language: Language
    limits: Limits = LIMITS
    toolchain: str
    """A pattern of its name and version."""
    echo: str
    """A solution of `EVERYTHING` that returns what `gather` does."""
    preamble: tuple[str, str]
    """A preamble, and a solution that returns ``n + 1`` with its help."""
    entry_points: tuple[str, ...]
    """Entry points that no program has."""
    refused: str
    """What is said of them."""
    without_main: str
    """A program that isn't one for want of a main function; empty where there is none."""
    natural: tuple[tuple[str, str, tuple[object, ...], object], ...] = ()
    """Solutions with types of the language's own: source, signature, arguments, result."""
    misfits: tuple[tuple[str, str, tuple[object, ...], str], ...] = ()
    """Solutions whose arguments or results don't fit: source, signature, arguments, what is said."""
    no_programs: tuple[tuple[str, str], ...] = ()
    """Sources that the compiler refuses, and what is said."""


def gather(arguments):
    """Return what the solution of `EVERYTHING` returns."""
    return (*arguments[:6], arguments[6:9], arguments[9:])


def read_signature(text: str, entry_point: str = "f") -> Signature:
    """Return the signature of ``a: int; b: str -> bool``; names may be left out."""
    head, _, returns = text.rpartition("-> ")
    given = [part.strip().rpartition(": ") for part in head.split("; ") if part.strip()]
    parameters = tuple(Parameter(name=name or f"p{at}", annotation=kind) for at, (name, _, kind) in enumerate(given))
    return Signature(entry_point=entry_point, parameters=parameters, returns=returns)


def make_factory(language: Language, style: TaskStyle, limits: Limits = LIMITS) -> CompiledEvaluators:
    """Return the evaluators of a language on the process backend; skips where the toolchain is missing."""
    try:
        return CompiledEvaluators(language, select_backend("process"), limits, style=style)
    except ConfigError as error:
        pytest.skip(str(error))


def call_function(factory, source, signature, *calls, entry_point="f", isolate=True) -> tuple[CaseOutcome, ...]:
    """Return what calls of a solution lead to; each call is a tuple of arguments."""
    program = Program(source=source, entry_point=entry_point, signature=read_signature(signature, entry_point))
    with factory.open() as evaluator:
        return evaluator.evaluate(program, [encode_call(each, {}) for each in calls], isolate=isolate)
