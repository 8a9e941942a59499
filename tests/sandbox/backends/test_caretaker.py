"""What happens to sandboxes whose owner is killed or ends without closing them."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.backends import select_backend

OWNER = """
import os, sys
from sandbox.backends import select_backend
from sandbox.base import Job, Run
from schemas.limits import Limits
session = select_backend(sys.argv[1]).open(Job(limits=Limits()))
channel = session.converse(Run(argv=("/bin/sh", "-c", "echo up; sleep 200")))
channel.receive_exact(3, deadline_s=60)
started = next(iter(session._running.values()))
while not started.first_process:
    started.read_reports()
print(started.first_process, *started.meter.join_paths, flush=True)
{end}
"""


def is_alive(process_id: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{process_id}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("tool", ["process", "nsjail"])
@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "os._exit(0)", "", "raise RuntimeError"])
def test_the_sandboxes_of_an_owner_that_is_gone_end_and_leave_nothing(backend, tool, end):
    if not select_backend(tool).probe().available:
        pytest.skip(select_backend(tool).probe().reason)
    script = OWNER.format(end=end)
    done = subprocess.run([sys.executable, "-c", script, tool], capture_output=True, text=True, check=False)
    first, *joins = done.stdout.split()
    deadline = time.monotonic() + 60
    while is_alive(int(first)) or any(Path(path).exists() for path in joins):
        assert time.monotonic() < deadline, "the program outlived the process that had started it"
        time.sleep(0.02)


RUN_OWNER = """
import os, sys, threading, time
from sandbox.backends.{module} import {name}
from sandbox.base import Job, Run
from schemas.limits import Limits
session = {name}(use_cgroups=False).open(Job(limits=Limits(wall_s=200)))
threading.Thread(target=session.run, args=(Run(argv=("/bin/sh", "-c", "touch /work/up; sleep 200")),), daemon=True).start()
while not session._running or not (started := next(iter(session._running.values()))).first_process:
    time.sleep(0.01)
while not os.path.exists(f"/proc/{{started.first_process}}/root/work/up"):
    time.sleep(0.01)
print(started.first_process, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(("module", "name"), [("process", "ProcessBackend"), ("nsjail", "NsjailBackend")])
def test_a_run_dies_with_its_owner_where_no_cgroup_holds_it(backend, module, name):
    if not select_backend(module).probe().available:
        pytest.skip(select_backend(module).probe().reason)
    script = RUN_OWNER.format(module=module, name=name)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=100)
    deadline = time.monotonic() + 60
    while is_alive(int(done.stdout)):
        assert time.monotonic() < deadline, "the program outlived the process that had started it"
        time.sleep(0.02)
