"""One open sandbox of the ``process`` backend: starts programs in it, follows them, and cleans up.

Every run is a fresh set of namespaces with a fresh ``/work`` and ``/tmp``; the session holds what they share, the laid
out files and the prepared plan. Method: own.
"""

import threading
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from sandbox.backends.channel import ProcessChannel
from sandbox.backends.identity import Identity
from sandbox.backends.launch import Plan, launch
from sandbox.backends.leftovers import remove_folder
from sandbox.backends.reader import CappedStream, Ending, Follower
from sandbox.backends.started import Started
from sandbox.backends.verdicts import Evidence, decide_state, read_signal
from sandbox.base import Outcome, Run, State
from sandbox.closing import Closing
from sandbox.once import Owner
from schemas.errors import SandboxError

_MIB = 1024 * 1024
_PIPE_READS = 64
"""More reads than a pipe can hold."""
_DISK_WORDS = b"No space left on device"


class ProcessSession(Closing):
    """See `sandbox.base.Session`. Runs may go on in several threads at once.

    Args:
        stage: folder of the job's files, removed at the end.
    """

    slowdown = 1.0

    def __init__(self, plan: Plan, identity: Identity, *, stage: Path | None) -> None:
        self._plan, self._identity, self._stage = plan, identity, stage
        self._owner = Owner()
        self._lock = threading.Lock()
        self._is_closed = False
        self._running: dict[int, Started] = {}
        self._channels: list[ProcessChannel] = []

    def run(self, run: Run) -> Outcome:
        """Return how a program ended. Never raises for what the program does.

        Standard input over the limit isn't given to the program: the state is ``POLICY``.

        Raises:
            SandboxError: the session is closed, or the sandbox can't be started or doesn't die.
        """
        limits = self._plan.limits
        if len(run.stdin) > limits.stdin_mb * _MIB:
            return self._refuse(
                f"standard input of {len(run.stdin):,} bytes is over the limit of {limits.stdin_mb:g} MiB"
            )
        started = self._start(run, conversing=False)
        try:
            stdout, stderr = self._cap(started.stdout), self._cap(started.stderr)
            ending = Follower(started, stdout, stderr).follow()
            return self._conclude(started, ending, (stdout, stderr))
        finally:
            self._finish(started)

    def converse(self, run: Run) -> ProcessChannel:
        """Return a channel to a started program, which is process 1 inside; see `sandbox.base.Session.converse`."""
        started = self._start(run, conversing=True)
        stderr = self._cap(started.stderr)
        channel = ProcessChannel(started, stderr, partial(self._hang_up, started, stderr, time.monotonic()))
        with self._lock:
            self._channels.append(channel)
        return channel

    def close(self) -> None:
        """Kill everything inside and remove every trace; idempotent. A forked child only lets go.

        Raises:
            SandboxError: something inside doesn't die.
        """
        if not self._owner.is_here:
            return
        with self._lock:
            self._is_closed = True
            channels, self._channels = self._channels, []
        with ExitStack() as closing:
            if self._stage is not None:
                closing.callback(remove_folder, self._stage)
            closing.callback(self._abandon_all)
            for channel in channels:
                closing.callback(channel.close)

    def _abandon_all(self) -> None:
        with self._lock:
            running = tuple(self._running.values())
        for started in running:
            started.abandon()

    def _start(self, run: Run, *, conversing: bool) -> Started:
        """Return a started sandbox, registered so that closing the session kills it."""
        self._owner.check("the session")
        started = launch(self._plan, run, conversing=conversing)
        with self._lock:
            is_refused = self._is_closed
            self._running[id(started)] = started
        if is_refused:
            self._finish(started)
            raise SandboxError("the session is closed")
        return started

    def _finish(self, started: Started) -> None:
        with self._lock:
            self._running.pop(id(started), None)
        started.finish()

    def _cap(self, descriptor: int) -> CappedStream:
        return CappedStream(descriptor, int(self._plan.limits.stdout_mb * _MIB))

    def _hang_up(self, started: Started, stderr: CappedStream, begin: float, forced: State | None) -> Outcome:
        """Return how a conversation ended; what is left of it has been killed."""
        try:
            started.await_death()
            started.read_reports()
            disk_full = started.is_disk_full()
            for _ in range(_PIPE_READS):
                if not stderr.pull():
                    break
            ending = Ending(
                forced=forced,
                usage=started.meter.read(),
                wall_s=time.monotonic() - begin,
                disk_full=disk_full,
            )
            return self._conclude(started, ending, (stderr,))
        finally:
            self._finish(started)

    def _conclude(self, started: Started, ending: Ending, streams: tuple[CappedStream, ...]) -> Outcome:
        """Return the outcome of a run.

        Args:
            streams: standard output, if it was kept, and standard error.
        """
        *stdout, stderr = (stream.content() for stream in streams)
        evidence = Evidence(
            forced=ending.forced,
            exit_code=started.exit_code,
            usage=ending.usage,
            output_overflowed=any(stream.overflowed for stream in streams),
            disk_full=ending.disk_full,
            complains_of_disk=_DISK_WORDS in stderr,
        )
        state = decide_state(evidence, self._plan.limits)
        last_words = started.failure or stderr[-500:].decode(errors="replace")
        ended_by = read_signal(evidence.exit_code)
        return Outcome(
            state=state,
            exit_code=None if ended_by else evidence.exit_code,
            signal=ended_by,
            stdout=stdout[0] if stdout else b"",
            stderr=stderr,
            truncated=evidence.output_overflowed,
            cpu_s=ending.usage.cpu_s,
            wall_s=ending.wall_s,
            peak_memory_mb=ending.usage.peak_memory_mb,
            counters=ending.usage.counters,
            backend=self._identity.backend,
            isolation=self._identity.isolation,
            limits_enforced=self._identity.limits_enforced,
            detail=f"the sandbox ended without a report: {last_words}" if state is State.INFRA else "",
        )

    def _refuse(self, detail: str) -> Outcome:
        """Return the outcome of a run that was never started."""
        return Outcome(
            state=State.POLICY,
            backend=self._identity.backend,
            isolation=self._identity.isolation,
            limits_enforced=self._identity.limits_enforced,
            detail=detail,
        )
