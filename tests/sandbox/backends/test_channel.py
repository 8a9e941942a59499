"""Conversations with a program in the sandbox."""

import threading
import time

import pytest

from sandbox.backends.rootfs import PYTHON
from sandbox.base import Job, Run, State
from schemas.errors import SandboxError
from schemas.limits import Limits

LOOP = """
import os, sys
for line in sys.stdin:
    exec(line)
    sys.stdout.flush()
"""


@pytest.fixture
def talk(backend):
    with backend.open(Job(limits=Limits(wall_s=60, memory_mb=200, processes=30, disk_mb=8, stdout_mb=1))) as session:
        yield session.converse(Run(argv=(PYTHON, "-I", "-S", "-u", "-c", LOOP)))


def ask(channel, line: str, size: int) -> bytes:
    channel.send(line.encode() + b"\n")
    return channel.receive_exact(size, deadline_s=60)


def test_what_is_said_is_answered_again_and_again(talk):
    assert [ask(talk, f"print({number} * 2)", 3) for number in (10, 20, 30)] == [b"20\n", b"40\n", b"60\n"]


def test_the_program_is_process_one_and_can_not_be_killed_from_inside(talk):
    assert ask(talk, "print(os.getpid())", 2) == b"1\n"
    assert ask(talk, "os.kill(1, 9); print('alive')", 6) == b"alive\n"


def test_a_large_message_passes_both_ways(talk):
    size = 700_000
    talk.send(f"data = '{'x' * size}'\n".encode())
    assert ask(talk, "print(data, end='')", size) == b"x" * size


def test_an_answer_that_does_not_come_in_time_is_an_error_and_the_conversation_goes_on(talk):
    talk.send(b"print('la")
    with pytest.raises(SandboxError, match=r"said nothing more within 0\.05 s"):
        talk.receive_exact(5, deadline_s=0.05)
    assert ask(talk, "te')", 5) == b"late\n"


def test_a_program_that_is_gone_is_an_error_with_its_last_words(talk):
    talk.send(b"sys.exit('that was all')\n")
    with pytest.raises(SandboxError, match="is gone: that was all"):
        talk.receive_exact(1, deadline_s=60)
    outcome = talk.close()
    assert (outcome.state, outcome.exit_code, outcome.stderr) == (State.RE, 1, b"that was all\n")


def test_a_program_that_does_not_listen_is_an_error_after_the_wall_limit(backend):
    with backend.open(Job(limits=Limits(wall_s=0.3))) as session:
        channel = session.converse(Run(argv=("/bin/sleep", "200")))
        with pytest.raises(SandboxError, match=r"doesn't read its input within 0\.3 s"):
            channel.send(b"x" * 1_000_000)


def test_a_program_that_talks_instead_of_listening_does_not_fill_our_memory(talk):
    talk.send(b"while True: print('x' * 100000)\n")
    with pytest.raises(SandboxError, match="said over 1 MiB unasked"):
        talk.send(b"y" * 50_000_000)


def test_a_flood_on_standard_error_neither_blocks_nor_stays(talk):
    assert ask(talk, "sys.stderr.write('e' * 3_000_000); sys.stderr.flush(); print('on')", 3) == b"on\n"
    outcome = talk.close()
    assert (outcome.state, len(outcome.stderr)) == (State.OLE, 1 << 20)


def test_closing_tells_of_a_living_program_as_fine_and_twice_the_same(talk):
    ask(talk, "print(1)", 2)
    first = talk.close()
    assert first.state is State.OK
    assert talk.close() is first
    with pytest.raises(SandboxError, match="closed"):
        talk.send(b"x")
    assert talk.usage().cpu_s == first.cpu_s


def test_usage_grows_and_counts_kills_for_memory(full_backend, talk):
    before = talk.usage()
    fork = "pid = os.fork()\nif not pid: held = b'x' * (400 << 20)\nprint(os.waitpid(pid, 0)[1])"
    assert ask(talk, f"exec({fork!r})", 2) == b"9\n"
    after = talk.usage()
    assert (before.counters["oom_kill"], after.counters["oom_kill"]) == (0, 1)
    assert after.memory_exceeded
    assert after.cpu_s > before.cpu_s
    assert after.peak_memory_mb > before.peak_memory_mb
    assert ask(talk, "print('alive')", 6) == b"alive\n"


def test_usage_counts_refused_processes(full_backend, talk):
    bomb = "import threading\ntry:\n  for _ in range(99): threading.Thread(target=__import__('time').sleep, args=(1,)).start()\nexcept RuntimeError: print('no')"
    assert ask(talk, f"exec({bomb!r})", 3) == b"no\n"
    assert talk.usage().processes_exceeded >= 1


def test_usage_tells_of_a_full_disk(talk):
    assert talk.usage().counters["disk_full"] == 0
    fill = "try:\n  with open('/work/f', 'wb') as f: f.write(b'x' * (9 << 20))\nexcept OSError: print('full')"
    assert ask(talk, f"exec({fill!r})", 5) == b"full\n"
    assert talk.usage().counters["disk_full"] == 1
    assert ask(talk, "os.remove('/work/f'); print('ok')", 3) == b"ok\n"
    assert talk.usage().counters["disk_full"] == 0


def test_closing_interrupts_a_thread_that_waits_for_an_answer(talk):
    failures = []

    def wait() -> None:
        with pytest.raises(SandboxError) as caught:
            talk.receive_exact(1, deadline_s=200)
        failures.append(caught.value)

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.1)
    talk.close()
    waiting.join(timeout=100)
    assert len(failures) == 1


def test_closing_the_session_closes_its_conversations(backend):
    session = backend.open(Job(limits=Limits()))
    channels = [session.converse(Run(argv=("/bin/cat",))) for _ in range(3)]
    session.close()
    assert [channel.close().state for channel in channels] == [State.OK] * 3
