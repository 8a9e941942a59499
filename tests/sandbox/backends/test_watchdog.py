"""The watchdog's arithmetic, on real processes."""

import subprocess
import sys
import time

import pytest

from sandbox.backends.watchdog import Watchdog
from sandbox.base import Job, Run, State
from schemas.limits import Limits


@pytest.fixture
def watched(watched_backend):
    with watched_backend.open(Job(limits=Limits(memory_mb=150, processes=10, wall_s=150))) as session:
        yield session


def run(session, source: str):
    return session.run(Run(argv=("/opt/python/bin/python3", "-I", "-S", "-c", source)))


def test_it_sees_cpu_memory_and_processes(watched):
    outcome = run(watched, "x = b'1' * (60 << 20)\nimport time\nwhile time.process_time() < 0.3: pass\ntime.sleep(1)")
    assert outcome.state is State.OK
    assert 0.15 < outcome.cpu_s < 3
    assert 55 < outcome.peak_memory_mb < 110


def test_it_stops_a_memory_hog(watched):
    outcome = run(watched, "held = []\nwhile True: held.append(b'x' * (1 << 20) + bytes([len(held) % 256]))")
    assert outcome.state is State.MLE
    assert outcome.counters["watchdog_memory"] == 1


def test_shared_pages_are_not_counted_twice(watched):
    fork = "held = b'x' * (60 << 20)\nimport os, time\nfor _ in range(4):\n  if os.fork() == 0: time.sleep(1); os._exit(0)\ntime.sleep(1)"
    assert run(watched, fork).state is State.OK


def test_it_stops_too_many_processes(watched):
    source = "import os, time\nfor _ in range(12):\n  if os.fork() == 0: time.sleep(200); os._exit(0)\ntime.sleep(200)"
    outcome = run(watched, source)
    assert outcome.state is State.PLE
    assert outcome.wall_s < 100


def test_a_process_may_have_any_name(watched):
    source = (
        "import ctypes, time\nctypes.CDLL(None).prctl(15, b'\\xff) R 1 1', 0, 0, 0)\n"
        "held = []\nwhile True: held.append(b'x' * (1 << 20) + bytes([len(held) % 256]))"
    )
    assert run(watched, source).state is State.MLE


def test_an_outcome_says_what_was_not_enforced(watched):
    assert not {"memory", "processes"} & set(run(watched, "").limits_enforced)


def test_nothing_is_seen_before_the_first_process_is_known():
    usage = Watchdog(memory_mb=1, processes=1).read()
    assert (usage.cpu_s, usage.peak_memory_mb, usage.memory_exceeded) == (0, 0, False)


def test_a_first_process_that_is_gone_is_no_error():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    watchdog = Watchdog(memory_mb=1, processes=1)
    watchdog.watch(gone.pid)
    assert watchdog.read().cpu_s == 0
    watchdog.close()


def test_concurrent_runs_do_not_share_their_process_limit(watched_backend):
    session = watched_backend.open(Job(limits=Limits(processes=10, wall_s=100)))
    sleepers = "import os, time\nfor _ in range(8):\n  if os.fork() == 0: time.sleep(200); os._exit(0)\nprint('x', flush=True); time.sleep(200)"
    argv = ("/opt/python/bin/python3", "-I", "-S", "-c", sleepers)
    channels = [session.converse(Run(argv=argv)) for _ in range(4)]
    assert [channel.receive_exact(2, deadline_s=100) for channel in channels] == [b"x\n"] * 4
    begin = time.monotonic()
    session.close()
    assert time.monotonic() - begin < 100
