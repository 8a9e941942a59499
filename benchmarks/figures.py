"""The figures that the sandbox is held to, each with what is wanted.

    python -m benchmarks.figures [--long] [--rounds N] [--only ratios|hostile]

Seven rounds, or twenty with ``--long``, which also tries everything that ``benchmarks/hostile.py`` can: its are the
figures that are no ratios.

The contestants of a level and the bare processes take turns in random order; ratios of medians count. Levels don't
meet: in one common run a start of the process level took about twice as long as alone (seen; probably the kernel still
clears a container's network namespace away just then, which wasn't proven). Figures of a backend that doesn't
work here are left out with the reason. More of each: ``benchmarks/isolation.py``, ``zygote.py``, ``levels.py``.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
import venv
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import hostile
from benchmarks.isolation import measure_rate, start_bare, start_sandboxed
from benchmarks.levels import prepare_acts
from benchmarks.zygote import (
    ASSERTS,
    NUMPY_PROGRAM,
    PROGRAM,
    SOURCE,
    check_forked,
    check_in_sandbox,
    find_numpy,
    open_numpy_session,
)
from sandbox.backends import select_backend
from sandbox.base import Backend, Job
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from tests.sandbox.corpus.product import BackendMissing, opened_backend

WORKERS, RATE_S = 2, 1.0
SHORT_ROUNDS, LONG_ROUNDS = 7, 20
Timed = Callable[[], float]
"""Measures once: seconds for starts, checks a second for rates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure: a contestant over another one, and what is wanted."""

    name: str
    over: str
    contestant: str
    bound: float
    is_most: bool
    """Whether the bound is the most that is wanted, or the least."""


FIGURES = (
    Figure(name="start of a strict sandbox", contestant="strict start", over="bare start", bound=2.5, is_most=True),
    Figure(name="checks/s, a sandbox each", contestant="sandbox checks", over="bare checks", bound=0.7, is_most=False),
    Figure(name="checks/s, fork server", contestant="forked checks", over="bare checks", bound=4, is_most=False),
    Figure(
        name="checks/s, numpy loaded ahead", contestant="numpy forked", over="numpy sandboxes", bound=15, is_most=False
    ),
    Figure(name="program in a warm container", contestant="container warm", over="bare start", bound=4, is_most=True),
    Figure(name="container, start to end", contestant="container", over="bare start", bound=20, is_most=True),
    Figure(name="gVisor, start to end", contestant="gvisor", over="bare start", bound=10, is_most=True),
)


def time_act(act: Callable[[], None]) -> float:
    """Return the wall seconds of an act."""
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def prepare_process(backend: Backend, stack: ExitStack) -> dict[str, Timed]:
    """Return the contestants that need the process level only."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    venv.create(folder)  # as empty as the interpreter inside, where installed packages are hidden
    bare = partial(start_bare, folder / "bin" / "python")
    session, packages = stack.enter_context(backend.open(Job(limits=Limits()))), find_numpy()
    with_numpy = open_numpy_session(backend, packages, stack)
    factory = PythonEvaluators(backend, Limits(), style=TaskStyle.FUNCTION)
    numpy_factory = PythonEvaluators(backend, Limits(), style=TaskStyle.FUNCTION, packages=packages)
    return {
        "bare start": partial(time_act, partial(bare, "pass")),
        "strict start": partial(time_act, partial(start_sandboxed, session, "pass")),
        "bare checks": partial(measure_checks, bare),
        "sandbox checks": partial(measure_checks, partial(start_sandboxed, session)),
        "forked checks": prepare_forked(factory, PROGRAM, stack),
        "numpy sandboxes": partial(measure_rate, lambda _: require(check_in_sandbox(with_numpy)), RATE_S, WORKERS),
        "numpy forked": prepare_forked(numpy_factory, NUMPY_PROGRAM, stack),
    }


def require(passed: bool) -> None:  # noqa: FBT001
    """Accept a check that was passed."""
    if not passed:
        raise RuntimeError("the check failed")


def prepare_forked(factory: PythonEvaluators, program: Program, stack: ExitStack) -> Timed:
    """Return what measures the checks a second of two workers, each with a warm fork server."""
    idle = [stack.enter_context(factory.open()) for _ in range(WORKERS)]

    def check(_: str) -> None:
        evaluator = idle.pop()
        require(check_forked(evaluator, program, isolate=False))
        idle.append(evaluator)

    return partial(measure_rate, check, RATE_S, WORKERS)


def measure_checks(start: Callable[[str], None]) -> float:
    """Return the seven-assert checks a second of two workers, a process each."""
    code = SOURCE + "\n".join(ASSERTS)
    return measure_rate(lambda _: start(code), RATE_S, WORKERS)


def prepare_level(name: str, stack: ExitStack) -> dict[str, Timed]:
    """Return the contestants of a stronger level: a sandbox from start to end, and a program in a warm one.

    Raises:
        BackendMissing: it doesn't work here.
    """
    acts = prepare_acts(stack.enter_context(opened_backend(name)), stack)
    return {name: partial(time_act, acts["start and end"]), f"{name} warm": partial(time_act, acts["warm run"])}


def report(taken: dict[str, list[float]]) -> None:
    """Print every figure that was measured, with what is wanted."""
    medians = {name: statistics.median(values) for name, values in taken.items()}
    for figure in FIGURES:
        if figure.contestant in medians:
            ratio = medians[figure.contestant] / medians[figure.over]
            is_met = ratio <= figure.bound if figure.is_most else ratio >= figure.bound
            unit = f"{medians[figure.contestant]:6.1f}/s" if figure.name.startswith("checks") else ""
            unit = unit or f"{medians[figure.contestant] * 1000:6.1f} ms"
            wanted = f"wanted {'<=' if figure.is_most else '>='} {figure.bound:g}"
            said = "as wanted" if is_met else "MISSED"
            print(f"{figure.name:30} {unit} {ratio:6.2f} x {figure.over:15} {wanted:12} {said}", flush=True)


def prepare(level: str, stack: ExitStack) -> dict[str, Timed]:
    """Return the contestants of a level, and the bare processes that they are held against.

    Raises:
        BackendMissing: it doesn't work here.
    """
    backend = select_backend("process")
    if level == "process":
        return prepare_process(backend, stack)
    return {"bare start": prepare_process(backend, stack)["bare start"], **prepare_level(level, stack)}


def measure_ratios(rounds: int) -> None:
    """Measure and print the ratios, level by level."""
    order = random.Random(0)
    for level in ("process", "container", "gvisor"):
        with ExitStack() as stack:
            try:
                contestants = prepare(level, stack)
            except BackendMissing as missing:
                print(f"{level} left out: {missing}")
                continue
            taken: dict[str, list[float]] = {name: [] for name in contestants}
            for number in range(rounds + 1):
                for name in order.sample(list(contestants), len(contestants)):
                    value = contestants[name]()
                    if number:  # the first round only warms up
                        taken[name].append(value)
            report(taken)
    print(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only", choices=("ratios", "hostile"))
    options = parser.parse_args()
    if options.only != "hostile":
        measure_ratios(options.rounds or (LONG_ROUNDS if options.long else SHORT_ROUNDS))
    if options.only != "ratios":
        hostile.report(is_long=options.long)


if __name__ == "__main__":
    main()
