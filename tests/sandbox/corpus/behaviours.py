"""What the programs of the corpus do: one program per behaviour and language, and the verdict that every backend gives.

The program of behaviour ``b`` in a language is ``programs/b.<extension>``. Function programs define the entry point;
stdin programs are whole programs. ``does`` is what the program must do, in words for who writes it in a new language.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.languages import ENDINGS
from schemas.candidate import Parameter, Signature, TaskStyle, TestCase, TestOrigin
from schemas.limits import Limits
from schemas.values import encode_call, encode_text

PROGRAMS = Path(__file__).parent / "programs"
EXTENSIONS = ENDINGS
LIMITS = Limits(cpu_s=2, wall_s=10, memory_mb=384, disk_mb=32, stdin_mb=8, stdout_mb=4, processes=64)
WRONG = "WRONG"
"""Verdict of a program that ends well with another output than the expected one."""
BIG = -(3**200)
WIDE = "z\u00e9\u4e2d\U0001f600e\u0301\n\t\"'\\ "
WIDE_LINE = "z\u00e9\u4e2d\U0001f600e\u0301"


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """One behaviour."""

    name: str
    style: TaskStyle
    tests: tuple[TestCase, ...]
    verdict: str
    """``OK``, `WRONG`, or the state of the first test that doesn't pass."""
    does: str
    signature: Signature | None = None
    exceptions: dict[str, str] = field(default_factory=dict)
    """Verdict in languages where it is another one, with good reason."""

    def verdict_in(self, language: str) -> str:
        """Return the right verdict in a language."""
        return self.exceptions.get(language, self.verdict)

    def source(self, language: str) -> str:
        """Return the program in a language."""
        return (PROGRAMS / f"{self.name}.{EXTENSIONS[language]}").read_text(encoding="utf-8")


def _call(name, signature, cases, does, verdict="OK", **exceptions):
    head, _, returns = signature.rpartition(" -> ")
    given = [part.split(": ", 1) for part in head.split("; ")] if head else []
    parameters = tuple(Parameter(name=each, annotation=kind) for each, kind in given)
    return Behaviour(
        name=name,
        style=TaskStyle.FUNCTION,
        signature=Signature(entry_point=name, parameters=parameters, returns=returns),
        tests=tuple(
            TestCase.make(encode_call(args, {}), encode_text(expected), origin=TestOrigin.BANK)
            for args, expected in cases
        ),
        verdict=verdict,
        does=does,
        exceptions=exceptions,
    )


def _stream(name, cases, does, verdict="OK", **exceptions):
    tests = tuple(TestCase.make(given, expected, origin=TestOrigin.BANK) for given, expected in cases)
    return Behaviour(name=name, style=TaskStyle.STDIN, tests=tests, verdict=verdict, does=does, exceptions=exceptions)


_ONE = [((1,), 1)]
_INT = "n: int -> int"

BEHAVIOURS = (
    _call(
        "add",
        "a: int; b: int -> int",
        [((1, 2), 3), ((-5, 5), 0), ((2**62, 2**61), 2**62 + 2**61)],
        "a + b in 64 bits (bigint-free; JavaScript and TypeScript get bigints beyond 2**53)",
    ),
    _call("add_wrong", "a: int; b: int -> int", [((1, 0), 1), ((1, 2), 3)], "a - b", WRONG),
    _call(
        "sum_list",
        "items: list[int] -> int",
        [(([1, 2, 3],), 6), (([],), 0), ((list(range(1000)),), 499500)],
        "the sum",
    ),
    _call(
        "largest_float",
        "items: list[float] -> float",
        [(([1.5, -math.inf],), 1.5), (([math.inf, 1e308],), math.inf), (([5e-324, 0.0],), 5e-324)],
        "the largest",
    ),
    _call("not_a_number", "x: float -> float", [((0.0,), math.nan)], "x / x"),
    _call("negative_zero", "x: float -> float", [((0.0,), -0.0), ((1.0,), -1.0)], "-x"),
    _call(
        "decimal_sum", "a: float; b: float -> float", [((0.1, 0.2), 0.30000000000000004), ((1.0, 2.0), 3.0)], "a + b"
    ),
    _call("reverse_text", "text: str -> str", [(("",), ""), ((WIDE,), WIDE[::-1])], "the code points in reverse order"),
    _call("count_characters", "text: str -> int", [((WIDE,), len(WIDE)), (("",), 0)], "the number of code points"),
    _call(
        "echo_text",
        "text: str -> str",
        [(("\x00\x7f\u0080\uffff\U0010ffff",), "\x00\x7f\u0080\uffff\U0010ffff"), (("\r\n",), "\r\n")],
        "the text itself",
    ),
    _call(
        "echo_bytes",
        "data: bytes -> bytes",
        [((bytes(range(256)),), bytes(range(256))), ((b"",), b"")],
        "the bytes themselves",
    ),
    _call(
        "factorial",
        "n: int -> bigint",
        [((0,), 1), ((30,), math.factorial(30)), ((60,), math.factorial(60))],
        "n!, as a bigint (where the language has none: schoolbook digits)",
    ),
    _call("echo_bigint", "n: bigint -> bigint", [((BIG,), BIG), ((0,), 0), ((2**64,), 2**64)], "the number itself"),
    _call(
        "extremes",
        "n: int -> list[int]",
        [((0,), [-(2**63), 2**63 - 1])],
        "the smallest and the largest 64-bit integer",
    ),
    _call(
        "transpose",
        "rows: list[list[int]] -> list[list[int]]",
        [(([[1, 2], [3, 4], [5, 6]],), [[1, 3, 5], [2, 4, 6]]), (([],), [])],
        "columns become rows",
    ),
    _call(
        "multiply",
        "a: list[list[float]]; b: list[list[float]] -> list[list[float]]",
        [(([[1.0, 2.0]], [[3.0], [0.5]]), [[4.0]])],
        "the matrix product",
    ),
    _call(
        "count_words",
        "text: str -> dict[str, int]",
        [(("a b a",), {"a": 2, "b": 1}), (("",), {})],
        "how often each word occurs; words are separated by single spaces",
    ),
    _call(
        "invert",
        "names: dict[int, str] -> dict[str, int]",
        [(({1: "a", -2: "b"},), {"a": 1, "b": -2})],
        "values become keys",
    ),
    _call(
        "swap", "pair: tuple[int, str] -> tuple[str, int]", [(((1, "x"),), ("x", 1))], "the pair the other way round"
    ),
    _call("unique", "items: list[int] -> set[int]", [(([3, 1, 3],), {1, 3}), (([],), set())], "the items as a set"),
    _call(
        "grid",
        "points: list[tuple[int, int]] -> dict[tuple[int, int], int]",
        [(([(0, 1), (0, 1), (2, 3)],), {(0, 1): 2, (2, 3): 1})],
        "how often each point occurs",
    ),
    _call(
        "find",
        "items: list[int]; wanted: int -> int | None",
        [(([4, 5], 5), 1), (([4, 5], 6), None)],
        "the index of the first, or nothing",
    ),
    _call("default", "value: str | None -> str", [((None,), "none"), (("x",), "x")], "the value, or the text none"),
    _call("nothing", "n: int -> None", [((1,), None)], "returns nothing"),
    _call("is_even", "n: int -> bool", [((2,), True), ((-3,), False)], "whether n is even"),
    _call("floor_half", "n: int -> int", [((7,), 3), ((-7,), -4)], "n / 2 rounded towards minus infinity"),
    _call(
        "sort_texts",
        "items: list[str] -> list[str]",
        [((["b", "\uffff", "\U0001f600", "a", "B"],), ["B", "a", "b", "\uffff", "\U0001f600"])],
        "sorted by code points (not by UTF-16 units)",
    ),
    _call("deep_sum", _INT, [((10_000,), 50_005_000)], "1 + ... + n by recursion, one call per number"),
    _call(
        "endless_recursion", _INT, _ONE, "calls itself for ever, doing a little work that no compiler can remove", "RE"
    ),
    _call("endless_loop", _INT, _ONE, "loops for ever without output", "TLE_CPU"),
    _call("sleeper", _INT, _ONE, "sleeps for an hour, then returns n", "TLE_WALL"),
    _call("raises", _INT, _ONE, "throws the language's ordinary exception (Rust and Go: panics)", WRONG),
    _call("exits_well", _INT, _ONE, "ends the process with exit code 0 in the call", "RE"),
    _call("exits_badly", _INT, _ONE, "ends the process with exit code 3 in the call", "RE"),
    _call(
        "aborts",
        _INT,
        _ONE,
        "aborts the process (a signal where the language can send one, otherwise Runtime.halt(134) or process.abort)",
        "RE",
    ),
    _call("memory_hog", _INT, _ONE, "takes memory and writes to it until it gets no more, without end", "MLE"),
    _call(
        "asks_too_much",
        _INT,
        _ONE,
        "asks for 1 TiB at once (Java: 16 GiB), doesn't look at a failure, and writes to all of it",
        "MLE",
    ),
    _call("broken_syntax", _INT, _ONE, "isn't a program: a bracket is missing", "CE", python="RE"),
    _call("missing_function", _INT, _ONE, "defines a function of another name", "CE", python="RE", javascript="RE"),
    _call("noisy", _INT, [((1,), 1), ((2,), 2)], "prints some lines to both streams and returns n"),
    _call("flood", _INT, _ONE, "prints for ever", "OLE"),
    _call(
        "counter",
        _INT,
        [((1,), 1), ((2,), 1), ((3,), 1)],
        "adds one to a global that starts at 0 and returns it: each case has a process of its own",
    ),
    _call(
        "sorts_in_place",
        "items: list[int] -> list[int]",
        [(([3, 1, 2],), [1, 2, 3])],
        "sorts its argument in place and returns it",
    ),
    _call("large_input", "items: list[int] -> int", [((list(range(100_000)),), 4_999_950_000)], "the sum"),
    _call("large_output", "n: int -> list[int]", [((100_000,), list(range(100_000)))], "0 ... n-1"),
    _call("long_text", "n: int -> str", [((300_000,), "ab" * 300_000)], "the text ab, n times"),
    _call(
        "off_by_one",
        "n: int -> int",
        [((0,), 0), ((1,), 1), ((10,), 55)],
        "1 + ... + n for n below 10, and one too few terms from 10 on",
        WRONG,
    ),
    _call(
        "primes",
        "n: int -> list[int]",
        [((30,), [2, 3, 5, 7, 11, 13, 17, 19, 23, 29])],
        "the primes below n, by a sieve",
    ),
    _call(
        "private_file",
        _INT,
        _ONE,
        "writes n to the file number.txt in the current folder, reads it back and returns it",
    ),
    _call(
        "secret_file",
        "path: str -> str",
        [(("/etc/shadow",), "refused"), (("/var/lib/dpkg/status",), "refused")],
        "tries to read the file: its text, or the text refused",
    ),
    _call(
        "connects",
        "port: int -> str",
        [((80,), "refused")],
        "tries to open a TCP connection to 127.0.0.1: the text connected or the text refused (JavaScript: an async function)",
    ),
    _stream("echo", [("a\nb\n", "a\nb\n"), ("", "")], "standard input to standard output"),
    _stream("sum_numbers", [("1 2 3\n", "6\n"), ("-1\n1\n", "0\n")], "the sum of all integers"),
    _stream("sum_wrong", [("0\n", "0\n"), ("1 2\n", "3\n")], "the product of all integers", WRONG),
    _stream("no_newline", [("x\n", "done\n")], "prints done without a newline"),
    _stream(
        "unicode_lines",
        [(f"{WIDE_LINE}\n", f"{WIDE_LINE}!\n")],
        "each line with an exclamation mark behind it, in UTF-8",
    ),
    _stream(
        "big_sum",
        [("1000000000000000000 1000000000000000000\n", "2000000000000000000\n")],
        "the sum of two 64-bit integers",
    ),
    _stream("empty_input", [("", "empty\n"), ("x", "1\n")], "the number of bytes, or the word empty"),
    _stream(
        "fails_at_the_end", [("1\n", "1\n")], "prints the right answer (its input), then ends with exit code 1", "RE"
    ),
    _stream("dies_at_the_end", [("1\n", "1\n")], "prints the right answer (its input) and flushes, then aborts", "RE"),
    _stream("endless_output", [("1\n", "1\n")], "prints for ever", "OLE"),
    _stream("endless_work", [("1\n", "1\n")], "computes for ever", "TLE_CPU"),
    _stream(
        "error_output",
        [("1\n", "1\n")],
        "the right answer (its input) on standard output, something else on standard error",
    ),
    _stream(
        "many_lines",
        [("".join(f"{n}\n" for n in range(100_000)), "4999950000\n")],
        "the sum of all lines, read quickly",
    ),
    _stream("eats_memory", [("1\n", "1\n")], "takes memory and writes to it until it gets no more, without end", "MLE"),
    _stream(
        "fills_the_disk",
        [("1\n", "1\n")],
        "writes a file without end in the current folder; a failed write ends it with exit code 1",
        "DLE",
    ),
)
