"""Virtual machines under QEMU, really booted: what is judged in them, how limits show, and what happens when one dies."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backends import launcher
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.vm import emulator
from sandbox.backends.vm.backend import QemuBackend, QemuMicrovmBackend
from sandbox.base import ALL_LIMITS, Job, Run, State
from sandbox.judging import Program
from sandbox.languages import LANGUAGES
from schemas.candidate import TaskStyle
from schemas.errors import SandboxError
from schemas.limits import Limits
from schemas.values import encode_call

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("machines"), pytest.mark.timeout(2400)]
_LIMITS = Limits(cpu_s=4, wall_s=10, memory_mb=256, disk_mb=16, stdout_mb=1, processes=32)


def _require(backend: QemuBackend) -> QemuBackend:
    capability = backend.probe()
    if not capability.available:
        pytest.skip(capability.reason)
    return backend


@pytest.fixture(scope="module")
def full() -> QemuBackend:
    return _require(QemuBackend())


@pytest.fixture(scope="module")
def small() -> QemuBackend:
    return _require(QemuMicrovmBackend())


def test_the_probe_says_how_the_guest_runs(full: QemuBackend) -> None:
    capability = full.probe()
    assert capability.isolation == "vm"
    assert "guest kernel" in capability.reason
    assert capability.slowdown > 1 or "hardware" in capability.reason
    assert capability.limits_enforced == ALL_LIMITS


@pytest.mark.parametrize("kind", ["full", "small"])
def test_python_functions_are_judged_in_a_guest(kind: str, request: pytest.FixtureRequest) -> None:
    backend = request.getfixturevalue(kind)
    factory = LANGUAGES.get("python")(backend, _LIMITS, style=TaskStyle.FUNCTION)
    program = Program(source="def half(n):\n    return [n // 2, 1 / n]\n", entry_point="half")
    with factory.open() as evaluator:
        good, bad = evaluator.evaluate(program, [encode_call((4,), {}), encode_call((0,), {})])
        endless = Program(source="def half(n):\n    while True: pass\n", entry_point="half")
        (late,) = evaluator.evaluate(endless, [encode_call((4,), {})], cpu_s=0.2)
    assert (good.state, good.output) == (State.OK, '[2,{"$float":"0.25"}]')
    assert (bad.state, bad.output) == (State.OK, '{"$raises":"ZeroDivisionError"}')
    assert late.state is State.TLE_CPU


def test_cpp_is_compiled_and_judged_in_a_guest(full: QemuBackend) -> None:
    source = b'#include <cstdio>\nint main() { int n; std::scanf("%d", &n); std::printf("%d", n * n); }\n'
    script = "g++ -O1 -o square square.cpp && ./square"
    limits = replace(_LIMITS, cpu_s=20, wall_s=60, memory_mb=512, disk_mb=64)
    with full.open(Job(limits=limits, files={"square.cpp": source})) as session:
        outcome = session.run(Run(argv=("/bin/sh", "-c", script), stdin=b"12"))
    assert (outcome.state, outcome.stdout, outcome.stderr) == (State.OK, b"144", b"")


@pytest.mark.parametrize(
    ("code", "state"),
    [
        ("print(6 * 7)", State.OK),
        ("raise SystemExit(3)", State.RE),
        ("import time; time.sleep(600)", State.TLE_WALL),
        ("while True: pass", State.TLE_CPU),
        ("x = bytearray(1 << 30)", State.MLE),
        ("while True: print('x' * 60000)", State.OLE),
        ("import os, time\nfor _ in range(90): os.fork() or time.sleep(9)", State.PLE),
        ("open('/work/x', 'wb').write(bytes(1 << 26))", State.DLE),
        ("import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0); import socket; socket.socket()", State.RE),
    ],
)
def test_every_limit_shows_as_its_state(full: QemuBackend, code: str, state: State) -> None:
    limits = replace(_LIMITS, cpu_s=0.5, wall_s=0.4 if state is State.TLE_WALL else 10)
    with full.open(Job(limits=limits)) as session:
        outcome = session.run(Run(argv=(PYTHON, "-S", "-c", code)))
    assert outcome.state is state, outcome
    assert (outcome.backend, outcome.isolation, outcome.slowdown) == ("qemu", "vm", full.slowdown)


def test_guests_differ_in_randomness_and_agree_with_us_on_the_time(full: QemuBackend) -> None:
    said, begin = [], time.time()
    for _ in range(2):
        with full.open(Job(limits=_LIMITS)) as session:
            code = "import os, time; print(os.urandom(8).hex(), time.time())"
            said.append(session.run(Run(argv=(PYTHON, "-S", "-c", code))).stdout.split())
    assert said[0][0] != said[1][0]
    assert begin - 1 < float(said[0][1]) < float(said[1][1]) < time.time() + 1


def test_a_guest_has_no_network_and_runs_programs_as_nobody(full: QemuBackend) -> None:
    with full.open(Job(limits=_LIMITS)) as session:
        outcome = session.run(Run(argv=("/bin/sh", "-c", "ls /sys/class/net 2>&1; id -u; cat /proc/net/dev")))
    assert b"65534" in outcome.stdout
    assert b"eth" not in outcome.stdout
    assert b"ens" not in outcome.stdout


def _find_guest(supervisor: int) -> int:
    """Return the process of QEMU below its supervisor."""
    found = supervisor
    while children := Path(f"/proc/{found}/task/{found}/children").read_text().split():
        found = int(children[0])
    return found


@pytest.mark.parametrize("target", [lambda supervisor: supervisor, _find_guest])
def test_a_killed_machine_ends_a_run_at_once_and_is_no_verdict(
    full: QemuBackend, target: Callable[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisors = _watch_supervisors(monkeypatch)
    with full.open(Job(limits=_LIMITS)) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        victim = target(supervisors[-1])
        threading.Timer(1.0, os.kill, (victim, signal.SIGKILL)).start()
        with pytest.raises(SandboxError, match=r"virtual machine (has ended|is gone)"):
            session.run(Run(argv=("/bin/sleep", "100")))
        with pytest.raises(SandboxError):
            channel.receive_exact(1, deadline_s=100)
        assert channel.close().state is State.INFRA
    with full.open(Job(limits=_LIMITS)) as session:
        assert session.run(Run(argv=("/bin/echo", "again"))).stdout == b"again\n"


def _watch_supervisors(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that the supervisor of every machine started from now on is appended to."""
    started: list[int] = []
    start = launcher.start_process

    def note(*arguments: object, **keywords: object) -> "subprocess.Popen[bytes]":
        process = start(*arguments, **keywords)  # type: ignore[arg-type]
        started.append(process.pid)
        return process

    monkeypatch.setattr(emulator, "start_process", note)
    return started


def test_a_killed_owner_leaves_no_machine(full: QemuBackend) -> None:
    code = (
        "import time\nfrom sandbox.backends.vm.backend import QemuBackend\nfrom sandbox.base import Job\n"
        "from schemas.limits import Limits\nsession = QemuBackend(accelerator='tcg').open(Job(limits=Limits()))\n"
        "print('open', flush=True)\ntime.sleep(600)"
    )
    full.probe()
    root = Path(__file__).parents[3]
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=root) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"open\n"
        children = Path(f"/proc/{owner.pid}/task").glob("*/children")
        supervisors = [int(name) for path in children for name in path.read_text().split()]
        guests = [_find_guest(supervisor) for supervisor in supervisors]
        owner.kill()
    until = time.monotonic() + 100
    while any(map(_is_alive, guests)) and time.monotonic() < until:
        time.sleep(0.05)
    assert guests
    assert not any(map(_is_alive, guests))


def _is_alive(process: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
