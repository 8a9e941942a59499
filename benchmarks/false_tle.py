"""Whether a busy machine makes the sandbox call a fast program too slow.

Run as ``python -m benchmarks.false_tle [--runs 200] [--spinners 8] [--backend process]``. Runs a program that uses
0.3 s of CPU under a limit of 2 s, one after the other, beside programs that use up every core, and counts how the runs
end. Wanted: all OK. The exit code says whether that held.
"""

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.backends import select_backend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Backend, Job, Outcome, Run, State
from schemas.limits import Limits

WORK = "import time\nwhile time.process_time() < 0.3: pass"
SPINNER = "while True: pass"
LIMITS = Limits(cpu_s=2, wall_s=60)
SPINNER_LIMITS = Limits(cpu_s=36_000, wall_s=36_000)


@contextmanager
def busy_neighbours(backend: Backend, number: int) -> Iterator[None]:
    """Keep so many programs spinning."""
    with backend.open(Job(limits=SPINNER_LIMITS)) as session:
        channels = [session.converse(Run(argv=(PYTHON, "-I", "-S", "-c", SPINNER))) for _ in range(number)]
        try:
            yield
        finally:
            for channel in channels:
                channel.close()


def run_beside(backend: Backend, *, runs: int, spinners: int) -> list[Outcome]:
    """Return how so many runs ended, one after the other, beside busy neighbours."""
    with busy_neighbours(backend, spinners), backend.open(Job(limits=LIMITS)) as session:
        return [session.run(Run(argv=(PYTHON, "-I", "-S", "-c", WORK))) for _ in range(runs)]


def main() -> int:
    """Run, print and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--spinners", type=int, default=8)
    parser.add_argument("--backend", default="process")
    options = parser.parse_args()
    backend = select_backend(options.backend)
    outcomes = run_beside(backend, runs=options.runs, spinners=options.spinners)
    states = Counter(outcome.state.value for outcome in outcomes)
    cpu, wall = ([getattr(outcome, name) for outcome in outcomes] for name in ("cpu_s", "wall_s"))
    print(f"{backend.name}: {backend.probe().reason}; {options.spinners} spinners")
    print(f"ends    {dict(states)}")
    print(f"cpu     median {statistics.median(cpu):.2f} s  most {max(cpu):.2f}  limit {LIMITS.cpu_s:g}")
    print(f"wall    median {statistics.median(wall):.2f} s  most {max(wall):.2f}  limit {LIMITS.wall_s:g}")
    return 0 if set(states) == {State.OK.value} else 1


if __name__ == "__main__":
    sys.exit(main())
