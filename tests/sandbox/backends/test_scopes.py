"""Scopes of systemd's user manager, with a stand-in for ``systemd-run`` that does what its manual says it does.

The stand-in takes the documented options, refuses others, makes the group's files and becomes the command. What only a
real manager does (moving the process, enforcing, removing the empty scope) isn't tested here.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.backends.process import ProcessBackend
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.scopes import Scope, ScopeHierarchy, detect_scopes
from sandbox.base import ALL_LIMITS, Job, Run, State
from schemas.limits import Limits

STAND_IN = """#!{python} -IS
import os, sys
from pathlib import Path
arguments, properties, unit = sys.argv[1:], {{}}, ""
flags = {{"--user", "--scope", "--quiet", "--collect"}}
while (word := arguments.pop(0)) != "--":
    if word.startswith("--property="):
        name, value = word.removeprefix("--property=").split("=")
        properties[name] = value
    elif word.startswith("--unit="):
        unit = word.removeprefix("--unit=")
    else:
        flags.remove(word)
assert not flags and set(properties) == {{"MemoryMax", "MemorySwapMax", "TasksMax"}}, (flags, properties)
assert dict(os.environ).keys() - {{"LC_CTYPE"}} == {{"XDG_RUNTIME_DIR"}}, os.environ
scope = Path("{root}/mount/app.slice", unit)
scope.mkdir(parents=True)
files = {{"memory.max": properties["MemoryMax"], "pids.max": properties["TasksMax"], "memory.current": "1048576",
    "cpu.stat": "usage_usec 250000", "memory.events": "oom_kill {kills}", "pids.events": "max 0"}}
for name, text in files.items():
    (scope / name).write_text(text + "\\n")
place = "1:memory:/elsewhere\\n0::/app.slice/" + unit + "\\n"
for process in ("self", str(os.getpid())):
    Path("{root}/proc", process).mkdir(exist_ok=True)
    Path("{root}/proc", process, "cgroup").write_text(place)
os.execv(arguments[0], arguments)
"""


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Return a function that puts the stand-in on the path and looks for scopes."""

    def make(kills: int = 0) -> ScopeHierarchy | None:
        for name in ("mount", "proc", "runtime/systemd", "bin"):
            (tmp_path / name).mkdir(parents=True)
        tool = tmp_path / "bin" / "systemd-run"
        tool.write_text(STAND_IN.format(python=sys.executable, root=tmp_path, kills=kills))
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
        return detect_scopes(runtime=tmp_path / "runtime", mount=tmp_path / "mount", proc=tmp_path / "proc")

    return make


def test_scopes_are_taken_when_one_has_the_limits_that_were_asked_for(offer, tmp_path):
    found = offer()
    assert found is not None
    assert found.label == "scopes of systemd's user manager"
    scopes = list((tmp_path / "mount" / "app.slice").iterdir())
    assert [(scope / "memory.max").read_text() for scope in scopes] == [f"{64 << 20}\n"]


def test_scopes_without_effect_are_not_taken(offer):
    made = offer()
    assert made is not None
    broken = made.systemd_run.read_text().replace('properties["TasksMax"], ', '"max", ')
    made.systemd_run.write_text(broken)
    assert detect_scopes(runtime=made.runtime, mount=made.mount, proc=made.proc) is None


def test_a_manager_that_refuses_is_not_taken(offer):
    made = offer()
    assert made is not None
    made.systemd_run.write_text("#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n")
    assert detect_scopes(runtime=made.runtime, mount=made.mount, proc=made.proc) is None


def test_without_a_manager_nobody_is_asked(tmp_path):
    assert detect_scopes(runtime=tmp_path) is None


def test_a_scope_counts_what_the_kernel_counts_and_then_keeps_it(offer, tmp_path):
    made = offer()
    assert made is not None
    scope = made.make(memory_mb=100, processes=7)
    assert scope.read().cpu_s == 0
    unit = next(word for word in scope.wrapper if word.startswith("--unit=")).removeprefix("--unit=")
    folder = tmp_path / "mount" / unit
    folder.mkdir()
    for name, text in {
        "memory.peak": "2097152",
        "cpu.stat": "usage_usec 500000",
        "memory.events": "oom_kill 2",
        "pids.events": "max 3",
    }.items():
        (folder / name).write_text(text)
    assert scope.settle(f"0::/{unit}\n") == folder
    assert (scope.read().cpu_s, scope.read().peak_memory_mb) == (0.5, 2)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    assert scope.read().counters == {"oom_kill": 2, "pids_max": 3}
    scope.close()
    scope.close()


@pytest.mark.parametrize("places", ["0::/user.slice/session-1.scope\n", "4:memory:/a\n", ""])
def test_a_group_that_is_not_the_scope_is_never_touched(offer, places):
    made = offer()
    assert made is not None
    scope = made.make(memory_mb=100, processes=7)
    assert scope.settle(places) is None
    scope.close()


@pytest.fixture
def scoped(offer, monkeypatch):
    """Return a function that gives a process backend in scopes, where programs are as if a manager had moved them."""

    def make(kills: int = 0) -> ProcessBackend:
        hierarchy = offer(kills)
        monkeypatch.setattr("sandbox.backends.process.detect_hierarchy", lambda: None)
        monkeypatch.setattr("sandbox.backends.process.detect_scopes", lambda: hierarchy)
        monkeypatch.setattr(
            Scope, "watch", lambda self, process: self.settle((hierarchy.proc / "self" / "cgroup").read_text())
        )
        made = ProcessBackend()
        if not made.probe().available:
            pytest.skip(made.probe().reason)
        return made

    return make


def test_the_probe_says_where_the_limits_come_from(scoped):
    capability = scoped().probe()
    assert "systemd's user manager" in capability.reason
    assert capability.limits_enforced == ALL_LIMITS


def test_a_run_goes_on_in_a_scope_and_nothing_of_it_shows_inside(scoped):
    source = "import os; print(sorted(os.environ), len(os.listdir('/proc/self/fd')))"
    with scoped().open(Job(limits=Limits())) as session:
        outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", source)))
    assert (outcome.state, outcome.stdout) == (State.OK, b"['HOME', 'LANG', 'PATH', 'PWD'] 4\n")
    assert (outcome.cpu_s, outcome.peak_memory_mb) == (0.25, 1)
    assert has_holders(0)


def test_a_memory_kill_in_a_scope_is_the_state(scoped, tmp_path):
    backend = scoped()
    tool = tmp_path / "bin" / "systemd-run"
    tool.write_text(tool.read_text().replace("oom_kill 0", "oom_kill 1"))
    with backend.open(Job(limits=Limits())) as session:
        assert session.run(Run(argv=("/bin/sleep", "0.2"))).state is State.MLE


def test_a_conversation_in_a_scope_is_process_one(scoped):
    with scoped().open(Job(limits=Limits())) as session:
        channel = session.converse(Run(argv=(PYTHON, "-I", "-u", "-c", "import os; print(os.getpid()); input()")))
        assert channel.receive_exact(2, deadline_s=60) == b"1\n"
        assert has_holders(1)
        assert channel.close().state is State.OK
    assert has_holders(0)


def has_holders(number: int) -> bool:
    """Return whether so many processes wait at a pipe of ours, or soon will."""
    deadline = time.monotonic() + 20
    while len(list(list_waiting())) != number and time.monotonic() < deadline:
        time.sleep(0.02)
    return len(list(list_waiting())) == number


def list_waiting() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if words[0] == b"cat" and words[1].startswith(f"/proc/{os.getpid()}/fd/".encode()):
                yield words[1].decode()
