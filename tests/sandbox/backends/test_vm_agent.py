"""The agent of a guest, as a process of this machine: every order over a real stream, and a hostile other end."""

import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sandbox.backends.identity import Identity
from sandbox.backends.rootfs import PYTHON
from sandbox.backends.vm.link import Link
from sandbox.backends.vm.session import GuestSession
from sandbox.base import ALL_LIMITS, Job, Mount, Run, State
from sandbox.messages import Message
from schemas.errors import SandboxError
from schemas.limits import Limits

_LIMITS = Limits(cpu_s=5, wall_s=60, memory_mb=256, disk_mb=16, processes=32)
_IDENTITY = Identity(backend="guest", isolation="vm", limits_enforced=ALL_LIMITS)


@dataclass
class Guest:
    """An agent and the link to it."""

    link: Link
    process: "subprocess.Popen[bytes]"

    def open(self, job: Job, *, slowdown: float = 1.0) -> GuestSession:
        return GuestSession(self.link, job, _IDENTITY, self.process.kill, slowdown=slowdown)


@pytest.fixture
def guest() -> Iterator[Guest]:
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "sandbox.guest.agent", "stdio"],
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[3])},
        )
    link = Link(ours)
    yield Guest(link, process)
    link.close()
    process.kill()
    process.wait()


def test_the_agent_says_what_its_sandbox_enforces(guest: Guest) -> None:
    answer = guest.link.ask("hello", deadline_s=60)
    assert answer.header["protocol"] == 1
    assert answer.part("capability")["available"] is True


def test_a_run_ends_as_the_machine_s(guest: Guest) -> None:
    with guest.open(Job(limits=_LIMITS, files={"in": b"42"})) as session:
        outcome = session.run(Run(argv=("/bin/cat", "in", "-"), stdin=b"!"))
    assert (outcome.state, outcome.stdout) == (State.OK, b"42!")
    assert (outcome.backend, outcome.isolation, outcome.slowdown) == ("guest", "vm", 1.0)


def test_times_are_stretched_and_told_in_the_units_of_the_limits(guest: Guest) -> None:
    spin = "import time\nwhile time.process_time() < 1.5: pass"
    job = Job(limits=Limits(cpu_s=1, wall_s=60, memory_mb=256))
    with guest.open(job, slowdown=4) as session:
        outcome = session.run(Run(argv=(PYTHON, "-c", spin)))
    assert outcome.state is State.OK
    assert outcome.slowdown == 4
    assert 0.3 < outcome.cpu_s < 1


def test_a_mount_is_there_inside(guest: Guest, tmp_path: Path) -> None:
    (tmp_path / "note").write_text("hello")
    with guest.open(Job(limits=_LIMITS, mounts=(Mount(source=tmp_path, target="/opt/notes"),))) as session:
        assert session.run(Run(argv=("/bin/cat", "/opt/notes/note"))).stdout == b"hello"


def test_a_conversation_goes_back_and_forth_and_counts(guest: Guest) -> None:
    echo = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line * 2); sys.stdout.flush()"
    with guest.open(Job(limits=_LIMITS)) as session:
        channel = session.converse(Run(argv=(PYTHON, "-c", echo)))
        channel.send(b"one\n")
        assert channel.receive_exact(4, deadline_s=60) == b"one\n"
        assert channel.receive_exact(4, deadline_s=60) == b"one\n"
        assert channel.usage().cpu_s > 0
        assert channel.usage().peak_memory_mb > 0
        outcome = channel.close()
    assert (outcome.state, outcome.backend) == (State.OK, "guest")
    assert channel.close() is outcome


def test_two_conversations_of_one_session_do_not_meet(guest: Guest) -> None:
    with guest.open(Job(limits=_LIMITS)) as session:
        first, second = (session.converse(Run(argv=("/bin/cat",))) for _ in range(2))
        first.send(b"first")
        second.send(b"other")
        assert second.receive_exact(5, deadline_s=60) == b"other"
        assert first.receive_exact(5, deadline_s=60) == b"first"


def test_closing_interrupts_whoever_waits(guest: Guest) -> None:
    with guest.open(Job(limits=_LIMITS)) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        threading.Timer(0.3, channel.close).start()
        with pytest.raises(SandboxError, match=r"closed|gone"):
            channel.receive_exact(1, deadline_s=600)


def test_a_program_that_says_nothing_is_told_of_at_its_deadline(guest: Guest) -> None:
    with guest.open(Job(limits=_LIMITS)) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        with pytest.raises(SandboxError, match="nothing more within"):
            channel.receive_exact(1, deadline_s=0.2)
        channel.send(b"x")
        assert channel.receive_exact(1, deadline_s=60) == b"x"


def test_an_agent_that_dies_ends_a_run_at_once(guest: Guest) -> None:
    with guest.open(Job(limits=replace(_LIMITS, wall_s=300))) as session:
        threading.Timer(0.5, guest.process.kill).start()
        with pytest.raises(SandboxError, match=r"has ended|is gone"):
            session.run(Run(argv=("/bin/sleep", "15")))


def test_a_conversation_of_a_dead_machine_ends_as_infra(guest: Guest) -> None:
    with guest.open(Job(limits=_LIMITS)) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        guest.process.kill()
        assert channel.close().state is State.INFRA


def test_what_the_agent_refuses_is_an_error_here(guest: Guest) -> None:
    with pytest.raises(SandboxError, match="can't be the name of a file"):
        guest.open(Job(limits=_LIMITS, files={"../x": b""}))
    with pytest.raises(SandboxError, match="knows no 'dance'"):
        guest.link.ask("dance", deadline_s=60)
    with pytest.raises(SandboxError, match="is no guest and gets no disk"):
        guest.link.ask("attach", deadline_s=60)
    with pytest.raises(SandboxError, match="knows no 99"):
        guest.link.ask("close", session=99, deadline_s=60)


def _answer(header: bytes) -> bytes:
    return struct.pack("!I", len(header)) + header


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"\xff\xff\xff\xff", "isn't one of ours"),
        (_answer(b"{]"), "no JSON"),
        (_answer(b'{"id": 1, "blobs": [999999999999]}'), "over the limit"),
        (_answer(b'{"id": 1, "blobs": []}'), "capability of a message is NoneType"),
        (_answer(b'{"id": 1, "error": 5, "blobs": []}'), "error of a message is int"),
        (_answer(b'{"id": [], "blobs": []}') + _answer(b'{"id": 7, "blobs": []}'), "didn't answer within"),
        (b"", "didn't answer within"),
    ],
)
def test_a_hostile_guest_gets_an_error_and_nothing_more(said: bytes, words: str) -> None:
    ours, theirs = socket.socketpair()
    link = Link(ours)
    with theirs:
        answer = link.post(Message({"order": "hello"}))
        theirs.sendall(said)
        with pytest.raises(SandboxError, match=words):
            link.wait(answer, deadline_s=0.5 if "within" in words else 60).part("capability")
    link.close()


@pytest.mark.parametrize("use", [lambda link: link.ask("x", deadline_s=1), lambda link: link.post(Message({}))])
def test_a_closed_link_refuses(use: Callable[[Link], object]) -> None:
    ours, theirs = socket.socketpair()
    link = Link(ours)
    link.close()
    link.close()
    theirs.close()
    with pytest.raises(SandboxError, match=r"closed|gone"):
        use(link)
