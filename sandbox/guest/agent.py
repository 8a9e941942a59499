"""The agent inside a virtual machine: opens process sandboxes there, and serves them to the host over one stream.

One code for every kind of virtual machine; only the stream differs. Requests carry an id and are answered in any order,
so several sessions and conversations go over the stream at once. What one conversation is asked goes in turn, and
closing it interrupts what waits. Imports nothing outside the standard library and this project. Method: own.

Started as ``python -m sandbox.guest.agent STREAM``; see `sandbox.guest.streams`.
"""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path

from sandbox.backends.leftovers import remove_folder, state_folder
from sandbox.backends.process import ProcessBackend
from sandbox.base import Backend, Capability, Channel, Job, Run, Session
from sandbox.guest.clock import wake_up
from sandbox.guest.streams import Stream, open_streams
from sandbox.guest.toolchain import attach_toolchain
from sandbox.messages import Message, read_message
from sandbox.transport import decode_job, decode_record, encode_error, encode_record
from sandbox.trees import unpack_tree
from schemas.errors import SandboxError, TaskfoundryError
from schemas.limits import Limits

PROTOCOL = 1
_READ_AHEAD = 1 << 20
"""Bytes beyond those asked for that an answer carries, if the program has said them already."""
_WORKERS = 16
_TRIAL_LIMITS = Limits(cpu_s=60, wall_s=120, memory_mb=128, disk_mb=8, processes=16)
_TRIAL_CODE = 7


class Line:
    """A conversation in progress, with the thread that does what it is asked in turn."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.turns = ThreadPoolExecutor(max_workers=1)

    def close(self) -> Message:
        """Kill the program and return how it ended."""
        answer = Message({})
        answer.header["outcome"] = encode_record(self.channel.close(), answer)
        self.turns.shutdown(wait=False, cancel_futures=True)
        return answer


class Agent:
    """Serves one stream.

    Args:
        stream: to the host.
        backend: opens the sandboxes.
        wake: takes in the host's clock and randomness.
        attach: mounts the disk with a toolchain.
    """

    def __init__(
        self, stream: Stream, backend: Backend, wake: Callable[[float, bytes], None], attach: Callable[[], None]
    ) -> None:
        self._stream, self._backend, self._wake, self._attach = stream, backend, wake, attach
        self._speaking = threading.Lock()
        self._names = count(1)
        self._sessions: dict[int, Session] = {}
        self._lines: dict[int, Line] = {}
        self._workers = ThreadPoolExecutor(max_workers=_WORKERS)
        self._orders: dict[str, Callable[[Message], Message]] = {
            "hello": self._hello,
            "wake": self._take_over,
            "attach": self._take_disk,
            "open": self._open,
            "run": self._run,
            "converse": self._converse,
            "send": self._send,
            "receive": self._receive,
            "usage": self._usage,
            "hang_up": self._hang_up,
            "close": self._close,
        }

    def serve(self) -> None:
        """Answer requests until the stream ends, then close every session."""
        try:
            while (request := self.hear()) is not None:
                self._pick_worker(request).submit(self._answer, request).add_done_callback(
                    partial(self._own_up, request)
                )
        finally:
            for session in tuple(self._sessions.values()):
                session.close()
            self._workers.shutdown(wait=False, cancel_futures=True)

    def hear(self) -> Message | None:
        """Return the next request; ``None`` at the end of the stream.

        Raises:
            SandboxError: what comes is none of ours.
        """
        return read_message(self._stream.read)

    def _pick_worker(self, request: Message) -> ThreadPoolExecutor:
        """Return the thread of the conversation that is asked, or any."""
        line = self._lines.get(request.header.get("line"))  # type: ignore[call-overload]  # any key may be looked up
        in_turn = request.header.get("order") in {"send", "receive", "usage"}
        return line.turns if line is not None and in_turn else self._workers

    def _answer(self, request: Message) -> None:
        try:
            answer = self._orders[request.text("order")](request)
        except TaskfoundryError as error:
            answer = Message({"error": encode_error(error)})
        except KeyError as error:
            answer = Message({"error": encode_error(SandboxError(f"the agent knows no {error}"))})
        except OSError as error:
            answer = Message(
                {"error": encode_error(SandboxError(f"the sandbox's machine is short of something: {error}"))}
            )
        self._say(answer, request)

    def _own_up(self, request: Message, done: "Future[None]") -> None:
        """Answer a request that has met a mistake of ours, so that nobody waits for it."""
        error = None if done.cancelled() else done.exception()
        if error is not None:
            self._say(Message({"error": encode_error(SandboxError(f"the agent failed: {error!r}"))}), request)

    def _say(self, answer: Message, request: Message) -> None:
        answer.header["id"] = request.header.get("id")
        with self._speaking:
            self._stream.write(answer.encode())

    def _hello(self, _: Message) -> Message:
        answer = Message({"protocol": PROTOCOL, "python": sys.version})
        answer.header["capability"] = encode_record(try_out(self._backend), answer)
        return answer

    def _take_over(self, request: Message) -> Message:
        self._wake(request.seconds("time_s"), request.blob(0))
        return Message({})

    def _take_disk(self, _: Message) -> Message:
        self._attach()
        return Message({})

    def _open(self, request: Message) -> Message:
        name = next(self._names)
        self._sessions[name] = self._backend.open(decode_job(request.part("job"), request, _lay_mount))
        return Message({"session": name})

    def _run(self, request: Message) -> Message:
        session = self._sessions[request.number("session")]
        answer = Message({})
        outcome = session.run(decode_record(Run, request.part("run"), request))
        answer.header["outcome"] = encode_record(outcome, answer)
        return answer

    def _converse(self, request: Message) -> Message:
        session = self._sessions[request.number("session")]
        name = next(self._names)
        self._lines[name] = Line(session.converse(decode_record(Run, request.part("run"), request)))
        return Message({"line": name})

    def _send(self, request: Message) -> Message:
        self._lines[request.number("line")].channel.send(request.blob(0))
        return Message({})

    def _receive(self, request: Message) -> Message:
        channel = self._lines[request.number("line")].channel
        size = request.number("size")
        said = channel.receive_exact(size, deadline_s=request.seconds("deadline_s"))
        if (read_ahead := getattr(channel, "receive_ready", None)) is not None:
            said += read_ahead(_READ_AHEAD)
        answer = Message({}, [said])
        answer.header["usage"] = encode_record(channel.usage(), answer)
        return answer

    def _usage(self, request: Message) -> Message:
        answer = Message({})
        answer.header["usage"] = encode_record(self._lines[request.number("line")].channel.usage(), answer)
        return answer

    def _hang_up(self, request: Message) -> Message:
        return self._lines.pop(request.number("line")).close()

    def _close(self, request: Message) -> Message:
        self._sessions.pop(request.number("session")).close()
        return Message({})


def _lay_mount(digest: str, data: bytes) -> Path:
    """Return where an archive lies unpacked; one that was seen before isn't unpacked again."""
    folder = state_folder() / "mounts" / digest
    folder.parent.mkdir(mode=0o755, exist_ok=True)
    state_folder().chmod(0o711)
    if not folder.exists():
        part = folder.with_suffix(f".{threading.get_ident()}")
        part.mkdir(mode=0o755)
        unpack_tree(data, part)
        try:
            part.rename(folder)
        except OSError:
            remove_folder(part)
    return folder / "tree"


def main(spec: str) -> None:
    """Serve every host that comes over the stream of that name."""
    backend = ProcessBackend()
    wake, attach = (_keep_clock, _refuse_disk) if spec == "stdio" else (wake_up, attach_toolchain)
    for stream in open_streams(spec):
        Agent(stream, backend, wake, attach).serve()


def _keep_clock(time_s: float, randomness: bytes) -> None:
    """Do nothing: who is reached over standard input isn't a guest, and the clock isn't ours to set."""


def _refuse_disk() -> None:
    """Refuse to mount anything on what isn't a guest.

    Raises:
        SandboxError: always.
    """
    raise SandboxError("this machine is no guest and gets no disk")


def try_out(backend: Backend) -> Capability:
    """Return what the process sandbox can do here, after running a shell in it.

    The sandbox's own probe is meant for a machine that isn't emulated: its deadlines are too tight for a guest.
    """
    try:
        with backend.open(Job(limits=_TRIAL_LIMITS)) as session:
            outcome = session.run(Run(argv=("/bin/sh", "-c", f"exit {_TRIAL_CODE}")))
    except SandboxError as error:
        return Capability(backend=backend.name, available=False, reason=str(error))
    works = outcome.exit_code == _TRIAL_CODE
    words = outcome.stderr.decode(errors="replace").strip() or outcome.detail
    return Capability(
        backend=backend.name,
        available=works,
        reason="" if works else f"a trial program ended as {outcome.state.value}: {words}",
        limits_enforced=outcome.limits_enforced,
    )


if __name__ == "__main__":
    main(sys.argv[1])
