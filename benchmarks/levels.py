"""What every isolation level costs: start to first answer, a program in a warm sandbox, and one case of a fork server.

Run as ``python -m benchmarks.levels [--rounds N] [--backend process container ...]``; without names, every backend that
works here, and Docker and Podman are started for the purpose where they are installed. The contestants take turns in
random order inside one process, so that a busy machine slows all of them alike: look at the ratios.
"""

import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time
import venv
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from sandbox.backends.container.backend import ContainerBackend
from sandbox.backends.gvisor import GvisorBackend
from sandbox.backends.process import ProcessBackend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Backend, Job, Run, State
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from schemas.values import encode_call
from tests.engines import EngineMissing, running_docker, running_podman

LIMITS = Limits(cpu_s=20, wall_s=120)
ECHO = "import sys; print(1, flush=True); sys.stdin.read()"
CASE = Program(source="def f(x): return x + 1", entry_point="f")
Act = Callable[[], None]


def list_backends(opened: ExitStack) -> dict[str, Backend]:
    """Return the backends that can be had here, with engines that run until the stack is closed."""
    found: dict[str, Backend] = {"process": ProcessBackend(), "gvisor": GvisorBackend()}
    with suppress(EngineMissing):
        url = opened.enter_context(running_docker())
        found["container"] = ContainerBackend(base_url=url)
        found["gvisor-docker"] = ContainerBackend(base_url=url, runtime="runsc")
    with suppress(EngineMissing):
        found["podman"] = ContainerBackend(engine="podman", base_url=opened.enter_context(running_podman()))
    return {name: backend for name, backend in found.items() if backend.probe().available}


def prepare_acts(backend: Backend, opened: ExitStack) -> dict[str, Act]:
    """Return what is timed on one backend."""
    session = opened.enter_context(backend.open(Job(limits=LIMITS)))
    evaluator = opened.enter_context(PythonEvaluators(backend, LIMITS, style=TaskStyle.FUNCTION).open())

    def start() -> None:
        with backend.open(Job(limits=LIMITS)) as fresh:
            fresh.converse(Run(argv=(PYTHON, "-c", ECHO))).receive_exact(2, deadline_s=60)

    def run() -> None:
        outcome = session.run(Run(argv=(PYTHON, "-c", "print(1)")))
        if outcome.state is not State.OK:
            raise RuntimeError(f"the run ended as {outcome.state}: {outcome.detail}")

    def judge() -> None:
        (outcome,) = evaluator.evaluate(CASE, [encode_call((1,), {})])
        if outcome.output != "2":
            raise RuntimeError(f"the case ended as {outcome}")

    return {"start and end": start, "warm run": run, "case": judge}


def start_bare(python: Path) -> None:
    """Run Python without any isolation."""
    subprocess.run([python, "-c", "print(1)"], env={}, capture_output=True, check=True)


def main() -> None:
    """Print the medians in milliseconds and over the bare run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--backend", nargs="*", default=[])
    asked = parser.parse_args()
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        venv.create(folder)  # as empty as the interpreter inside, where installed packages are hidden
        acts: dict[tuple[str, str], Act] = {("bare", "run"): partial(start_bare, folder / "bin" / "python")}
        for name, backend in list_backends(opened).items():
            if not asked.backend or name in asked.backend:
                acts.update({(name, kind): act for kind, act in prepare_acts(backend, opened).items()})
        for act in acts.values():
            act()
        seconds: dict[tuple[str, str], list[float]] = {key: [] for key in acts}
        order = list(acts)
        for _ in range(asked.rounds):
            random.shuffle(order)
            for key in order:
                begin = time.perf_counter()
                acts[key]()
                seconds[key].append(time.perf_counter() - begin)
    bare = statistics.median(seconds["bare", "run"])
    print(f"{asked.rounds} rounds, load {os.getloadavg()[0]:.1f}")
    for (name, kind), taken in sorted(seconds.items()):
        median = statistics.median(taken)
        print(f"{name:14} {kind:14} {median * 1000:8.1f} ms {median / bare:6.2f} x bare")


if __name__ == "__main__":
    main()
