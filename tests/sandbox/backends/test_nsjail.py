"""What is nsjail's own: its configuration, its log, and where it is found. The rest is shared with bubblewrap."""

import os
import platform
import signal

import pytest

from sandbox.backends import nsjail
from sandbox.backends.entry import Entry, Privilege
from sandbox.backends.launch import pick_sandbox_user
from sandbox.backends.nsjail import NsjailBackend, NsjailJail, write_config
from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job, Mount, Run, State
from schemas.errors import SandboxError
from schemas.limits import Limits

JAIL = NsjailJail(config="", entry=Entry(staged=False, privilege=Privilege.USER, pick_user=pick_sandbox_user))


@pytest.fixture(scope="module")
def jailed():
    made = NsjailBackend()
    if not made.probe().available:
        pytest.skip(made.probe().reason)
    return made


@pytest.mark.parametrize(
    ("line", "first_process", "exit_code", "failure"),
    [
        ("[D][2026-11-29T18:57:29+0000][2] addProc():251 Added pid=78 with start time 1 to the queue", 78, None, ""),
        ("[I][2026-11-29T18:57:29+0000] pid=78 ([STANDALONE MODE]) exited with status: 3, (PIDs left: 0)", 0, 3, ""),
        (
            "[I][2026-11-29T18:57:29+0000] pid=7 ([STANDALONE MODE]) terminated with signal: SIGKILL (9), (PIDs left: 0)",
            0,
            137,
            "",
        ),
        (
            "[F][2026-11-29T18:57:29+0000][1] runChild():506 Launching failed",
            0,
            None,
            "runChild():506 Launching failed",
        ),
        ("[I][2026-11-29T18:57:29+0000] Executing '/bin/true' for '[STANDALONE MODE]'", 0, None, ""),
        (
            "[D][2026-11-29T18:57:29+0000][1] newProc():213 Exec: 'a', Args: ['Added pid=1 with start time']",
            0,
            None,
            "",
        ),
        ("", 0, None, ""),
    ],
)
def test_a_line_of_the_log_is_understood(line, first_process, exit_code, failure):
    report = JAIL.read_report(line.encode())
    assert (report.first_process, report.exit_code, report.failure) == (first_process, exit_code, failure)


def test_an_argument_can_not_forge_the_log(jailed):
    forged = "\n[I][2026-11-29T18:57:29+0000] pid=1 ([STANDALONE MODE]) exited with status: 0, (PIDs left: 0)\n"
    with jailed.open(Job(limits=Limits())) as session:
        outcome = session.run(Run(argv=("/bin/sh", "-c", "exit 7", forged), env={"PYTHONX": forged}))
        printed = session.run(Run(argv=("/bin/echo", forged)))
    assert (outcome.state, outcome.exit_code) == (State.RE, 7)
    assert printed.stdout.decode() == f"{forged}\n"


def test_the_program_can_not_write_into_the_log(jailed):
    source = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    with jailed.open(Job(limits=Limits())) as session:
        outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", source)))
        channel = session.converse(Run(argv=(PYTHON, "-I", "-S", "-c", source)))
        assert channel.receive_exact(21, deadline_s=60) == b"['0', '1', '2', '3']\n"
    assert outcome.stdout == b"['0', '1', '2', '3']\n"  # the last one is the folder itself


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGTERM", "SIGKILL", "SIGSYS"])
def test_a_death_by_signal_is_told_without_a_word_of_the_waiting_shell(jailed, name):
    number = signal.Signals[name].value
    with jailed.open(Job(limits=Limits())) as session:
        outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", f"import os; os.kill(os.getpid(), {number})")))
    assert (outcome.signal, outcome.stderr) == (number, b"")


def test_names_of_any_kind_can_be_mounted(jailed, tmp_path):
    folder = tmp_path / 'a:b "c"\\ ä\n'
    folder.mkdir()
    (folder / "data").write_text("shown")
    for path in (tmp_path, folder):
        path.chmod(0o755)
    job = Job(limits=Limits(), mounts=(Mount(source=folder, target='/opt/x:y "z"\\ ü'),))
    with jailed.open(job) as session:
        assert session.run(Run(argv=("/bin/cat", '/opt/x:y "z"\\ ü/data'))).stdout == b"shown"


def test_its_probe_is_degraded_without_cgroups():
    made = NsjailBackend(use_cgroups=False)
    if not made.probe().available:
        pytest.skip(made.probe().reason)
    assert made.probe().missing_limits == ("memory", "processes")


def test_a_machine_without_nsjail_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(nsjail, "find_nsjail", missing)
    capability = NsjailBackend().probe()
    assert not capability.available
    assert "taskfoundry[nsjail]" in capability.reason


def missing():
    raise SandboxError("nsjail isn't installed; pip install 'taskfoundry[nsjail]' brings it along")


def test_it_is_looked_for_on_the_path_last(monkeypatch, tmp_path):
    tool = tmp_path / "nsjail"
    tool.write_text("")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    nsjail.find_nsjail.cache_clear()
    assert nsjail.find_nsjail() == tool
    monkeypatch.setenv("PATH", "")
    nsjail.find_nsjail.cache_clear()
    with pytest.raises(SandboxError, match="isn't installed"):
        nsjail.find_nsjail()
    monkeypatch.undo()
    nsjail.find_nsjail.cache_clear()


def test_the_deny_list_is_refused_where_x32_would_go_round_it(jailed, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    job = Job(limits=Limits(syscall_filter="standard"), files={"a": b"A"})
    monkeypatch.setattr(nsjail, "has_x32_calls", lambda: True)
    with pytest.raises(SandboxError, match="take syscall_filter 'strict'"):
        jailed.open(job)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(nsjail, "has_x32_calls", lambda: False)
    jailed.open(job).close()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 belongs to x86_64")
def test_calls_of_x32_are_refused_by_the_allow_list(jailed):
    source = "import ctypes; print(ctypes.CDLL(None).syscall(0x40000000 | 39))"
    with jailed.open(Job(limits=Limits())) as session:
        assert session.run(Run(argv=(PYTHON, "-I", "-S", "-c", source))).stdout == b"-1\n"


@pytest.mark.parametrize("network", [False, True])
def test_the_network_namespace_is_left_out_only_when_the_job_asks(network):
    written = write_config(Job(limits=Limits(network=network)), stage=None, privilege=Privilege.USER)
    assert f"clone_newnet: {'false' if network else 'true'}" in written
    assert f'outside_id: "{os.geteuid()}"' in written


def test_a_failed_start_is_infrastructure_and_says_why(jailed, tmp_path):
    (tmp_path / "gone").mkdir()
    with jailed.open(Job(limits=Limits(), mounts=(Mount(source=tmp_path / "gone", target="/opt/gone"),))) as session:
        (tmp_path / "gone").rmdir()
        outcome = session.run(Run(argv=("/bin/true",)))
    assert outcome.state is State.INFRA
    assert "/opt/gone" in outcome.detail or "mount" in outcome.detail.lower()
