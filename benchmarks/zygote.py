"""Verdicts per second of the fork server against one plain Python process per check, interleaved in random order.

    python -m benchmarks.zygote [--rounds 20]

The check is HumanEval-style: one function, seven cases. "per check" runs the seven cases in one process, "per case" in
seven. The plain processes have no sandbox and judge themselves by `assert`; the fork server runs in the strict process
backend and is judged from outside. A warm server is measured, and one that is started for the check and stopped after.

The same check with numpy, out of the packages of this environment: a fresh strict sandbox for each check, whose program
imports numpy and judges itself, against a warm fork server that has imported numpy ahead. Ratios of these are over that
fresh sandbox.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import numpy as np

from sandbox.backends import select_backend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Backend, Job, Run, Session, State
from sandbox.judge import compare_outcomes, judge
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluator, PythonEvaluators
from sandbox.packages import ONE_THREAD, PLACE, Packages, find_packages
from schemas.candidate import Checker, TaskStyle, TestCase, TestOrigin
from schemas.limits import Limits
from schemas.values import encode_call, encode_text

SOURCE = '''
from typing import List

def has_close_elements(numbers: List[float], threshold: float) -> bool:
    """Return whether two of the numbers are closer than the threshold."""
    ordered = sorted(numbers)
    return any(right - left < threshold for left, right in zip(ordered, ordered[1:]))
'''
NUMPY_SOURCE = """
import numpy as np

def has_close_elements(numbers, threshold):
    return bool((np.diff(np.sort(np.array(numbers))) < threshold).any())
"""
CALLS = (
    ([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.3, True),
    ([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.05, False),
    ([1.0, 2.0, 5.9, 4.0, 5.0], 0.95, True),
    ([1.0, 2.0, 5.9, 4.0, 5.0], 0.8, False),
    ([1.0, 2.0, 3.0, 4.0, 5.0, 2.0], 0.1, True),
    ([1.1, 2.2, 3.1, 4.1, 5.1], 1.0, True),
    ([1.1, 2.2, 3.1, 4.1, 5.1], 0.5, False),
)
NUMPY_PROGRAM = Program(source=NUMPY_SOURCE, entry_point="has_close_elements")
PROGRAM = Program(source=SOURCE, entry_point="has_close_elements")
TESTS = tuple(
    TestCase.make(encode_call((numbers, threshold), {}), encode_text(expected), origin=TestOrigin.BANK)
    for numbers, threshold, expected in CALLS
)
NUMPY_BASE = "numpy: sandbox per check"
INPUTS = tuple(case.input for case in TESTS)
ASSERTS = tuple(f"assert has_close_elements({a!r}, {b!r}) is {expected!r}" for a, b, expected in CALLS)


def run_plain(asserts: tuple[str, ...]) -> bool:
    """Return whether a plain process passes the asserts."""
    code = SOURCE + "\n".join(asserts)
    return subprocess.run([sys.executable, "-I", "-c", code], check=False, capture_output=True).returncode == 0


def find_numpy() -> Packages:
    """Return the packages of this environment, numpy to be imported ahead."""
    return find_packages(Path(np.__file__).parents[1], ["numpy"])


def open_numpy_session(backend: Backend, packages: Packages, stack: ExitStack) -> Session:
    """Return a session whose programs can import numpy."""
    return stack.enter_context(backend.open(Job(limits=Limits(), mounts=(packages.mount,), env=ONE_THREAD)))


def check_in_sandbox(session: Session) -> bool:
    """Return whether a fresh sandbox passes the asserts with numpy, which its program imports."""
    lines = (f"import sys; sys.path.append({PLACE!r})", NUMPY_SOURCE, *ASSERTS)
    return session.run(Run(argv=(PYTHON, "-I", "-S", "-c", "\n".join(lines)))).state is State.OK


def check_forked(evaluator: PythonEvaluator, program: Program, *, isolate: bool) -> bool:
    """Return whether a warm fork server's children pass the check, judged from outside."""
    outcomes = evaluator.evaluate(program, INPUTS, isolate=isolate)
    return compare_outcomes(outcomes, TESTS, Checker(), TaskStyle.FUNCTION).passed


def open_ways(stack: ExitStack) -> dict[str, Callable[[], bool]]:
    """Return the ways of checking."""
    backend, packages = select_backend("process"), find_numpy()
    factory = PythonEvaluators(backend, Limits(), style=TaskStyle.FUNCTION)
    with_numpy = PythonEvaluators(backend, Limits(), style=TaskStyle.FUNCTION, packages=packages)
    session = open_numpy_session(backend, packages, stack)
    warm, loaded = stack.enter_context(factory.open()), stack.enter_context(with_numpy.open())

    def check_cold(*, isolate: bool) -> bool:
        return judge(factory, PROGRAM, TESTS, Checker(), TaskStyle.FUNCTION, isolate=isolate).passed

    return {
        "plain process per check": lambda: run_plain(ASSERTS),
        "plain process per case": lambda: all(run_plain((line,)) for line in ASSERTS),
        "fork server per check, warm": partial(check_forked, warm, PROGRAM, isolate=False),
        "fork server per case, warm": partial(check_forked, warm, PROGRAM, isolate=True),
        "fork server per check, own sandbox": partial(check_cold, isolate=False),
        "fork server per case, own sandbox": partial(check_cold, isolate=True),
        NUMPY_BASE: partial(check_in_sandbox, session),
        "numpy ahead: fork server per check": partial(check_forked, loaded, NUMPY_PROGRAM, isolate=False),
        "numpy ahead: fork server per case": partial(check_forked, loaded, NUMPY_PROGRAM, isolate=True),
    }


def main() -> None:
    """Measure, and print one line per way of checking."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="checks per way")
    rounds = parser.parse_args().rounds
    with ExitStack() as stack:
        seconds = measure(open_ways(stack), rounds)
    print(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}")
    report(seconds)


def measure(ways: dict[str, Callable[[], bool]], rounds: int) -> dict[str, list[float]]:
    """Return the wall seconds of every check, taken in random order."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    order = random.Random(0)
    for number in range(rounds + 1):
        for name in order.sample(list(ways), len(ways)):
            start = time.perf_counter()
            if not ways[name]():
                sys.exit(f"{name}: the check failed")
            if number:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def report(seconds: dict[str, list[float]]) -> None:
    """Print the median, verdicts per second and the ratio to a plain process of as many cases, or of numpy's."""
    print(f"{'way':36} {'median ms':>9} {'verdicts/s':>10}  ratio")
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    for name, median in medians.items():
        plain = "plain process per case" if "per case" in name else "plain process per check"
        base = NUMPY_BASE if name.startswith("numpy") else plain
        ratio = f"{medians[base] / median:6.2f} x {base}" if name != base else ""
        print(f"{name:36} {median * 1000:9.1f} {1 / median:10.1f} {ratio}")


if __name__ == "__main__":
    main()
