"""What the start of a gVisor sandbox is made of: processor time and wall clock until its program's first answer.

    python -m benchmarks.gvisor_start [--rounds 15]

The contestants take turns in random order; processor time, which a busy machine changes least, is the cgroup's for
sandboxes and that of the reaped process otherwise. ``runsc`` starts six times for one sandbox: as the command, the
file server and the kernel, the latter two once more when they have given up their rights, and a helper that unmounts.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from sandbox.backends.gvisor import GvisorBackend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job, Run
from schemas.errors import SandboxError
from schemas.limits import Limits

LIMITS = Limits(cpu_s=20, wall_s=120)
ECHO = "import sys; print(1, flush=True); sys.stdin.read()"
Figures = tuple[float, float]
"""Seconds of the processors and of the clock."""


def start_plain(argv: Sequence[str | Path]) -> Figures:
    """Run a program to its end, without a sandbox."""
    begin = time.perf_counter()
    with subprocess.Popen(argv, env={}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, time.perf_counter() - begin


def start_sandbox(backend: GvisorBackend, argv: tuple[str, ...]) -> Figures:
    """Start a program that answers with a line, and wait for it."""
    begin = time.perf_counter()
    with backend.open(Job(limits=LIMITS)) as session:
        channel = session.converse(Run(argv=argv))
        channel.receive_exact(2, deadline_s=120)
        return channel.usage().cpu_s, time.perf_counter() - begin


def main() -> int:
    """Print the medians in milliseconds and over the bare interpreter."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    rounds, backend = parser.parse_args().rounds, GvisorBackend()
    if not backend.probe().available:
        raise SandboxError(backend.probe().reason)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder)  # as empty as the interpreter inside, where installed packages are hidden
        python = Path(folder, "bin", "python")
        acts: dict[str, Callable[[], Figures]] = {
            "python": partial(start_plain, (python, "-c", "print(1)")),
            "python -I -S": partial(start_plain, (python, "-I", "-S", "-c", "print(1)")),
            "runsc --version": partial(start_plain, (backend.command[0], "--version")),
            "gVisor, sh": partial(start_sandbox, backend, ("/bin/sh", "-c", "echo 1; read line")),
            "gVisor, python": partial(start_sandbox, backend, (PYTHON, "-c", ECHO)),
            "gVisor, python -I -S": partial(start_sandbox, backend, (PYTHON, "-I", "-S", "-c", ECHO)),
        }
        taken: dict[str, list[Figures]] = {name: [] for name in acts}
        for _ in range(rounds):
            for name in random.sample(list(acts), len(acts)):
                taken[name].append(acts[name]())
    bare = [statistics.median(column) for column in zip(*taken["python"], strict=True)]
    sys.stdout.write(f"{rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    for name, figures in taken.items():
        cpu, wall = (statistics.median(column) for column in zip(*figures, strict=True))
        sys.stdout.write(
            f"{name:22} {cpu * 1000:6.1f} ms of processors ({cpu / bare[0]:5.2f} x), "
            f"{wall * 1000:6.1f} ms of the clock ({wall / bare[1]:5.2f} x)\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
