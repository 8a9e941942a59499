"""Verdicts per second in every language, cold and warm, over plain processes of the same language.

    python -m benchmarks.languages [--rounds 7] [--language java go] [--backend process]

A check is one stdin program and four inputs, each of which gets a process of its own on every way, here and in the
plain ways. The ways of all languages take turns in random order: look at the ratios, which are those of medians.

- ``plain, built``: the program is built; it is started once per input, without any sandbox.
- ``plain, with build``: the same, and the compiler before it, as one would type it, in a fresh folder.
- ``warm``: built, sandbox open; to be held against ``plain, built``.
- ``opened``: built, in a fresh sandbox; to be held against ``plain, built``.
- ``cold``: build in a sandbox of its own, then a fresh sandbox; to be held against ``plain, with build``.

Languages whose toolchain isn't there are left out with the reason.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sandbox.backends import select_backend
from sandbox.base import Backend
from sandbox.judge import compare_outcomes, judge
from sandbox.judging import EvaluatorFactory, Program
from sandbox.languages import LANGUAGES, cpp, rust
from schemas.candidate import Checker, CheckerName, TaskStyle, TestCase, TestOrigin
from schemas.errors import ConfigError
from schemas.limits import Limits
from tests.sandbox.corpus.product import find_behaviour

SUMS = (("1 2 3\n", "6\n"), ("-1\n1\n", "0\n"), ("", "0\n"), ("1000000 7\n", "1000007\n"))
TESTS = tuple(TestCase.make(given, expected, origin=TestOrigin.BANK) for given, expected in SUMS)
CHECKER = Checker(name=CheckerName.LINES)
LIMITS = Limits(cpu_s=20, wall_s=120, processes=64)
PLAIN, PLAIN_BUILD, WARM, OPENED, COLD = "plain, built", "plain, with build", "warm", "opened", "cold"
BASES = {PLAIN: PLAIN, PLAIN_BUILD: PLAIN_BUILD, WARM: PLAIN, OPENED: PLAIN, COLD: PLAIN_BUILD}
Check = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What one would type to build and run a program."""

    file: str
    build: tuple[str, ...]
    run: tuple[str, ...]


TYPED = {
    "python": Typed(file="main.py", build=(), run=(sys.executable, "-I", "-S", "main.py")),
    "cpp": Typed(file="main.cpp", build=("g++", *cpp.FLAGS, "main.cpp", "-o", "main"), run=("./main",)),
    "java": Typed(file="Main.java", build=("javac", "Main.java"), run=("java", "Main")),
    "rust": Typed(file="main.rs", build=("rustc", *rust.FLAGS, "main.rs", "-o", "main"), run=("./main",)),
    "go": Typed(file="main.go", build=("go", "build", "-o", "main", "main.go"), run=("./main",)),
    "javascript": Typed(file="main.js", build=(), run=("node", "main.js")),
    "typescript": Typed(
        file="main.ts",
        build=("tsc", "--target", "es2022", "--module", "commonjs", "--noEmitOnError", "false", "main.ts"),
        run=("node", "main.js"),
    ),
}


def build_plain(typed: Typed, source: str, folder: Path) -> None:
    """Lay the program into a folder and build it there, without a sandbox."""
    (folder / typed.file).write_text(source, encoding="utf-8")
    if typed.build:  # tsc complains of Node's types, which aren't there, and translates all the same
        subprocess.run(typed.build, cwd=folder, capture_output=True, check=typed.build[0] != "tsc")


def check_plain(typed: Typed, folder: Path) -> bool:
    """Return whether the built program passes, with one plain process per input."""
    said = [
        subprocess.run(typed.run, input=given.encode(), cwd=folder, capture_output=True, check=True).stdout.decode()
        for given, _ in SUMS
    ]
    return said == [expected for _, expected in SUMS]


def check_plain_from_source(typed: Typed, source: str) -> bool:
    """Return whether the program passes, built for this check."""
    with tempfile.TemporaryDirectory() as folder:
        build_plain(typed, source, Path(folder))
        return check_plain(typed, Path(folder))


def prepare(language: str, backend: Backend, stack: ExitStack) -> dict[str, Check]:
    """Return the ways of one language.

    Raises:
        ConfigError: its toolchain isn't there.
    """
    make: Callable[[], EvaluatorFactory] = partial(LANGUAGES.get(language), backend, LIMITS, style=TaskStyle.STDIN)
    kept, typed = make(), TYPED[language]
    missing = [words[0] for words in (typed.build, typed.run) if words and "/" not in words[0]]
    if missing := [name for name in missing if shutil.which(name) is None]:
        raise ConfigError(f"no {' and no '.join(missing)} on PATH for the plain way")
    source = find_behaviour("sum_numbers").source(language)
    program = Program(source=source)
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    build_plain(typed, source, folder)
    evaluator = stack.enter_context(kept.open())
    inputs = [case.input for case in TESTS]

    def check_warm() -> bool:
        outcomes = evaluator.evaluate(program, inputs)
        return compare_outcomes(outcomes, TESTS, CHECKER, TaskStyle.STDIN).passed

    return {
        PLAIN: partial(check_plain, typed, folder),
        PLAIN_BUILD: partial(check_plain_from_source, typed, source),
        WARM: check_warm,
        OPENED: lambda: judge(kept, program, TESTS, CHECKER, TaskStyle.STDIN).passed,
        COLD: lambda: judge(make(), program, TESTS, CHECKER, TaskStyle.STDIN).passed,
    }


def measure(ways: dict[tuple[str, str], Check], rounds: int) -> dict[tuple[str, str], list[float]]:
    """Return the wall seconds of every check, taken in random order after one round that doesn't count."""
    seconds: dict[tuple[str, str], list[float]] = {key: [] for key in ways}
    order = random.Random(0)
    for number in range(rounds + 1):
        for key in order.sample(list(ways), len(ways)):
            begin = time.perf_counter()
            if not ways[key]():
                sys.exit(f"{key}: the check failed")
            if number:
                seconds[key].append(time.perf_counter() - begin)
    return seconds


def report(seconds: dict[tuple[str, str], list[float]]) -> None:
    """Print verdicts per second and their ratio to the plain way."""
    medians = {key: statistics.median(taken) for key, taken in seconds.items()}
    print(f"{'language':12} {'way':18} {'median ms':>9} {'verdicts/s':>10}  x its plain way")
    for (language, way), median in medians.items():
        base = BASES[way]
        ratio = f"{medians[language, base] / median:5.2f}" if base != way else ""
        print(f"{language:12} {way:18} {median * 1000:9.1f} {1 / median:10.2f}  {ratio}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--language", nargs="+", choices=list(TYPED), default=list(TYPED))
    parser.add_argument("--backend", default="process")
    options = parser.parse_args()
    backend = select_backend(options.backend)
    with ExitStack() as stack:
        ways: dict[tuple[str, str], Check] = {}
        for language in options.language:
            try:
                ways.update({(language, way): check for way, check in prepare(language, backend, stack).items()})
            except ConfigError as error:
                print(f"{language} left out: {error}")
        seconds = measure(ways, options.rounds)
    print(f"{options.rounds} rounds on {backend.name}, load {os.getloadavg()[0]:.1f}")
    report(seconds)


if __name__ == "__main__":
    main()
