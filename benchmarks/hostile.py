"""How hostile programs end in the process backend: the figures wanted that are counts and bounds, not ratios.

    python -m benchmarks.hostile [--long]

Prints one line per figure with what is wanted. ``--long`` adds the battery of dishonest programs on a function and a
stdin task, and 200 runs beside spinning neighbours instead of 10. What is shown elsewhere is named with its command.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchmarks.false_tle import run_beside
from sandbox.attacks.base import Verdict
from sandbox.attacks.catalogue import ATTACKS
from sandbox.attacks.matrix import Matrix
from sandbox.attacks.traces import adopting_orphans, find_traces, wait_until_gone
from sandbox.backends import select_backend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Backend, Job, Outcome, Run, State
from sandbox.exploits.battery import run_battery
from schemas.exploit_results import Result
from schemas.limits import Limits
from tests.sandbox.exploits.tasks import factory_of, function_task, stdin_task

LIMITS = Limits(cpu_s=20, wall_s=5)
_MIB = 2**20
FORK_BOMB = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
FLOOD = "import os\nwhile True: os.write(1, b'x' * 65536)"
MEMORY = """
import os
for _ in range(8):
    if os.fork() == 0:
        held = bytearray(150 << 20)
        held[::4096] = b'x' * len(held[::4096])
        os._exit(0)
for _ in range(8): os.wait()
"""
ELSEWHERE = (
    ("forging repositories accepted", "python -m pytest tests/sandbox/test_suite_forgery.py"),
    (
        "supervisor killed in mid-run: INFRA",
        "python -m pytest tests/sandbox/test_judge.py -k killed",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One figure."""

    name: str
    value: str
    wanted: str
    is_met: bool


def run_timed(backend: Backend, source: str, limits: Limits = LIMITS) -> tuple[Outcome, float]:
    """Return how a program ended, and the wall seconds until that was known."""
    with backend.open(Job(limits=limits)) as session:
        begin = time.perf_counter()
        outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", source)))
        return outcome, time.perf_counter() - begin


def measure_limits(backend: Backend) -> Iterator[Found]:
    """Yield what becomes of a fork bomb, a flood and a hog of many processes, and what they leave."""
    before = find_traces()
    bomb, taken_s = run_timed(backend, FORK_BOMB)
    late_s = max(0.0, taken_s - LIMITS.wall_s)
    value = f"{bomb.state.value}, {late_s:.2f} s late"
    is_bomb_over = bomb.state is State.PLE and late_s <= 1.5
    yield Found(name="fork bomb", value=value, wanted="PLE, <= 1.5 s after the wall limit", is_met=is_bomb_over)
    flood, _ = run_timed(backend, FLOOD)
    most = int(LIMITS.stdout_mb * _MIB) + 65_536
    is_cut = flood.state is State.OLE and len(flood.stdout) <= most
    value = f"{flood.state.value}, {len(flood.stdout):,} bytes kept"
    yield Found(name="output flood", value=value, wanted=f"OLE, <= {most:,} bytes", is_met=is_cut)
    hog, _ = run_timed(backend, MEMORY, replace(LIMITS, wall_s=20))
    value = f"{hog.state.value}, {hog.peak_memory_mb:.0f} MB at most"
    is_held = hog.state is State.MLE and hog.peak_memory_mb <= LIMITS.memory_mb
    wanted = f"MLE, <= {LIMITS.memory_mb} MB"
    yield Found(name="1.2 GB in 8 processes", value=value, wanted=wanted, is_met=is_held)
    left = wait_until_gone(before)
    yield Found(name="left 1 s after these", value=str(len(left)), wanted="0", is_met=not left)


def measure_secrets() -> Found:
    """Return whether a program finds what is secret on the host."""
    attack = next(attack for attack in ATTACKS if attack.name == "secrets")
    ((_, cell),) = Matrix(backends=["process"], languages=["python"], attacks=[attack]).run()
    seen = cell.verdict is not Verdict.RIGHT
    return Found(name="secrets seen", value=cell.reason if seen else "0", wanted="0", is_met=not seen)


def measure_slow_calls(backend: Backend, runs: int) -> Found:
    """Return how many quick programs are called too slow beside eight spinning ones."""
    slow = sum(outcome.state is not State.OK for outcome in run_beside(backend, runs=runs, spinners=8))
    return Found(name=f"false TLE, {runs} runs", value=str(slow), wanted="0", is_met=slow == 0)


def measure_forgery() -> Found:
    """Return how many dishonest programs are accepted, on a function and a stdin task."""
    vectors = [run_battery(task, factory_of(task)) for task in (function_task(), stdin_task())]
    classes = [each for vector in vectors for each in vector.classes]
    tried = sum(each.tried for each in classes)
    taken = [name for each in classes if each.result is Result.ACCEPTED for name in each.open_to]
    value = f"{len(taken)} of {tried}{': ' if taken else ''}{', '.join(taken)}"
    return Found(name="dishonest programs accepted", value=value, wanted="0", is_met=not taken)


def measure_all(*, is_long: bool) -> Iterator[Found]:
    """Yield every figure as soon as it is known."""
    backend = select_backend("process")
    with adopting_orphans():
        yield from measure_limits(backend)
    yield measure_secrets()
    yield measure_slow_calls(backend, 200 if is_long else 10)
    if is_long:
        yield measure_forgery()


def report(*, is_long: bool) -> bool:
    """Print every figure with what is wanted; return whether all are met."""
    is_met = True
    for found in measure_all(is_long=is_long):
        print(f"{found.name:30} {found.value:32} wanted {found.wanted:36} {'as wanted' if found.is_met else 'MISSED'}")
        is_met &= found.is_met
    if not is_long:
        print(f"{'dishonest programs accepted':30} shown by: python -m benchmarks.hostile --long")
    for name, command in ELSEWHERE:
        print(f"{name:30} shown by: {command}")
    return is_met


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    return 0 if report(is_long=parser.parse_args().long) else 1


if __name__ == "__main__":
    sys.exit(main())
