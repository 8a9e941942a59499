"""Verdicts per second on one Python check: ours, and the ways of SandboxFusion and code-r1, in random order.

    python -m benchmarks.rivals [--rounds 6] [--seconds 3]

The check is that of ``benchmarks/zygote.py``: one function and seven cases. All ways have two workers.

- ``SandboxFusion, local``: a temporary folder, the program in a file, ``python`` started through a shell, exit code 0
  is a pass: what its default local configuration (``isolation: none``) does. Its ``lite`` mode adds an overlay, a
  chroot, a network namespace and a cgroup to each run, so this is the quicker of the two. No HTTP on this way.
- ``code-r1``: firejail with the options of its ``firejail_exec.py`` around ``python3 -c`` (the system's, since the home
  folder is hidden), exit code 0 is a pass. Its ``--timeout`` is left off, with which firejail 0.9.72 takes two seconds
  for every run. The whole way is left out when firejail isn't installed.
- ``fork per check``: a warm sandbox for the task, one forked child for the seven cases, judged outside.
- ``fork per case``: the same with a child for every case, which is what the judge of untrusted solutions does.
- ``sandbox per check``: a fresh sandbox for every solution, from the warm pool, and a child for every case in it.
"""

import argparse
import contextlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from benchmarks.zygote import ASSERTS, INPUTS, PROGRAM, SOURCE, TESTS
from sandbox.backends import select_backend
from sandbox.judge import compare_outcomes, judge
from sandbox.languages.python import PythonEvaluator, PythonEvaluators
from sandbox.pool import WarmBackend
from schemas.candidate import Checker, TaskStyle
from schemas.limits import Limits

CODE = SOURCE + "\n".join(ASSERTS)
WORKERS = 2
FIREJAIL = (  # noqa: SIM905  # as one would type it
    "firejail --private --quiet --seccomp=socket --profile=pip --rlimit-nproc=32 --rlimit-nofile=32 "
    "--rlimit-fsize=2097152 --rlimit-as=4294967296"
).split()
Check = Callable[[int], bool]


def check_like_sandboxfusion(_: int) -> bool:
    """Run the check as SandboxFusion's local configuration does."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tmp.py")
        path.write_text(CODE)
        command = f"{sys.executable} {path}"
        done = subprocess.run(
            command,
            shell=True,
            executable="/bin/bash",
            cwd=folder,
            capture_output=True,
            start_new_session=True,
            check=False,
        )
    return done.returncode == 0


def check_like_code_r1(_: int) -> bool:
    """Run the check as code-r1 does."""
    done = subprocess.run([*FIREJAIL, "/usr/bin/python3", "-c", CODE], capture_output=True, check=False)
    return done.returncode == 0


@contextlib.contextmanager
def open_ways() -> Iterator[dict[str, Check]]:
    """Yield the ways of checking; a check is told which worker asks."""
    backend = select_backend("process")
    limits = Limits()
    factory = PythonEvaluators(backend, limits, style=TaskStyle.FUNCTION)
    with ExitStack() as stack:
        pool = stack.enter_context(WarmBackend(backend, per_job=4, starters=1))
        fresh = PythonEvaluators(pool, limits, style=TaskStyle.FUNCTION)
        warm: list[PythonEvaluator] = [stack.enter_context(factory.open()) for _ in range(WORKERS)]

        def check_warm(worker: int, *, isolate: bool) -> bool:
            outcomes = warm[worker].evaluate(PROGRAM, INPUTS, isolate=isolate)
            return compare_outcomes(outcomes, TESTS, Checker(), TaskStyle.FUNCTION).passed

        ways: dict[str, Check] = {"SandboxFusion, local": check_like_sandboxfusion}
        if shutil.which("firejail"):
            ways["code-r1"] = check_like_code_r1
        ways["fork per check"] = lambda worker: check_warm(worker, isolate=False)
        ways["fork per case"] = lambda worker: check_warm(worker, isolate=True)
        ways["sandbox per check"] = lambda _: judge(fresh, PROGRAM, TESTS, Checker(), TaskStyle.FUNCTION).passed
        yield ways


def measure_rate(check: Check, seconds: float) -> float:
    """Return checks per second of all workers together."""
    done = [0] * WORKERS
    passed: set[bool] = set()
    start = time.perf_counter()

    def work(worker: int) -> None:
        while time.perf_counter() - start < seconds:
            passed.add(check(worker))
            done[worker] += 1

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if passed != {True}:
        sys.exit("a check failed")
    return sum(done) / (time.perf_counter() - start)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=3.0, help="of one way in one round")
    options = parser.parse_args()
    order = random.Random(0)
    with open_ways() as ways:
        rates: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(options.rounds):
            for name in order.sample(list(ways), len(ways)):
                rates[name].append(measure_rate(ways[name], options.seconds))
    rivals = [name for name in rates if name in {"SandboxFusion, local", "code-r1"}]
    medians = {name: statistics.median(values) for name, values in rates.items()}
    print(f"{'way':22} {'verdicts/s':>10} " + " ".join(f"{'x ' + name:>22}" for name in rivals))
    for name, median in medians.items():
        print(f"{name:22} {median:10.1f} " + " ".join(f"{median / medians[rival]:22.1f}" for rival in rivals))


if __name__ == "__main__":
    main()
