"""What a program in the process sandbox gets, and what is told of it afterwards."""

import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox.backends.process import ProcessBackend
from sandbox.backends.rootfs import PYTHON
from sandbox.base import ALL_LIMITS, Job, Mount, Run, State
from schemas.errors import SandboxError
from schemas.limits import Limits


def test_output_and_exit_code_come_back(run_source):
    outcome = run_source("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (outcome.state, outcome.exit_code, outcome.signal) == (State.RE, 3, None)
    assert (outcome.stdout, outcome.stderr) == (b"out\n", b"err\n")


def test_standard_input_reaches_the_program_whole(run_source):
    data = os.urandom(300_000)
    assert run_source("import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())", stdin=data).stdout == data


def test_standard_input_is_empty_when_none_is_given(run_source):
    assert run_source("import sys; print(repr(sys.stdin.read()))").stdout == b"''\n"


def test_standard_input_over_the_limit_is_refused_before_anything_runs(run_source):
    outcome = run_source("print('ran')", stdin=b"x" * 200_000, stdin_mb=0.1)
    assert (outcome.state, outcome.stdout) == (State.POLICY, b"")
    assert "200,000 bytes is over the limit of 0.1 MiB" in outcome.detail


def test_death_by_signal_is_told_apart_from_an_exit_code(run_source):
    outcome = run_source("import os; os.abort()")
    assert (outcome.state, outcome.exit_code, outcome.signal) == (State.RE, None, 6)


def test_a_program_that_is_not_there_is_a_failed_run(backend):
    with backend.open(Job(limits=Limits())) as session:
        outcome = session.run(Run(argv=("no-such-program",)))
    assert (outcome.state, outcome.exit_code) == (State.RE, 127)


def test_usage_is_counted(run_source):
    outcome = run_source("x = b'1' * (80 << 20)\nwhile __import__('time').process_time() < 0.3: pass")
    assert outcome.state is State.OK
    assert 0.25 < outcome.cpu_s < 3
    assert outcome.wall_s >= outcome.cpu_s * 0.9
    assert 75 < outcome.peak_memory_mb < 140


def test_the_outcome_names_backend_and_enforced_limits(full_backend, run_source):
    outcome = run_source("")
    assert (outcome.backend, outcome.isolation) == (full_backend.name, "process")
    assert outcome.limits_enforced == ALL_LIMITS


def test_files_of_the_job_are_writable_and_fresh_in_every_run(backend):
    job = Job(limits=Limits(), files={"a.txt": b"first", "deep/er/b.txt": b"B"})
    source = "import os; print(open('a.txt').read(), sorted(os.listdir('.')), open('deep/er/b.txt').read());"
    source += "open('a.txt','w').write('changed'); open('new','w'); open('deep/c', 'w'); os.remove('deep/er/b.txt')"
    with backend.open(job) as session:
        outcomes = [session.run(Run(argv=(PYTHON, "-I", "-c", source))) for _ in range(2)]
    assert [outcome.stdout for outcome in outcomes] == [b"first ['a.txt', 'deep'] B\n"] * 2


def test_nothing_of_the_environment_is_inherited(backend, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    job = Job(limits=Limits(), env={"A": "of the job", "B": "of the job"})
    with backend.open(job) as session:
        outcome = session.run(Run(argv=("/usr/bin/env",), env={"B": "of the run"}))
    assert sorted(outcome.stdout.decode().splitlines()) == [
        "A=of the job",
        "B=of the run",
        "HOME=/work",
        "LANG=C.UTF-8",
        "PATH=/opt/python/bin:/usr/bin:/bin",
        "PWD=/work",
    ]


def test_the_default_environment_and_that_of_python_are_the_same_either_way(backend):
    with backend.open(Job(limits=Limits(), env={"PYTHONHASHSEED": "7"})) as session:
        plain = session.run(Run(argv=("/usr/bin/env",)))
        other = session.run(Run(argv=("/usr/bin/env",), env={"TZ": "UTC"}))
    assert {*plain.stdout.split(), b"TZ=UTC"} == {*other.stdout.split()}
    assert b"PYTHONHASHSEED=7" in plain.stdout


def test_the_interpreter_inside_is_ours(run_source):
    assert run_source("import sys; print(sys.version)").stdout.decode() == f"{sys.version}\n"


def test_what_is_installed_into_the_interpreter_is_not_seen(run_source):
    source = "import site, os; print([os.listdir(p) for p in site.getsitepackages() if os.path.isdir(p)])"
    assert run_source(source).stdout == b"[[]]\n"


def test_a_mount_can_be_read_and_not_written(backend, tmp_path):
    (tmp_path / "data").write_text("shown")
    job = Job(limits=Limits(), mounts=(Mount(source=tmp_path, target="/opt/shown"),))
    tmp_path.chmod(0o777)
    with backend.open(job) as session:
        outcome = session.run(Run(argv=("/bin/sh", "-c", "cat /opt/shown/data; echo x > /opt/shown/new")))
    assert outcome.stdout == b"shown"
    assert b"Read-only file system" in outcome.stderr
    assert not (tmp_path / "new").exists()


def test_a_mount_deep_down_is_reachable(backend, tmp_path):
    (tmp_path / "data").write_text("shown")
    job = Job(limits=Limits(), mounts=(Mount(source=tmp_path / "data", target="/opt/a/b/c/data"),))
    with backend.open(job) as session:
        assert session.run(Run(argv=("/bin/cat", "/opt/a/b/c/data"))).stdout == b"shown"


def test_a_mount_is_read_only(backend, tmp_path):
    tmp_path.chmod(0o777)
    job = Job(limits=Limits(), mounts=(Mount(source=tmp_path, target="/opt/out"),))
    with backend.open(job) as session:
        outcome = session.run(Run(argv=("/bin/sh", "-c", "echo kept > /opt/out/file")))
    assert b"Read-only file system" in outcome.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (Job(limits=Limits(), files={"../x": b""}), "'../x' can't be the name of a file"),
        (Job(limits=Limits(), files={"/etc/x": b""}), "'/etc/x' can't be the name of a file"),
        (Job(limits=Limits(), files={"": b""}), "'' can't be the name of a file"),
        (Job(limits=Limits(), files={"a": b"", "a/b": b""}), "can't lay out the files"),
        (Job(limits=Limits(disk_mb=1), files={"a": b"x" * 2_000_000}), "don't fit into /work"),
        (Job(limits=Limits(syscall_filter="stict")), "Did you mean 'strict'"),
        (Job(limits=Limits(), mounts=(Mount(source=Path("/nowhere"), target="/opt/x"),)), "doesn't exist"),
        (Job(limits=Limits(), mounts=(Mount(source=Path("/usr"), target="/usr"),)), "below a top folder"),
        (Job(limits=Limits(), mounts=(Mount(source=Path("/usr"), target="opt/x"),)), "absolute path"),
    ],
)
def test_a_job_that_can_not_be_laid_out_is_refused(backend, job, message):
    with pytest.raises(SandboxError, match=message):
        backend.open(job)


@pytest.mark.parametrize("run", [Run(argv=()), Run(argv=("a=b",)), Run(argv=("true",), env={"A=B": "c"})])
def test_a_run_that_can_not_be_started_is_refused(backend, run):
    with backend.open(Job(limits=Limits())) as session, pytest.raises(SandboxError):
        session.run(run)


def test_a_closed_session_refuses_runs(backend):
    session = backend.open(Job(limits=Limits()))
    session.close()
    session.close()
    with pytest.raises(SandboxError, match="closed"):
        session.run(Run(argv=("true",)))


def test_sessions_and_runs_go_on_at_once(backend):
    def check(number: int) -> bytes:
        with backend.open(Job(limits=Limits(), files={"n": str(number).encode()})) as session:
            return session.run(Run(argv=("/bin/cat", "n", "-"), stdin=b"+")).stdout

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(check, range(40))) == [f"{number}+".encode() for number in range(40)]


def test_a_session_outlives_the_thread_that_opened_its_conversation(backend):
    session = backend.open(Job(limits=Limits()))
    channels = []
    opener = threading.Thread(target=lambda: channels.append(session.converse(Run(argv=("/bin/cat",)))))
    opener.start()
    opener.join()
    channels[0].send(b"still here")
    assert channels[0].receive_exact(10, deadline_s=60) == b"still here"
    session.close()


def test_closing_a_session_ends_a_run_of_another_thread(backend):
    session = backend.open(Job(limits=Limits(wall_s=200)))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(session.run, Run(argv=("/bin/sleep", "200")))
        while not session._running:
            pass
        session.close()
        assert running.result(timeout=100).state is State.INFRA


@pytest.mark.parametrize("sessions", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_no_descriptor_folder_or_cgroup_is_left_over_many_sessions(backend, tmp_path, monkeypatch, sessions):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(sessions):
        with backend.open(Job(limits=Limits(), files={"a": b"a"} if number % 10 == 0 else {})) as session:
            if number % 10 == 5:
                session.converse(Run(argv=("/bin/cat",)))
            else:
                assert session.run(Run(argv=("/bin/true",))).state is State.OK
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert list(tmp_path.iterdir()) == []
    assert own_groups(backend) == []


def own_groups(backend: ProcessBackend) -> list[Path]:
    hierarchy = backend._hierarchy
    mark = f"-{os.getpid()}-"
    return (
        [path for parent in hierarchy.parents() for path in parent.glob("taskfoundry-*") if mark in path.name]
        if hierarchy
        else []
    )


def test_a_forked_worker_uses_the_same_backend(backend):
    def work(results) -> None:
        with backend.open(Job(limits=Limits(), files={"a": b"A"})) as session:
            channel = session.converse(Run(argv=("/bin/cat",)))
            channel.send(b"x")
            results.put((channel.receive_exact(1, deadline_s=60), session.run(Run(argv=("/bin/cat", "a"))).stdout))

    with backend.open(Job(limits=Limits())) as session:
        session.converse(Run(argv=("/bin/cat",))).close()
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    worker = context.Process(target=work, args=(results,))
    worker.start()
    worker.join(timeout=100)
    assert worker.exitcode == 0
    assert results.get() == (b"x", b"A")


@pytest.mark.skipif(os.geteuid() != 0, reason="nothing is dropped without root")
def test_root_is_dropped_where_setpriv_is_missing_too(backend, monkeypatch):
    monkeypatch.setattr("sandbox.backends.entry.shutil.which", lambda name, path: None)
    source = "import os; print(os.getresuid(), os.getresgid(), os.getgroups())\n"
    source += "print({line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapEff', 'CapPrm'))})"
    with backend.open(Job(limits=Limits(), env={"A": "B"})) as session:
        outcome = session.run(Run(argv=(PYTHON, "-I", "-S", "-c", source)))
    nobody = "(65534, 65534, 65534)"
    assert outcome.stdout.decode() == f"{nobody} {nobody} []\n{{'0000000000000000'}}\n"


FIRST_AT_ONCE = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from sandbox.backends.process import ProcessBackend
from sandbox.base import Job, Run
from schemas.limits import Limits
backend, all_here = ProcessBackend(), Barrier(4)
def run(number):
    all_here.wait()
    with backend.open(Job(limits=Limits())) as session:
        return session.run(Run(argv=("/bin/echo", str(number)))).stdout.decode().strip()
with ThreadPoolExecutor(4) as pool:
    print(*pool.map(run, range(4)))
"""


def test_several_threads_may_open_the_first_sandboxes_of_a_process_at_once():
    done = subprocess.run([sys.executable, "-c", FIRST_AT_ONCE], check=True, timeout=120, stdout=subprocess.PIPE)
    assert done.stdout == b"0 1 2 3\n"
