"""What happens to sandboxes whose owner is killed or ends without closing them."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

OWNER = """
import os, sys
from sandbox.backends import select_backend
from sandbox.base import Job, Run
from schemas.limits import Limits
session = select_backend().open(Job(limits=Limits()))
channel = session.converse(Run(argv=("/bin/sh", "-c", "echo up; sleep 60")))
channel.receive_exact(3, deadline_s=10)
started = next(iter(session._running.values()))
started.read_reports()
print(started.first_process, *started.meter.join_paths, flush=True)
{end}
"""


def is_alive(process_id: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process_id}/stat").read_text()
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "os._exit(0)", "", "raise RuntimeError"])
def test_the_sandboxes_of_an_owner_that_is_gone_end_and_leave_nothing(backend, end):
    script = OWNER.format(end=end)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    first, *joins = done.stdout.split()
    deadline = time.monotonic() + 5
    while is_alive(int(first)) or any(Path(path).exists() for path in joins):
        assert time.monotonic() < deadline, "the program outlived the process that had started it"
        time.sleep(0.02)
