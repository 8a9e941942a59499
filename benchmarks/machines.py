"""What a virtual machine costs: boot, going on from the saved state, one case of a fork server, and the emulation.

``python -m benchmarks.machines [qemu|qemu-microvm] [LANGUAGE ...]``; the boot is measured in a store of its own. With
languages that are built first, only the processor time of a small program in them is measured. Method: own.
"""

import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from sandbox.backends.process import ProcessBackend
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.vm.backend import QemuBackend, QemuMicrovmBackend
from sandbox.backends.vm.image import DEFAULT_RECIPE, build_image
from sandbox.base import Backend, Job, Run
from sandbox.judging import Program
from sandbox.languages import LANGUAGES, find_language
from sandbox.languages.builds import BUILD_LIMITS
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from schemas.values import encode_call
from tests.sandbox.corpus.product import find_behaviour

_LIMITS = Limits(cpu_s=30, wall_s=120, memory_mb=512, disk_mb=64)
_KINDS = {"qemu": QemuBackend, "qemu-microvm": QemuMicrovmBackend}
_CPP = b"""#include <cstdio>
#include <cstdlib>
int main(int, char **argv) {
  long n = std::atol(argv[1]);
  unsigned x = 1;
  while (n--) x = x * 1664525u + 1013904223u;
  std::printf("%u", x);
}
"""
_ROUNDS, _CASES = 5, 20
WORK = {
    "Python, integer loop": (PYTHON, "-S", "-c", "s = 0\nfor i in range(1_500_000): s += i ^ 3"),
    "Python, dicts and strings": (PYTHON, "-S", "-c", "d = {str(i): i for i in range(200_000)}; sorted(d)"),
    "Python, start alone": (PYTHON, "-S", "-c", "pass"),
    "g++ -O1 of a small program": ("/bin/sh", "-c", "g++ -O1 -o a a.cpp"),
    "C++, integer loop": ("/bin/sh", "-c", "g++ -O1 -o a a.cpp && ./a 300000000"),
}


def _language_cpu_s(backend: Backend, name: str) -> tuple[float, float]:
    """Return the CPU seconds of a program's build alone and with a run, as its kernel counted them."""
    language = find_language(name)
    toolchain = language.find_toolchain()
    recipe = language.write_recipe(Program(source=find_behaviour("sum_numbers").source(name)), None, _LIMITS)
    mounts = (*toolchain.mounts, *toolchain.build_mounts)
    job = Job(limits=BUILD_LIMITS, files=recipe.files, mounts=mounts, env=toolchain.env, language=f"{name}-build")
    build, run = shlex.join(recipe.build), shlex.join(recipe.run)
    seconds = []
    with backend.open(job) as session:
        for script in (build, f"{build} && {run}"):
            env = {"TMPDIR": "/work", "LC_ALL": "C.UTF-8", **recipe.env}
            outcome = session.run(Run(argv=("/bin/sh", "-c", f"({script}) 3>&1"), stdin=b"1 2 3\n", env=env))
            if outcome.exit_code != 0:
                raise SystemExit(f"{name}: {outcome.state}: {outcome.stderr.decode(errors='replace')[-500:]}")
            seconds.append(outcome.cpu_s * outcome.slowdown)
    return seconds[0], seconds[1]


def _print_languages(backend: Backend, names: Sequence[str]) -> None:
    for name in names:
        inside, outside = _language_cpu_s(backend, name), _language_cpu_s(ProcessBackend(), name)
        words = [
            f"{what} {there:.2f} s of CPU inside, {here:.2f} s outside, x {there / here:.1f}"
            for what, there, here in zip(("build", "build and run"), inside, outside, strict=True)
        ]
        sys.stdout.write(f"{name}: {'; '.join(words)}\n")


def _cpu_s(backend: Backend, argv: tuple[str, ...]) -> float:
    """Return the CPU seconds of a run as its kernel counted them."""
    with backend.open(Job(limits=_LIMITS, files={"a.cpp": _CPP})) as session:
        outcome = session.run(Run(argv=argv))
    return outcome.cpu_s * outcome.slowdown


def _print_costs(backend: QemuBackend, store: Path) -> None:
    begin = time.monotonic()
    build_image(DEFAULT_RECIPE, store)
    built = time.monotonic()
    with backend.open(Job(limits=_LIMITS)):
        pass
    booted = time.monotonic()
    opened = []
    for _ in range(_ROUNDS):
        start = time.monotonic()
        with backend.open(Job(limits=_LIMITS)):
            opened.append(time.monotonic() - start)
    sys.stdout.write(
        f"image built in {built - begin:.1f} s; booted, saved and gone on from in {booted - built:.1f} s\n"
        f"a session opens in {statistics.median(opened):.2f} s (median of {_ROUNDS})\n"
    )


def _print_cases(backend: QemuBackend) -> None:
    factory = LANGUAGES.get("python")(backend, _LIMITS, style=TaskStyle.FUNCTION)
    start = time.monotonic()
    with factory.open() as evaluator:
        ready = time.monotonic()
        program = Program(source="def add(a, b):\n    return a + b\n", entry_point="add")
        evaluator.evaluate(program, [encode_call((1, 2), {})])
        first = time.monotonic()
        evaluator.evaluate(program, [encode_call((n, 2), {}) for n in range(_CASES)])
        end = time.monotonic()
    sys.stdout.write(
        f"a Python evaluator is ready in {ready - start:.2f} s, its first case takes {(first - ready) * 1000:.0f} ms, "
        f"each of the next {_CASES} takes {(end - first) / _CASES * 1000:.0f} ms\n"
    )


def main() -> None:
    """Print the figures of one backend."""
    kind = _KINDS[sys.argv[1] if len(sys.argv) > 1 else "qemu"]
    if sys.argv[2:]:
        _print_languages(kind(), sys.argv[2:])
        return
    with tempfile.TemporaryDirectory() as folder:
        backend = kind(store=Path(folder))
        _print_costs(backend, Path(folder))
        _print_cases(backend)
        for name, argv in WORK.items():
            inside, outside = _cpu_s(backend, argv), _cpu_s(ProcessBackend(), argv)
            sys.stdout.write(
                f"{name}: {inside:.2f} s of CPU inside, {outside:.2f} s outside, x {inside / outside:.1f}\n"
            )


if __name__ == "__main__":
    main()
