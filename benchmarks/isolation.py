"""What isolation costs: start-up and verdicts per second of the process backend, over a bare subprocess.

Run as ``python -m benchmarks.isolation [--rounds N] [--rate-rounds N] [--seconds S]``. The contestants take turns in
random order inside one process, so that a busy machine slows all of them alike: look at the ratios. Every start is of
the same interpreter with ``-I -S``, so that packages installed into it count for neither side. Persistent workers are
measured in ``benchmarks/zygote.py``.
"""

import argparse
import random
import statistics
import subprocess
import tempfile
import time
import venv
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from sandbox.backends import select_backend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job, Run, Session, State
from schemas.limits import Limits

CHECK = """
def has_close_elements(numbers, threshold):
    return any(abs(a - b) < threshold for i, a in enumerate(numbers) for b in numbers[:i])
assert has_close_elements([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.3)
assert not has_close_elements([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.05)
assert has_close_elements([1.0, 2.0, 5.9, 4.0, 5.0], 0.95)
assert not has_close_elements([1.0, 2.0, 5.9, 4.0, 5.0], 0.8)
assert has_close_elements([1.0, 2.0, 3.0, 4.0, 5.0, 2.0], 0.1)
assert has_close_elements([1.1, 2.2, 3.1, 4.1, 5.1], 1.0)
assert not has_close_elements([1.1, 2.2, 3.1, 4.1, 5.1], 0.5)
"""
Start = Callable[[str], None]


def start_bare(interpreter: Path, source: str) -> None:
    """Run a program without any isolation."""
    subprocess.run([interpreter, "-I", "-c", source], env={}, check=True, stdin=subprocess.DEVNULL)


def start_sandboxed(session: Session, source: str) -> None:
    """Run a program in a fresh sandbox of the session."""
    outcome = session.run(Run(argv=(PYTHON, "-I", "-c", source)))
    if outcome.state is not State.OK:
        raise RuntimeError(f"the sandboxed run ended as {outcome.state}: {outcome.stderr!r} {outcome.detail}")


def measure_starts(contestants: dict[str, Start], rounds: int) -> dict[str, list[float]]:
    """Return the wall seconds of starting ``pass``, by contestant."""
    order, seconds = list(contestants), {name: [] for name in contestants}
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            begin = time.perf_counter()
            contestants[name]("pass")
            seconds[name].append(time.perf_counter() - begin)
    return seconds


def measure_rate(start: Start, seconds: float, workers: int) -> float:
    """Return the checks per second that so many threads get done."""
    end = time.perf_counter() + seconds

    def work(_: int) -> int:
        done = 0
        while time.perf_counter() < end:
            start(CHECK)
            done += 1
        return done

    begin = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        done = sum(pool.map(work, range(workers)))
    return done / (time.perf_counter() - begin)


def print_starts(seconds: dict[str, list[float]]) -> None:
    """Print median, tenth and ninetieth percentile of each contestant, and the ratio of the medians to bare."""
    base = statistics.median(seconds["bare"])
    for name, values in seconds.items():
        low, *_, high = (value * 1e3 for value in statistics.quantiles(values, n=10))
        median = statistics.median(values)
        print(
            f"start  {name:<10} median {median * 1e3:6.1f} ms  p10 {low:6.1f}  p90 {high:6.1f}"
            f"  x bare {median / base:.2f}  n {len(values)}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60, help="starts per contestant")
    parser.add_argument("--rate-rounds", type=int, default=10, help="throughput rounds")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of one throughput round")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    backend = select_backend()
    print(f"{backend.probe().reason}; enforced: {', '.join(backend.probe().limits_enforced)}")
    with backend.open(Job(limits=Limits())) as session, tempfile.TemporaryDirectory() as folder:
        venv.create(folder, symlinks=True)
        contestants: dict[str, Start] = {
            "bare": partial(start_bare, Path(folder, "bin", "python")),
            "process": partial(start_sandboxed, session),
        }
        print_starts(measure_starts(contestants, options.rounds))
        rates: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(options.rate_rounds):
            for name in random.sample(list(contestants), len(contestants)):
                rates[name].append(measure_rate(contestants[name], options.seconds, options.workers))
        base = statistics.median(rates["bare"])
        for name, values in rates.items():
            median, listed = statistics.median(values), " ".join(f"{value:.1f}" for value in values)
            print(f"checks {name:<10} median {median:6.1f}/s  rounds {listed}  x bare {median / base:.2f}")


if __name__ == "__main__":
    main()
