"""What hostile programs try, and what comes of it: the right state, in time, and nothing left behind."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.false_tle import run_beside
from sandbox.backends.process import ProcessBackend
from sandbox.base import Job, Run, State
from schemas.limits import Limits

PYTHON_FORK_BOMB = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
GROWING_FILE = """
file = open({path!r}, 'wb')
for _ in range(10_240): file.write(b'x' * (1 << 20))
"""
MEMORY_HOG = "held = []\nwhile True: held.append(b'x' * (10 << 20) + bytes([len(held) % 256]))"
EIGHT_CHILDREN = """
import os, time
waiting, holding = os.pipe()
for number in range(8):
    if os.fork() == 0:
        held = b'y' * (150 << 20)
        os.close(holding)
        os.read(waiting, 1)
        time.sleep(1.5)
        os._exit(0)
os.close(holding)
for number in range(8): os.wait()
print('all is well')
"""
DEAF = """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
"""
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1)
    os._exit(0)
print('parent is done', flush=True)
os._exit(0)
"""
MANY_FILES = "for number in range(300_000): open(f'/work/{number}', 'w').close()"


def processes_of_the_sandbox() -> set[tuple[str, str]]:
    """Return process id and name of everything that a tool or its programs still run for this test process; the dead
    whom others have to bury aren't among them."""
    mark, found = f"-{os.getpid()}-", set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                inside = mark in (entry / "cgroup").read_text()
                state, parent = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:2]
                name = (entry / "comm").read_text().strip()
            except (OSError, ValueError):
                continue
            if (inside and state != b"Z") or (int(parent) == os.getpid() and name in {"bwrap", "nsjail"}):
                found.add((entry.name, name))
    return found


@pytest.fixture(autouse=True)
def before():
    """What fixtures of other tests in this process keep open; nothing else may be left."""
    found = processes_of_the_sandbox()
    yield found
    assert list_left_after(found) == set()


def list_left_after(before: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return what is still there of what came after that; what is dying is waited for."""
    deadline = time.monotonic() + 20
    while (left := processes_of_the_sandbox() - before) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def test_a_fork_bomb_is_stopped_for_its_processes(full_backend, run_source):
    outcome = run_source(PYTHON_FORK_BOMB, processes=30)
    assert outcome.state is State.PLE
    assert outcome.counters["pids_max"] > 0


def test_a_shell_fork_bomb_is_stopped_within_the_wall_limit(full_backend):
    with full_backend.open(Job(limits=Limits(wall_s=3, processes=30))) as session:
        outcome = session.run(Run(argv=("/bin/bash", "-c", ":(){ :|:& };:; sleep 200")))
    assert outcome.state is State.PLE
    assert outcome.wall_s < 100


@pytest.mark.parametrize("stream", [1, 2])
def test_a_flood_of_output_is_cut_at_the_cap(run_source, stream):
    outcome = run_source(f"import os\nwhile True: os.write({stream}, b'x' * 65536)", stdout_mb=2)
    assert (outcome.state, outcome.truncated) == (State.OLE, True)
    assert len(outcome.stdout) + len(outcome.stderr) == 2 << 20


def test_a_flood_on_both_streams_keeps_at_most_the_cap_of_each(run_source):
    outcome = run_source("import os\nwhile True: os.write(1, b'x' * 65536); os.write(2, b'y' * 65536)", stdout_mb=1)
    assert outcome.state is State.OLE
    assert len(outcome.stdout) <= 1 << 20
    assert len(outcome.stderr) <= 1 << 20


def test_output_of_exactly_the_cap_is_fine(run_source):
    outcome = run_source("import os; os.write(1, b'x' * (1 << 16))", stdout_mb=1 / 16)
    assert (outcome.state, len(outcome.stdout), outcome.truncated) == (State.OK, 1 << 16, False)


@pytest.mark.parametrize("path", ["/work/big", "/tmp/big", "/dev/shm/big"])
def test_a_ten_gigabyte_file_stops_at_the_disk_limit(run_source, path):
    outcome = run_source(GROWING_FILE.format(path=path), disk_mb=32)
    assert outcome.state is State.DLE
    assert outcome.peak_memory_mb < 64


def test_a_full_disk_counts_even_if_the_program_ends_well(run_source):
    source = GROWING_FILE.format(path="/work/big").replace(
        "for _", "import contextlib\nwith contextlib.suppress(OSError):\n  for _"
    )
    assert run_source(source, disk_mb=32).state is State.DLE


def test_a_memory_hog_is_told_from_a_failure(full_backend, run_source):
    outcome = run_source(MEMORY_HOG, memory_mb=100)
    assert outcome.state is State.MLE
    assert outcome.counters["oom_kill"] >= 1
    assert outcome.peak_memory_mb <= 101


def test_memory_of_children_counts_together_though_the_parent_ends_well(full_backend, run_source):
    outcome = run_source(EIGHT_CHILDREN)
    assert outcome.state is State.MLE
    assert outcome.peak_memory_mb <= 513


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"])
def test_no_socket_leads_outside(run_source, family):
    kind = "SOCK_RAW" if family in {"AF_NETLINK", "AF_PACKET"} else "SOCK_STREAM"
    outcome = run_source(f"import socket; socket.socket(socket.{family}, socket.{kind})")
    assert (outcome.state, outcome.exit_code) == (State.RE, 1)
    assert b"Operation not permitted" in outcome.stderr


def test_a_program_that_ignores_every_signal_ends_at_its_cpu_limit(run_source):
    outcome = run_source(DEAF, cpu_s=0.5, wall_s=60)
    assert outcome.state is State.TLE_CPU
    assert 0.5 < outcome.cpu_s < 20


def test_cpu_time_of_children_counts_together(run_source):
    source = "import os\nfor _ in range(3): os.fork()\nwhile True: pass"
    assert run_source(source, cpu_s=1, wall_s=60).state is State.TLE_CPU


def test_a_sleeper_ends_at_the_wall_limit(run_source):
    outcome = run_source("import time; time.sleep(60)", wall_s=0.5)
    assert outcome.state is State.TLE_WALL
    assert 0.5 <= outcome.wall_s < 50


def test_a_stopped_process_ends_at_the_wall_limit(run_source):
    assert run_source("import os; os.kill(0, 19)", wall_s=0.5).state is State.TLE_WALL


def test_a_daemon_dies_with_the_program_that_started_it(run_source):
    outcome = run_source(DAEMON)
    assert (outcome.state, outcome.stdout) == (State.OK, b"parent is done\n")
    assert outcome.wall_s < 60


def test_a_killed_supervisor_is_never_the_fault_of_the_program(backend):
    with backend.open(Job(limits=Limits(wall_s=60))) as session:
        outcome = run_and_kill(session, lambda started: started.process.pid)
    assert (outcome.state, outcome.exit_code) == (State.INFRA, None)


def run_and_kill(session, choose):
    """Run a sleeper, and kill the process that ``choose`` picks once the sandbox is up."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(session.run, Run(argv=("/bin/sleep", "60")))
        while not session._running or not (started := next(iter(session._running.values()))).first_process:
            time.sleep(0.01)
        os.kill(choose(started), signal.SIGKILL)
        return running.result()


def test_killing_all_that_can_be_seen_hurts_nobody_else(run_source):
    outcome = run_source("import os\ntry: os.kill(-1, 9)\nexcept ProcessLookupError: print('alone')\nos.kill(1, 9)")
    assert outcome.stdout == b"alone\n"
    assert outcome.state is State.RE


def test_hundreds_of_thousands_of_files_stop_at_the_disk_limit(run_source):
    assert run_source(MANY_FILES, disk_mb=8).state is State.DLE


@pytest.mark.parametrize(
    "source",
    [
        "import os; os.mknod('/work/x', 0o60600, os.makedev(254, 0))",
        "import os; os.chroot('/work')",
        "import os; os.link('/usr/bin/env', '/work/env')",
        "import os; os.mkdir('/new')",
        "open('/dev/new', 'w')",
        "open('/etc/passwd', 'a')",
        "open('/usr/bin/env', 'ab')",
        "open('/opt/python/new', 'w')",
        "open('/opt/python/lib/new', 'w')",
        "open('/proc/sys/kernel/hostname', 'w').write('x')",
        "open('/proc/1/environ').read()",
        "open('/proc/1/mem', 'rb').read(1)",
        "import os; os.setuid(0)",
        "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))",
        "import os; os.nice(-5)",
        "import os; os.setpriority(os.PRIO_PROCESS, 1, 5)",
        "open('/proc/self/uid_map', 'wb', 0).write(b'0 0 1')",
    ],
)
def test_a_forbidden_act_fails_inside(run_source, source):
    outcome = run_source(source)
    assert (outcome.state, outcome.exit_code) == (State.RE, 1), outcome
    assert any(word in outcome.stderr for word in (b"PermissionError", b"OSError")), outcome.stderr


@pytest.mark.slow
def test_fork_bombs_leave_no_process_and_come_back_in_time_under_the_default_limits(full_backend, before):
    for argv in (("/opt/python/bin/python3", "-c", PYTHON_FORK_BOMB), ("/bin/bash", "-c", ":(){ :|:& };:; sleep 200")):
        with full_backend.open(Job(limits=Limits(wall_s=4))) as session:
            begin = time.monotonic()
            assert session.run(Run(argv=argv)).state is State.PLE
            assert time.monotonic() - begin < 100
        assert list_left_after(before) == set()


@pytest.mark.slow
def test_no_false_time_limit_beside_eight_busy_neighbours(backend):
    outcomes = run_beside(backend, runs=20, spinners=8)
    assert {outcome.state for outcome in outcomes} == {State.OK}
    assert max(outcome.cpu_s for outcome in outcomes) < 1


@pytest.mark.slow
def test_the_watchdog_stops_what_it_sees(watched_backend: ProcessBackend, run_source):
    assert run_source(PYTHON_FORK_BOMB, on=watched_backend, processes=30).state is State.PLE
    assert run_source(EIGHT_CHILDREN, on=watched_backend).state is State.MLE
    assert run_source(DEAF, on=watched_backend, cpu_s=0.5, wall_s=60).state is State.TLE_CPU
