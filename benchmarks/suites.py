"""Measures what one suite run costs: on the warm server, and with a fresh interpreter in a fresh sandbox each time.

Run `python -m benchmarks.suites`. CPU is that of the processes inside, wall that of the caller; the demo repository is
the material.
"""

import statistics
import tempfile
import time
from pathlib import Path

from sandbox.backends import select_backend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job, Mount, Run
from sandbox.clean_suites import CleanSuite, CleanSuiteFinder
from sandbox.suites import SITE_FOLDER, SuiteRunner
from schemas.config import RepositorySource
from schemas.limits import Limits
from schemas.snapshot import Snapshot
from seeds.repositories import take_snapshot

BUNDLE = Path(__file__).parents[1] / "examples" / "demo" / "quartermaster.bundle"
LIMITS = Limits(cpu_s=60, wall_s=180, memory_mb=1024, disk_mb=256)
RUNS = 15


def measure_warm(snapshot: Snapshot, clean: CleanSuite) -> tuple[list[float], list[float]]:
    """Return CPU and wall seconds of each run with one file changed."""
    path = "src/quartermaster/spans.py"
    changed = (snapshot.tree / path).read_bytes().replace(b"<= merged", b"< merged")
    cpu, wall = [], []
    with SuiteRunner(
        select_backend(), clean.environment, snapshot.tar.read_bytes(), plan=clean.plan, limits=LIMITS
    ) as runner:
        runner.run({}, keep_bytecode=True)
        for _ in range(RUNS):
            start = time.perf_counter()
            cpu.append(runner.run({path: changed}).cpu_s)
            wall.append(time.perf_counter() - start)
    return cpu, wall


def measure_cold(snapshot: Snapshot, clean: CleanSuite) -> tuple[list[float], list[float]]:
    """Return CPU and wall seconds of each run in a sandbox and an interpreter of its own."""
    files = {
        place.relative_to(snapshot.tree).as_posix(): place.read_bytes()
        for place in snapshot.tree.rglob("*")
        if place.is_file()
    }
    mounts = (Mount(source=clean.environment.folder, target=SITE_FOLDER),)
    env = {"PYTHONPATH": f"{SITE_FOLDER}:/work/src", "PYTHONDONTWRITEBYTECODE": "1"}
    command = (PYTHON, "-S", "-s", "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    cpu, wall = [], []
    for _ in range(RUNS):
        start = time.perf_counter()
        with select_backend().open(Job(limits=LIMITS, files=files, mounts=mounts, env=env)) as session:
            outcome = session.run(Run(argv=command))
        wall.append(time.perf_counter() - start)
        cpu.append(outcome.cpu_s)
        assert b"passed" in outcome.stdout, outcome
    return cpu, wall


def main() -> None:
    """Print medians."""
    with tempfile.TemporaryDirectory() as name:
        cache = Path(name)
        source = RepositorySource(kind="repository", name="quartermaster", location=str(BUNDLE))
        snapshot = take_snapshot(source, cache, cache)
        clean = CleanSuiteFinder(snapshot, select_backend(), cache, limits=LIMITS, install=False).find()
        print(f"{len(clean.stable)} tests, {RUNS} runs each, medians")
        for label, measured in (("warm", measure_warm(snapshot, clean)), ("cold", measure_cold(snapshot, clean))):
            cpu, wall = (statistics.median(values) for values in measured)
            print(f"{label}: {cpu:.3f} s CPU, {wall:.3f} s wall")


if __name__ == "__main__":
    main()
