"""gVisor from a bundle of our own: the same programs end in the same way on another kernel."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.backends.gvisor import GvisorBackend
from sandbox.backends.gvisor_platform import PTRACE_SLOWDOWN, detect_platform, read_platform
from sandbox.backends.rootfs import PYTHON
from sandbox.base import ALL_LIMITS, Job, Mount, Run, State
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import TaskStyle
from schemas.errors import SandboxError
from schemas.limits import Limits
from tests.level_checks import (
    AROUND,
    ENDING_NAMES,
    ENDINGS,
    FILLED_LIMITS,
    FILLER,
    FORK_BOMB,
    FORK_BOMB_LIMITS,
    LIMITS,
    QUICK,
    SECRET,
    SLEEPER,
    SLEEPER_LIMITS,
    check_numpy,
    end_of,
    evaluate,
    evaluate_in,
    look_around,
    skip_unless_available,
)


@pytest.fixture(scope="module")
def gvisor():
    return skip_unless_available(GvisorBackend())


@pytest.fixture(scope="module")
def evaluator(gvisor):
    with PythonEvaluators(gvisor, LIMITS, style=TaskStyle.FUNCTION).open() as opened:
        yield opened


def test_packages_can_be_imported(gvisor, numpy_site):
    check_numpy(gvisor, numpy_site)


def own_processes() -> set[str]:
    """Return the names of the living processes in cgroups of this test process."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0]
                if f"-{os.getpid()}-" in (entry / "cgroup").read_text() and state != b"Z":
                    found.add((entry / "comm").read_text().strip())
            except (OSError, ValueError, IndexError):
                continue
    return found


def test_the_probe_names_version_and_platform_and_claims_every_limit(gvisor):
    capability = gvisor.probe()
    assert (capability.isolation, capability.limits_enforced) == ("gvisor", ALL_LIMITS)
    assert "runsc version" in capability.reason
    assert "ptrace" in capability.reason or "systrap" in capability.reason


def test_a_missing_binary_is_a_reason_with_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert GvisorBackend().probe().reason == "runsc isn't installed (Debian: runsc)"


def test_a_binary_that_is_something_else_is_a_reason():
    capability = GvisorBackend(runsc="/bin/false").probe()
    assert not capability.available
    assert "/bin/false" in capability.reason


@pytest.mark.parametrize(("source", "state"), QUICK)
def test_programs_that_end_quickly_end_as_on_every_level(evaluator, source, state):
    assert evaluate_in(evaluator, source).state is state


@pytest.mark.slow
@pytest.mark.parametrize(("source", "state"), ENDINGS, ids=ENDING_NAMES)
def test_programs_end_as_on_every_level(gvisor, evaluator, source, state):
    assert end_of(gvisor, evaluator, source, state) is state


def test_another_kernel_answers(gvisor):
    with gvisor.open(Job(limits=LIMITS)) as session:
        outcome = session.run(Run(argv=(PYTHON, "-c", "import os; print(os.uname().release)")))
    assert outcome.stdout.strip() != os.uname().release.encode()
    assert (outcome.backend, outcome.slowdown) == ("gvisor", gvisor.probe().slowdown)


@pytest.mark.parametrize(("platform", "slowdown"), [("ptrace", PTRACE_SLOWDOWN), ("systrap", 1.0), ("kvm", 1.0)])
def test_time_limits_are_multiplied_where_every_system_call_is_stopped_at(platform, slowdown):
    assert GvisorBackend(platform=platform).slowdown == slowdown
    assert GvisorBackend(platform=platform, slowdown=2.5).slowdown == 2.5


@pytest.mark.parametrize(
    ("flags", "platform"),
    [
        ('-platform string: which platform to use: ptrace (default), kvm. (default "ptrace")', "ptrace"),
        ('-platform string: which platform to use: systrap (default), ptrace, kvm. (default "systrap")', "systrap"),
    ],
)
def test_the_platform_is_the_best_that_the_binary_knows(tmp_path, flags, platform):
    binary = tmp_path / "runsc"
    binary.write_text(f"#!/bin/sh\n[ \"$1\" = flags ] && echo '{flags}'\n")
    binary.chmod(0o755)
    assert detect_platform(str(binary)) == platform
    assert read_platform({"path": str(binary)}) == platform
    assert read_platform({"path": str(binary), "runtimeArgs": ["--network=none", "--platform=kvm"]}) == "kvm"


def test_a_runtime_that_cannot_be_asked_counts_as_the_slow_platform():
    assert read_platform({"path": "/nowhere/runsc", "runtimeArgs": None}) == "ptrace"


FORGER = """
import os, struct, json
header = json.dumps({"verdict": "", "status": 0, "disk_full": False, "cpu_s": 0.0, "wall_s": 0.0, "own_cpu_s": 0.0,
    "peak_kib": 1, "crowded": False, "clean": True, "collected": [], "blobs": [0, 6, 0]}).encode()
def f():
    try:
        out = os.open("/proc/1/fd/1", os.O_WRONLY)
    except OSError:
        return "refused"
    os.write(out, struct.pack("!I", len(header)) + TAG + header + b"forged")
    os.close(out)
    return "wrote"
"""


@pytest.mark.parametrize("tag", ["b''", "bytes(16)"])
def test_nobody_answers_in_the_fork_server_s_place(evaluator, tag):
    outcome = evaluate_in(evaluator, FORGER.replace("TAG", tag))
    assert (outcome.state, outcome.output) in {(State.POLICY, ""), (State.OK, '"refused"')}
    assert evaluate_in(evaluator, "def f(): return 1").output == "1"


def test_processor_time_is_what_the_host_counts_not_the_clock_inside(gvisor):
    with gvisor.open(Job(limits=LIMITS)) as session:
        outcome = session.run(Run(argv=("/bin/sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done")))
        counted = session._server._channel.usage().cpu_s
    assert outcome.state is State.OK
    assert 0 < outcome.cpu_s * outcome.slowdown <= counted


def test_a_program_that_takes_process_one_along_at_the_memory_limit_is_told_so(gvisor):
    assert evaluate(gvisor, FILLER, FILLED_LIMITS).state is State.MLE


def test_a_program_sees_nothing_of_the_host_and_may_nothing(gvisor, monkeypatch):
    monkeypatch.setenv("TASKFOUNDRY_TEST_KEY", SECRET)
    assert look_around(gvisor) == AROUND


@pytest.mark.slow
def test_a_fork_bomb_is_stopped_at_a_limit(gvisor):
    assert evaluate(gvisor, FORK_BOMB, FORK_BOMB_LIMITS).state in {State.PLE, State.TLE_CPU, State.TLE_WALL, State.MLE}


def test_threads_start_under_the_system_call_filter(evaluator):
    source = "import threading\ndef f():\n    done = []\n    t = threading.Thread(target=done.append, args=(1,))\n    t.start(); t.join()\n    return done"
    assert evaluate_in(evaluator, source).output == "[1]"


@pytest.mark.slow
def test_a_killed_sandbox_says_nothing_about_the_program(gvisor):
    with PythonEvaluators(gvisor, SLEEPER_LIMITS, style=TaskStyle.FUNCTION).open() as opened:
        runsc = opened._server._channel._partner._process
        killer = threading.Timer(1.0, runsc.kill)
        killer.start()
        with pytest.raises(SandboxError, match="the fork server is gone"):
            evaluate_in(opened, SLEEPER)
        killer.join()
        assert evaluate_in(opened, "def f(): return 1").state is State.OK


def read_command_line(process_id: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process_id}/cmdline").read_bytes()
    return b""


def test_a_killed_kernel_says_nothing_about_the_program(gvisor):
    with PythonEvaluators(gvisor, SLEEPER_LIMITS, style=TaskStyle.FUNCTION).open() as opened:
        meter = opened._server._channel._partner._meter
        members = [
            int(line) for path in meter.join_paths for line in (path.parent / "cgroup.procs").read_text().split()
        ]
        kernel = next(one for one in members if b"\0boot\0" in read_command_line(one))
        killer = threading.Timer(1.0, os.kill, (kernel, signal.SIGKILL))
        killer.start()
        with pytest.raises(SandboxError, match="the fork server is gone"):
            evaluate_in(opened, SLEEPER)
        killer.join()


def test_nothing_is_left_when_a_session_is_closed(gvisor):
    before = own_processes()
    with gvisor.open(Job(limits=LIMITS)) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        channel.send(b"x")
        assert channel.receive_exact(1, deadline_s=60) == b"x"
        folder = channel._partner._folder
        assert folder.exists()
    deadline = time.monotonic() + 60
    while not own_processes() <= before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert own_processes() <= before
    assert not folder.exists()


ORPHAN = """
import os, signal
from sandbox.backends.gvisor import GvisorBackend
from sandbox.base import Job, Run
from schemas.limits import Limits
channel = GvisorBackend().open(Job(limits=Limits())).converse(Run(argv=("/bin/cat",)))
channel.send(b"x")
channel.receive_exact(1, deadline_s=60)
print(channel._partner._meter.join_paths[0].parent, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_owner_takes_its_sandboxes_along(gvisor):
    done = subprocess.run([sys.executable, "-c", ORPHAN], check=False, timeout=200, stdout=subprocess.PIPE)
    group = Path(done.stdout.decode().strip())
    deadline = time.monotonic() + 60
    while group.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not group.exists()


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (Job(limits=Limits(network=True)), "gvisor gives no network"),
        (Job(limits=Limits(), mounts=(Mount(source=Path("/none"), target="/opt/x"),)), "doesn't exist"),
    ],
)
def test_a_job_that_asks_for_more_is_refused(gvisor, job, words):
    with pytest.raises(SandboxError, match=words):
        gvisor.open(job)
