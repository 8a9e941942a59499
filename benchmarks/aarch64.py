"""Tries the process sandbox and its filters on an emulated aarch64 machine whose cgroups are of version 2.

`python -m benchmarks.aarch64` boots it (Debian: qemu-system-arm e2fsprogs), prints a line for every check and ends with
code 1 if one is wrong. Not among the tests, since the emulation takes minutes on a busy machine.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from benchmarks.aarch64_machine import Aarch64Backend, running_aarch64
from sandbox.attacks.calls import list_calls
from sandbox.backends.rootfs import PYTHON
from sandbox.base import ALL_LIMITS, Job, Outcome, Run
from sandbox.judging import Program
from sandbox.languages.python import PythonEvaluators
from sandbox.seccomp import POLICIES
from sandbox.seccomp.allowed import LANGUAGES
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from schemas.values import encode_call
from tests.level_checks import QUICK

LIMITS = Limits(cpu_s=10, wall_s=60, memory_mb=192, disk_mb=16, stdout_mb=1, processes=12)
_REFUSED = {"-1 1", "-1 38"}
"""What a refused call returns, and its error: not permitted, or no such call."""
_LOOK = "import os; print(os.uname().machine, *open('/proc/self/cgroup'))"
_CALLER = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
read = lambda word: bytes.fromhex(word[1:]) if word[0] == 'x' else ctypes.c_long(int(word))
for title, number, *words in map(str.split, sys.stdin):
    ctypes.set_errno(0)
    done = libc.syscall(ctypes.c_long(int(number)), *map(read, words))
    print(title, done, ctypes.get_errno(), flush=True)
"""


def main() -> int:
    """Return the exit code."""
    wrong = 0
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="aarch64-"))
        machine = stack.enter_context(running_aarch64(Path(folder)))
        for check, complaint in _try_all(machine):
            wrong += bool(complaint)
            sys.stdout.write(f"{check}: {complaint or 'right'}\n")
            sys.stdout.flush()
    return 1 if wrong else 0


def _try_all(machine: Aarch64Backend) -> Iterator[tuple[str, str]]:
    """Yield each check and what is wrong, if anything."""
    said = _run(machine, (PYTHON, "-c", _LOOK)).stdout.decode().split()
    yield "architecture and control groups", "" if said == ["aarch64", "0::/"] else str(said)
    missing = set(ALL_LIMITS) - set(machine.limits_enforced)
    yield "limits enforced", ", ".join(sorted(missing))
    for language in (*LANGUAGES, "general"):
        outcome = _run(machine, ("/bin/sh", "-c", "echo started"), language=language)
        yield f"a start under the list of {language}", "" if outcome.stdout == b"started\n" else repr(outcome)
    for policy in POLICIES:
        yield from _try_calls(machine, policy)
    yield from _try_endings(machine)


def _run(
    machine: Aarch64Backend,
    argv: tuple[str, ...],
    *,
    stdin: bytes = b"",
    limits: Limits = LIMITS,
    language: str = "python",
) -> Outcome:
    with machine.open(Job(limits=limits, language=language)) as session:
        return session.run(Run(argv=argv, stdin=stdin))


def _try_calls(machine: Aarch64Backend, policy: str) -> Iterator[tuple[str, str]]:
    calls = list_calls("aarch64")
    factory = PythonEvaluators(machine, replace(LIMITS, syscall_filter=policy), style=TaskStyle.STDIN)
    with factory.open() as evaluator:
        (said,) = evaluator.evaluate(Program(source=_CALLER), ["\n".join(calls)])
    answers = dict(line.split(" ", 1) for line in said.output.splitlines())
    for title in (call.split()[0] for call in calls):
        answer = answers.get(title, f"none, {said.state.value} {said.detail}")
        yield f"{policy}: {title.replace('_', ' ')}", "" if answer in _REFUSED else answer


def _try_endings(machine: Aarch64Backend) -> Iterator[tuple[str, str]]:
    factory = PythonEvaluators(machine, LIMITS, style=TaskStyle.FUNCTION)
    with factory.open() as evaluator:
        for source, state in QUICK:
            program = Program(source=source, entry_point="f")
            (outcome,) = evaluator.evaluate(program, [encode_call((), {})])
            yield f"an end as {state.value}", "" if outcome.state is state else f"{outcome.state} {outcome.detail}"


if __name__ == "__main__":
    sys.exit(main())
