import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from sandbox.answers import Answer, classify_end
from sandbox.backends import select_backend
from sandbox.backends.forked import ForkedSession, with_runner
from sandbox.backends.identity import Identity
from sandbox.base import Job, Run, State, Usage
from sandbox.inside.requests import collecting, program_task, python_task
from sandbox.runner import ForkServer, _read_header
from schemas.errors import SandboxError
from schemas.limits import Limits

LIMITS = Limits(cpu_s=1, wall_s=60, processes=30, stdout_mb=1, stdin_mb=0.1, disk_mb=8)
FILES = {"folder/file.txt": b"hello"}


class SessionOverProcesses(ForkedSession):
    """The smallest level that there is: the process backend starts process 1."""

    def __init__(self, job):
        super().__init__(job, Identity(backend="forked", isolation="process", limits_enforced=()))
        self.inner = select_backend("process").open(job)

    def converse(self, run):
        return self.inner.converse(run)

    def close(self):
        super().close()
        self.inner.close()


@pytest.fixture(scope="module")
def session():
    with SessionOverProcesses(with_runner(Job(limits=LIMITS, files=FILES, env={"COLOUR": "red"}))) as opened:
        yield opened


def shell(session, script, stdin=b""):
    return session.run(Run(argv=("sh", "-c", script), stdin=stdin))


def test_a_program_gets_its_files_its_input_and_its_environment(session):
    outcome = shell(session, "cat folder/file.txt - && echo $COLOUR $HOME && echo oops >&2 && exit 3", b" you\n")
    assert (outcome.state, outcome.exit_code) == (State.RE, 3)
    assert (outcome.stdout, outcome.stderr) == (b"hello you\nred /work\n", b"oops\n")
    assert (outcome.backend, outcome.isolation) == ("forked", "process")


def test_what_one_run_leaves_is_gone_in_the_next(session):
    shell(session, "echo changed > folder/file.txt; touch new /tmp/new /dev/shm/new; sleep 100 &")
    outcome = shell(session, "cat folder/file.txt; ls . /tmp /dev/shm; set -- /proc/[0-9]*; echo $#")
    assert outcome.stdout == b"hello.:\nfolder\n\n/dev/shm:\n\n/tmp:\n2\n"


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("while :; do :; done", State.TLE_CPU),
        ("yes", State.OLE),
        ("yes >&2", State.OLE),
        ("head -c 100000000 /dev/zero > big", State.DLE),
        ("kill -9 $$", State.RE),
        ("no-such-program", State.RE),
    ],
)
def test_limits_and_failures_have_their_states(session, script, state):
    assert shell(session, script).state is state


def test_input_over_the_limit_is_refused_and_a_closed_session_says_so(session):
    assert session.run(Run(argv=("cat",), stdin=b"x" * 200_000)).state is State.POLICY
    with SessionOverProcesses(with_runner(Job(limits=LIMITS))) as other:
        pass
    with pytest.raises(SandboxError, match="closed"):
        shell(other, "true")


def test_threads_take_turns_and_each_gets_its_own_answer(session):
    with ThreadPoolExecutor(8) as threads:
        said = threads.map(lambda n: shell(session, f"read line; echo {n} $line", b"x%d\n" % n).stdout, range(40))
        assert list(said) == [b"%d x%d\n" % (n, n) for n in range(40)]


def test_closing_a_session_in_use_ends_it_without_a_verdict_and_it_stays_closed():
    session = SessionOverProcesses(with_runner(Job(limits=replace(LIMITS, wall_s=300))))
    with session, ThreadPoolExecutor(1) as thread:
        assert shell(session, "true").state is State.OK
        running = thread.submit(shell, session, "sleep 200")
        while not session._turn.locked():
            time.sleep(0.01)
        session.close()
        assert isinstance(running.exception(60), SandboxError)
        with pytest.raises(SandboxError, match="closed"):
            shell(session, "true")


def test_a_question_that_was_broken_off_ends_the_server_so_that_no_answer_is_taken_for_another():
    class Interrupted(BaseException):
        pass

    with ForkServer.open(select_backend("process"), Job(limits=LIMITS)) as server:
        receive = server._receive

        def break_off(**_):
            raise Interrupted

        server._receive = break_off
        with pytest.raises(Interrupted):
            server.ask(out_of("echo one"))
        server._receive = receive
        assert not server.is_open
        with pytest.raises(SandboxError, match="closed"):
            server.ask(out_of("echo two"))


@pytest.mark.parametrize(
    "header",
    [b"x", b"[]", b"7", b"{}", b'{"blobs": 7}', b'{"blobs": ["1"]}', b'{"blobs": [-1]}', b'{"blobs": [1e3]}', b"[" * 9999,
     b'{"blobs": [1073741825]}', b'{"blobs": [true]}', b"\xff"],
)  # fmt: skip
def test_an_answer_that_is_none_of_the_server_s_is_no_verdict(header):
    with pytest.raises(SandboxError, match="nonsense"):
        _read_header(header)


def test_files_are_collected_without_following_links():
    with ForkServer.open(select_backend("process"), Job(limits=LIMITS)) as server:
        task = out_of("mkdir -p out/deep && echo a > out/deep/a && ln -s /etc/passwd out/link")
        assert server.ask(task).collected == ()
        task = out_of("mkdir -p out/deep && echo a > out/deep/a && echo b > out/b")
        assert server.ask(task).collected == (("out/b", b"b\n"), ("out/deep/a", b"a\n"))


REFUSED = {
    "link to the host's root": "os.symlink('/', 'out')",
    "link to process 1": "os.symlink('/proc/1', 'out')",
    "link to a file": "os.mkdir('out'); os.symlink('/etc/passwd', 'out/link')",
    "link to itself": "os.symlink('out', 'out')",
    "pipe": "os.mkdir('out'); os.mkfifo('out/pipe')",
    "socket": "import socket; os.mkdir('out'); socket.socket(socket.AF_UNIX).bind('out/socket')",
    "hollow file": "os.mkdir('out'); os.truncate(os.open('out/holes', os.O_CREAT | os.O_WRONLY), 1 << 40)",
    "closed folder": "os.makedirs('out/closed'); os.chmod('out/closed', 0)",
    "too many": "os.mkdir('out'); [os.mkdir(f'out/{number}') for number in range(10_001)]",
    "names too long": "os.mkdir('out'); [os.mkdir('out/' + 'x' * 200 + str(number)) for number in range(5)]; "
    "[open('out/' + 'y' * 200 + str(number), 'w').close() for number in range(5)]",
    "too deep": "os.mkdir('out'); os.chdir('out'); [(os.mkdir('d'), os.chdir('d')) for _ in range(3000)]",
    "swapped meanwhile": "os.mkdir('out')\nif os.fork() == 0:\n    os.setsid()\n    while True:\n"
    "        os.symlink('/etc/passwd', 'new'); os.rename('new', 'out/a')\n"
    "import time\nwhile not os.path.islink('out/a'): time.sleep(0.01)",
}
"""What a program leaves, of which nothing may be taken."""


@pytest.fixture(scope="module")
def roomy():
    with ForkServer.open(select_backend("process"), Job(limits=Limits(cpu_s=5, disk_mb=64))) as opened:
        yield opened


@pytest.mark.parametrize("left", REFUSED)
def test_nothing_is_collected_but_files_with_ordinary_names(roomy, left):
    task = python_task("stdin", source=f"import os\n{REFUSED[left]}", cpu_s=5, wall_s=30, output_bytes=1000)
    answer = roomy.ask(collecting(task, ("out",), 1000))
    assert (answer.status, answer.collected, answer.clean) == (0, (), True), answer.stderr


def test_files_in_deep_folders_are_collected(roomy):
    source = "import os\nfor _ in range(1100): os.mkdir('d'); os.chdir('d')\nopen('a\\nb', 'w').write('x')"
    task = python_task("stdin", source=source, cpu_s=5, wall_s=30, output_bytes=1000)
    answer = roomy.ask(collecting(task, ("d",), 10_000))
    assert answer.collected == (("d/" * 1100 + "a\nb", b"x"),)


def out_of(script):
    task = program_task(("/bin/sh", "-c", script), {"PATH": "/usr/bin:/bin"}, cpu_s=1, wall_s=60, output_bytes=1000)
    return collecting(task, ("out",), 1000)


def test_the_trusted_side_can_end_a_child_with_a_verdict_and_is_not_heard_too_late():
    task = program_task(("/bin/sh", "-c", "echo up; exec sleep 600"), {}, cpu_s=60, wall_s=600, output_bytes=1000)
    with ForkServer.open(select_backend("process"), Job(limits=LIMITS)) as server:
        server._send({"task": task, "stoppable": True}, (b"",))
        server._send({"stop": "TLE_CPU"}, ())
        stopped, _ = server._receive(deadline_s=30)
        server._send({"task": {**task, "argv": ["/bin/true"]}, "stoppable": True}, (b"",))
        ended, _ = server._receive(deadline_s=30)
        server._send({"stop": "TLE_CPU"}, ())
        following = server.ask({**task, "argv": ["/bin/true"]})
    assert (stopped["verdict"], ended["verdict"], following.verdict) == ("TLE_CPU", "", "")
    assert (ended["status"], following.status) == (0, 0)


def test_time_counted_outside_takes_the_place_of_that_counted_inside():
    answer = replace(Answer.taken_along(State.MLE), cpu_s=9.0, own_cpu_s=0.5)
    before, after = Usage(cpu_s=1.0), Usage(cpu_s=3.0)
    assert answer.counted(before, after).cpu_s == 9.0
    assert answer.counted(before, after, is_clocked_outside=True).cpu_s == 2.0


def test_a_program_that_had_as_many_processes_as_allowed_met_that_limit_before_the_one_of_time():
    stopped = replace(Answer.taken_along(State.TLE_CPU), memory_exceeded=False, processes_exceeded=False)
    assert classify_end(stopped.counted(Usage(), Usage()), LIMITS, 1).state is State.TLE_CPU
    crowded = replace(stopped, crowded=True)
    assert classify_end(crowded.counted(Usage(), Usage()), LIMITS, 1).state is State.PLE
