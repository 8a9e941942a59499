"""Verdicts per second of the fork server against one plain Python process per check, interleaved in random order.

    python -m benchmarks.zygote [--rounds 20]

The check is HumanEval-style: one function, seven cases. "per check" runs the seven cases in one process, "per case" in
seven. The plain processes have no sandbox and judge themselves by `assert`; the fork server runs in the strict process
backend and is judged from outside. A warm server is measured, and one that is started for the check and stopped after.
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from sandbox.backends import select_backend
from sandbox.judge import compare_outcomes, judge
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluators
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
CALLS = (
    ([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.3, True),
    ([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.05, False),
    ([1.0, 2.0, 5.9, 4.0, 5.0], 0.95, True),
    ([1.0, 2.0, 5.9, 4.0, 5.0], 0.8, False),
    ([1.0, 2.0, 3.0, 4.0, 5.0, 2.0], 0.1, True),
    ([1.1, 2.2, 3.1, 4.1, 5.1], 1.0, True),
    ([1.1, 2.2, 3.1, 4.1, 5.1], 0.5, False),
)
PROGRAM = Program(source=SOURCE, entry_point="has_close_elements")
TESTS = tuple(
    TestCase.make(encode_call((numbers, threshold), {}), encode_text(expected), origin=TestOrigin.BANK)
    for numbers, threshold, expected in CALLS
)
INPUTS = tuple(case.input for case in TESTS)
ASSERTS = tuple(f"assert has_close_elements({a!r}, {b!r}) is {expected!r}" for a, b, expected in CALLS)


def run_plain(asserts: tuple[str, ...]) -> bool:
    """Return whether a plain process passes the asserts."""
    code = SOURCE + "\n".join(asserts)
    return subprocess.run([sys.executable, "-I", "-c", code], check=False, capture_output=True).returncode == 0


def main() -> None:
    """Measure, and print one line per way of checking."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20, help="checks per way")
    rounds = parser.parse_args().rounds
    factory = PythonEvaluators(select_backend("process"), Limits(), style=TaskStyle.FUNCTION)
    with factory.open() as warm:

        def check_warm(*, isolate: bool) -> bool:
            outcomes = warm.evaluate(PROGRAM, INPUTS, isolate=isolate)
            return compare_outcomes(outcomes, TESTS, Checker(), TaskStyle.FUNCTION).passed

        def check_cold(*, isolate: bool) -> bool:
            return judge(factory, PROGRAM, TESTS, Checker(), TaskStyle.FUNCTION, isolate=isolate).passed

        ways: dict[str, Callable[[], bool]] = {
            "plain process per check": lambda: run_plain(ASSERTS),
            "plain process per case": lambda: all(run_plain((line,)) for line in ASSERTS),
            "fork server per check, warm": lambda: check_warm(isolate=False),
            "fork server per case, warm": lambda: check_warm(isolate=True),
            "fork server per check, own sandbox": lambda: check_cold(isolate=False),
            "fork server per case, own sandbox": lambda: check_cold(isolate=True),
        }
        seconds = measure(ways, rounds)
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
    """Print the median, verdicts per second and the ratio to a plain process of the same isolation."""
    print(f"{'way':36} {'median ms':>9} {'verdicts/s':>10} {'x plain':>8}")
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    for name, median in medians.items():
        plain = medians["plain process per case" if "per case" in name else "plain process per check"]
        print(f"{name:36} {median * 1000:9.1f} {1 / median:10.1f} {plain / median:8.1f}")


if __name__ == "__main__":
    main()
