"""How much more processor time the same built programs take on another backend than on the process level.

    python -m benchmarks.slowdown [--backend gvisor] [--rounds 7] [--language java go]

The program of every language reads four lines and prints a sum, so this is what its start costs; ``work`` is a loop of
Python's, which makes no system calls. Seconds are those that limits are held against before any slowdown; the backends
take turns, so look at the ratios, which are those of medians.
"""

import argparse
import statistics
import sys
from contextlib import ExitStack
from functools import partial

from sandbox.backends.process import ProcessBackend
from sandbox.base import Backend, Job
from sandbox.inside.requests import Task, program_task
from sandbox.interpreters import OWN_INTERPRETER
from sandbox.judging import Program
from sandbox.languages import BUILT, find_language
from sandbox.languages.builds import build
from sandbox.languages.runs import write_run
from sandbox.runner import ForkServer
from schemas.errors import SandboxError
from schemas.limits import Limits
from tests.sandbox.corpus.product import find_behaviour, opened_backend

LIMITS = Limits(cpu_s=30, wall_s=120, memory_mb=512, processes=64)
LINES = b"1 2 3\n4\n5\n6\n"
PYTHON = {"python": "print(sum(map(int, input().split())))", "work": "n = 0\nfor i in range(3_000_000): n += i ^ 3"}


class Contestant:
    """One program on one backend, built there if it must be."""

    def __init__(self, name: str, backend: Backend, stack: ExitStack) -> None:
        self._slowdown = backend.probe().slowdown
        if name in PYTHON:
            self._server = stack.enter_context(ForkServer.open(backend, Job(limits=LIMITS)))
            argv = (OWN_INTERPRETER.executable, "-S", "-c", PYTHON[name])
            self._task: Task = program_task(argv, {}, cpu_s=30, wall_s=120, output_bytes=1000)
            return
        language = find_language(name)
        toolchain = language.find_toolchain()
        program = Program(source=find_behaviour("sum_numbers").source(name))
        recipe = language.write_recipe(program, None, LIMITS)
        built = build(ProcessBackend(), name, toolchain, recipe)
        job = Job(limits=LIMITS, mounts=toolchain.mounts, env=toolchain.env, language=name)
        self._server = stack.enter_context(ForkServer.open(backend, job))
        self._server.lay(built.files, executable=recipe.executable)
        self._task = write_run(toolchain, recipe, LIMITS)

    def run(self) -> float:
        """Return the CPU seconds of a run as the kernel counts them.

        Raises:
            SandboxError: it doesn't end well.
        """
        answer = self._server.ask(self._task, LINES)
        if answer.verdict or answer.status:
            raise SandboxError(f"{answer.verdict} {answer.status}: {answer.stderr[-300:]!r}")
        return answer.cpu_s * self._slowdown


def main() -> int:
    """Print a line per language and return the exit code."""
    names = ("work", "python", *BUILT)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="gvisor")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--language", nargs="+", choices=names, default=names)
    asked = parser.parse_args()
    with opened_backend(asked.backend) as other:
        for name in asked.language:
            with ExitStack() as stack:
                make = partial(Contestant, name, stack=stack)
                here, there = make(backend=ProcessBackend()), make(backend=other)
                here.run(), there.run()
                pairs = [(here.run(), there.run()) for _ in range(asked.rounds)]
            bare, slow = (statistics.median(column) for column in zip(*pairs, strict=True))
            most = max(second for _, second in pairs)
            sys.stdout.write(
                f"{name:12} {bare * 1000:6.0f} ms process, {slow * 1000:6.0f} ms {asked.backend} "
                f"(most {most * 1000:.0f}), x {slow / bare:.1f}\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
