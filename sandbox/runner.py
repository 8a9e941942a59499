"""The host's side of the fork server: starts it in a sandbox, asks it to run children, and counts what they used.

Stands between the evaluators of all languages and any backend, which only has to start process 1 and talk to it.
Method: own.
"""

import json
import os
import py_compile
import secrets
import shutil
import struct
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol, runtime_checkable

import schemas.values
from sandbox.answers import Answer
from sandbox.backends.leftovers import state_folder
from sandbox.backends.waits import add_longest
from sandbox.base import Backend, Channel, Job, Mount, Outcome, Run, Session, State, Usage
from sandbox.closing import Closing
from sandbox.inside import fork_server, frames, guard, program_child, python_child, requests, scratch, seal, watching
from sandbox.inside.requests import Task
from sandbox.inside.seal import KEY_SIZE, Seal
from sandbox.inside.watching import WALL_STRETCH
from sandbox.interpreters import OWN_INTERPRETER, Interpreter
from sandbox.once import once_per_process
from schemas.errors import ConfigError, SandboxError

RUNNER = "/opt/runner"
"""Folder inside with the modules of the fork server."""
_START_S = 60.0
_REFUSAL_CHARS = 1000
_MOST_HEADER = 64 * 2**20
_MOST_BYTES = 2**30
"""Of what comes with one answer: all streams, the record and what was collected."""
_GRACE_S = 60.0
"""Seconds beyond the wall limit after which the fork server counts as dead."""
_LOOK_S = 0.1
_UNLIMITED_S = 1e6


class ForgedAnswerError(SandboxError):
    """Something was said in the fork server's place."""


@runtime_checkable
class ClockedChannel(Channel, Protocol):
    """A channel into a sandbox whose kernel may count something else than processor time."""

    is_clocked_outside: bool
    """Whether it does, so that only `usage` tells how much was used."""

    def await_word(self, wait_s: float) -> bool:
        """Return whether there is something to receive, after so many seconds at most.

        Raises:
            SandboxError: the program is gone.
        """
        ...

    def waits(self) -> Mapping[int, float]:
        """Return the seconds that each thread of the sandbox has waited for a processor, by its id on this host."""
        ...


@once_per_process
def _stage_runner() -> Path:
    """Return a folder with nothing but the modules that run inside, also compiled.

    Its times are fixed: wherever it is packed, the archive is the same.
    """
    folder = state_folder() / "runner"
    modules = {
        "fork_server.py": fork_server.__file__,
        "sandbox/inside/frames.py": frames.__file__,
        "sandbox/inside/guard.py": guard.__file__,
        "sandbox/inside/program_child.py": program_child.__file__,
        "sandbox/inside/python_child.py": python_child.__file__,
        "sandbox/inside/requests.py": requests.__file__,
        "sandbox/inside/scratch.py": scratch.__file__,
        "sandbox/inside/seal.py": seal.__file__,
        "sandbox/inside/watching.py": watching.__file__,
        "schemas/values.py": schemas.values.__file__,
    }
    for name, source in modules.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        tagged = target.parent / "__pycache__" / f"{target.stem}.{sys.implementation.cache_tag}.pyc"
        compiled = target.with_suffix(".pyc") if target.parent == folder else tagged
        py_compile.compile(
            str(target),
            str(compiled),
            f"{RUNNER}/{name}",
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (0, 0))
    return folder


def runner_mount() -> Mount:
    """Return the mount of the fork server's modules, which every job that starts it needs."""
    return Mount(source=_stage_runner(), target=RUNNER)


def server_run(interpreter: Interpreter = OWN_INTERPRETER) -> Run:
    """Return how a fork server is started."""
    flags = ("-S", "-s", "-P", "-B")
    return Run(argv=(interpreter.executable, *flags, f"{RUNNER}/{interpreter.server}", *interpreter.arguments))


class ForkServer(Closing):
    """A running fork server in a sandbox of its own. Threads take turns; closing interrupts whoever has the turn.

    Args:
        session: an open session of a job with `runner_mount`; closed with the server when ``owns_session``.

    Raises:
        SandboxError: Python doesn't start.
        ConfigError: a module can't be imported ahead.
    """

    def __init__(
        self, session: Session, *, interpreter: Interpreter = OWN_INTERPRETER, owns_session: bool = True
    ) -> None:
        self._session = session
        self._owns_session = owns_session
        self._channel: Channel | None = None
        self._laid: Mapping[str, tuple[int, bytes]] = {}
        self._slowdown = session.slowdown
        self._seal = Seal()
        self._turn = threading.Lock()
        try:
            self._channel = session.converse(server_run(interpreter))
            header, _ = self._receive(deadline_s=_START_S)
            if self._outer_clock() is not None and not header.get("refused"):
                key = secrets.token_bytes(KEY_SIZE)
                self._send({"key": len(key)}, (), after=key)
                self._seal = Seal(key)
        except SandboxError as error:
            end = describe_end(self.end())
            raise SandboxError(f"Python doesn't start in the sandbox: {error}{end}") from error
        if header.get("refused"):
            self.end()
            raise ConfigError(f"preload: {str(header['refused'])[:_REFUSAL_CHARS]}")
        self._usage = self._channel.usage()
        self.python_version = str(header.get("ready", ""))
        """Of the interpreter that runs the server, for instance ``3.11.7``."""

    @classmethod
    def open(cls, backend: Backend, job: Job, *, interpreter: Interpreter = OWN_INTERPRETER) -> "ForkServer":
        """Return a server in a fresh sandbox; the job gets the mounts that the server needs.

        Raises:
            SandboxError: no sandbox can be had, or the server doesn't start in it.
            ConfigError: a module can't be imported ahead.
        """
        mounts = (*interpreter.mounts, runner_mount(), *job.mounts)
        env = {**interpreter.env, "LC_ALL": "C.UTF-8", **job.env}
        return cls(backend.open(replace(job, mounts=mounts, env=env)), interpreter=interpreter)

    def lay(self, files: Mapping[str, bytes], *, executable: Sequence[str] = ()) -> None:
        """Have these files, and no others, laid into ``/work`` before every task from now on.

        Args:
            files: content by path relative to ``/work``.
            executable: paths of those that may be executed.

        Raises:
            SandboxError: the server is gone.
        """
        laid = {path: (0o755 if path in executable else 0o644, content) for path, content in files.items()}
        with self._take_turn():
            if laid == self._laid:
                return
            listed = [[path, mode] for path, (mode, _) in laid.items()]
            self._send({"lay": listed}, tuple(files.values()))
            self._receive(deadline_s=_START_S)
            self._laid = laid

    def ask(self, task: Task, stdin: bytes = b"") -> Answer:
        """Return what became of one child.

        A server that went down at the limit of memory or processes together with its child gives the answer of that
        limit and is closed; so is one whose folders can't be emptied. A child that answers in the server's place has
        ended as ``POLICY``.

        Raises:
            SandboxError: the server is gone, or doesn't answer.
        """
        with self._take_turn():
            answer = self._ask(stretch_task(task, self._slowdown), stdin)
        if not answer.clean:
            self.close()
        return replace(answer, cpu_s=answer.cpu_s / self._slowdown, wall_s=answer.wall_s / self._slowdown)

    def _ask(self, task: Task, stdin: bytes) -> Answer:
        before = self._usage
        told: State | None = None
        try:
            clock = self._outer_clock()
            if clock is None:
                self._send({"task": task}, (stdin,))
            else:
                told = self._ask_stoppable(task, stdin, clock)
            header, blobs = self._receive(deadline_s=_GRACE_S + (0 if clock else task["wall_s"] * WALL_STRETCH))
            self._usage = self._living_channel().usage()
            return Answer.parse(header, blobs).counted(before, self._usage, is_clocked_outside=clock is not None)
        except ForgedAnswerError:
            return Answer.taken_along(_limit_reached(self.end(), before) or State.POLICY)
        except SandboxError as error:
            end = self.end()
            limit = _limit_reached(end, before) or told
            if limit is not None:
                return Answer.taken_along(limit)
            raise SandboxError(f"the fork server is gone: {error}{describe_end(end)}") from error

    @contextmanager
    def _take_turn(self) -> Iterator[None]:
        """Have the server to oneself for a question and its answer; one broken off, by whatever, ends the server, since
        its answer would be taken for that of the next question."""
        with self._turn:
            try:
                yield
            except BaseException:
                self.end()
                raise

    @property
    def is_open(self) -> bool:
        """Whether the server can be asked."""
        return self._channel is not None

    def end(self) -> Outcome | None:
        """Close everything and return how the server ended; None when that was known before."""
        channel, self._channel = self._channel, None
        outcome = channel.close() if channel is not None else None
        if self._owns_session:
            self._session.close()
        return outcome

    def close(self) -> None:
        """Kill the server and its sandbox; idempotent."""
        self.end()

    def _outer_clock(self) -> ClockedChannel | None:
        """Return what tells the processor time of a child, where it isn't told inside."""
        channel = self._living_channel()
        return channel if isinstance(channel, ClockedChannel) and channel.is_clocked_outside else None

    def _ask_stoppable(self, task: Task, stdin: bytes, clock: ClockedChannel) -> State | None:
        """Send a task and return when there is an answer or will be soon: the child is stopped at its limits.

        Of the wall limit is taken off what was spent waiting for a busy processor, as the fork server does it itself.
        """
        lenient = {**task, "cpu_s": _UNLIMITED_S, "wall_s": task["wall_s"] * WALL_STRETCH}
        waits, begin = clock.waits(), time.monotonic()
        self._send({"task": lenient, "stoppable": True}, (stdin,))
        while not clock.await_word(_LOOK_S):
            elapsed_s = time.monotonic() - begin
            if clock.usage().cpu_s - self._usage.cpu_s > task["cpu_s"]:
                return self._stop(State.TLE_CPU)
            if elapsed_s > task["wall_s"] and elapsed_s - add_longest(waits, clock.waits()) > task["wall_s"]:
                return self._stop(State.TLE_WALL)
            if elapsed_s > task["wall_s"] * WALL_STRETCH:
                return State.TLE_WALL
        return None

    def _stop(self, state: State) -> State:
        self._send({"stop": state.value}, ())
        return state

    def _living_channel(self) -> Channel:
        if self._channel is None:
            raise SandboxError("the fork server is closed")
        return self._channel

    def _send(self, request: dict[str, object], blobs: Sequence[bytes], *, after: bytes = b"") -> None:
        header = json.dumps({**request, "blobs": [len(blob) for blob in blobs]}).encode("ascii")
        self._living_channel().send(struct.pack("!I", len(header)) + header + b"".join(blobs) + after)

    def _receive(self, *, deadline_s: float) -> tuple[dict[str, object], list[bytes]]:
        channel = self._living_channel()
        size = struct.unpack("!I", channel.receive_exact(4, deadline_s=deadline_s))[0]
        header, lengths = _read_header(self._receive_header(size, deadline_s))
        return header, [channel.receive_exact(length, deadline_s=deadline_s) for length in lengths]

    def _receive_header(self, size: int, deadline_s: float) -> bytes:
        """Return the header that follows its size, which is believed only if its tag is right."""
        channel, tag_size = self._living_channel(), self._seal.tag_size
        try:
            tag = channel.receive_exact(tag_size, deadline_s=deadline_s)
            header = channel.receive_exact(min(size, _MOST_HEADER), deadline_s=deadline_s)
        except SandboxError as error:
            if tag_size:
                raise ForgedAnswerError("an answer doesn't go on") from error
            raise
        if not secrets.compare_digest(tag, self._seal.make_tag(header)):
            raise ForgedAnswerError("an answer isn't the fork server's")
        return header


def _read_header(data: bytes) -> tuple[dict[str, object], list[int]]:
    """Return what precedes the blobs of an answer, and their lengths; whoever has taken over the server's process could
    send anything.

    Raises:
        SandboxError: it is none of ours.
    """
    try:
        header = json.loads(data)
        lengths = header.pop("blobs")
        if not all(type(length) is int and length >= 0 for length in lengths) or sum(lengths) > _MOST_BYTES:
            raise ValueError(f"blobs of {lengths!r:.80} bytes")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise SandboxError(f"the fork server answered nonsense: {str(error)[:200]}") from error
    return header, lengths


def _limit_reached(end: Outcome | None, before: Usage) -> State | None:
    """Return the limit at which a server went down, if it did: only its child can use so much memory, in files too,
    or, where the sandbox's own kernel is counted as well, so many processes."""
    if end is None:
        return None
    if end.state is State.MLE:
        return State.MLE
    refused = Usage(counters=end.counters).processes_exceeded - before.processes_exceeded
    return State.PLE if end.state is State.PLE and refused > 0 else None


def stretch_task(task: Task, slowdown: float) -> Task:
    """Return a task whose time limits are multiplied by the slowdown of an emulated processor."""
    if slowdown == 1.0:
        return task
    return {**task, "cpu_s": task["cpu_s"] * slowdown, "wall_s": task["wall_s"] * slowdown}


def describe_end(end: Outcome | None) -> str:
    """Return how a server ended, in words to append to a message."""
    if end is None:
        return ""
    note = end.stderr.decode("utf-8", "replace").strip()[-500:]
    return f" ({end.state.value}{f', {end.detail}' if end.detail else ''}{f': {note}' if note else ''})"
