"""What a service elsewhere costs over sandboxes here: one case, one verdict of ten cases, one plain run.

Run as ``python -m benchmarks.remote [--rounds N]``. Starts a service on this machine, so the network is loopback's.
The contestants take turns in random order, so that a busy machine slows all of them alike: look at the ratios.
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from sandbox.backends.process import ProcessBackend
from sandbox.backends.remote import RemoteBackend
from sandbox.base import Backend, Job, Run, Session, State
from sandbox.judging import Evaluator, Program
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from schemas.values import encode_call
from tests.sandbox.server.serving import running_server

LIMITS = Limits(cpu_s=20, wall_s=120)
CASE = Program(source="def f(x): return x + 1", entry_point="f")
TOKEN = "benchmark"


def judge_cases(evaluator: Evaluator, count: int) -> None:
    """Run so many cases."""
    outcomes = evaluator.evaluate(CASE, [encode_call((number,), {}) for number in range(count)])
    if [outcome.output for outcome in outcomes] != [str(number + 1) for number in range(count)]:
        raise RuntimeError(f"the cases ended as {outcomes}")


def judge_task(factory: PythonEvaluators) -> None:
    """Give one verdict: a sandbox of its own, ten cases, the end."""
    with factory.open() as evaluator:
        judge_cases(evaluator, 10)


def run_program(session: Session) -> None:
    """Run a program that does nothing."""
    outcome = session.run(Run(argv=("/bin/true",)))
    if outcome.state is not State.OK:
        raise RuntimeError(f"the run ended as {outcome.state}: {outcome.detail}")


def prepare_acts(backend: Backend, opened: ExitStack) -> dict[str, Callable[[], None]]:
    """Return what is timed on one backend."""
    factory = PythonEvaluators(backend, LIMITS, style=TaskStyle.FUNCTION)
    evaluator = opened.enter_context(factory.open())
    session = opened.enter_context(backend.open(Job(limits=LIMITS)))
    return {
        "case": partial(judge_cases, evaluator, 1),
        "verdict of 10": partial(judge_task, factory),
        "plain run": partial(run_program, session),
    }


def main() -> None:
    """Print the medians in milliseconds and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    with running_server(token=TOKEN) as (_, address), ExitStack() as opened:
        backends: dict[str, Backend] = {"process": ProcessBackend(), "remote": RemoteBackend(address, TOKEN)}
        acts = {
            (kind, name): act
            for name, backend in backends.items()
            for kind, act in prepare_acts(backend, opened).items()
        }
        seconds: dict[tuple[str, str], list[float]] = {key: [] for key in acts}
        order = list(acts)
        for number in range(rounds + 2):
            random.shuffle(order)
            for key in order:
                begin = time.perf_counter()
                acts[key]()
                if number >= 2:
                    seconds[key].append(time.perf_counter() - begin)
    print(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}")
    for kind in dict.fromkeys(kind for kind, _ in acts):
        here, there = (statistics.median(seconds[kind, name]) * 1000 for name in backends)
        print(f"{kind:14} here {here:8.2f} ms  remote {there:8.2f} ms  {there / here:5.2f} x  {there - here:+7.2f} ms")


if __name__ == "__main__":
    main()
