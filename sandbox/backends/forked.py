"""Sessions whose runs share one sandbox: a fork server is process 1 there and executes one program after the other.

Base of the levels on which a fresh sandbox for every run would cost a second: containers, gVisor, virtual machines.
Between two runs everything is killed and every writable folder emptied. A subclass only starts process 1. Method: own.
"""

import os
import threading
from dataclasses import replace

from sandbox.answers import Answer, classify_end
from sandbox.backends.identity import Identity
from sandbox.backends.rootfs import DEFAULT_ENV
from sandbox.base import Channel, Job, Outcome, Run, State
from sandbox.closing import Closing
from sandbox.inside.requests import program_task
from sandbox.runner import ForkServer, runner_mount
from schemas.errors import SandboxError

_MIB = 1024 * 1024


def with_runner(job: Job) -> Job:
    """Return the job with the mount that its fork server needs, once."""
    mount = runner_mount()
    return job if mount in job.mounts else replace(job, mounts=(*job.mounts, mount))


class ForkedSession(Closing):
    """Base of `sandbox.base.Session`.

    Args:
        job: what the session was opened for, with the fork server's mount (`with_runner`).
    """

    def __init__(self, job: Job, identity: Identity) -> None:
        self._job, self._identity = job, identity
        self._server: ForkServer | None = None
        self._turn = threading.Lock()
        self._is_over = False

    @property
    def slowdown(self) -> float:
        """What time limits must be multiplied by."""
        return self._identity.slowdown

    def converse(self, run: Run) -> Channel:
        """Return a channel to a started program; see `sandbox.base.Session.converse`."""
        raise NotImplementedError

    def run(self, run: Run) -> Outcome:
        """Return how a program ended. Never raises for what the program does; runs wait for each other.

        Raises:
            SandboxError: the sandbox can't be started, or is gone.
        """
        limits = self._job.limits
        if len(run.stdin) > limits.stdin_mb * _MIB:
            detail = f"standard input of {len(run.stdin):,} bytes is over the limit of {limits.stdin_mb:g} MiB"
            return self._describe(State.POLICY, detail)
        if not run.argv or "=" in run.argv[0]:
            raise SandboxError(f"argv {run.argv!r} doesn't start with a program name")
        task = program_task(
            run.argv,
            {**DEFAULT_ENV, **self._job.env, **run.env},
            cpu_s=limits.cpu_s,
            wall_s=limits.wall_s,
            output_bytes=int(limits.stdout_mb * _MIB),
        )
        with self._turn:
            answer = self._start().ask(task, run.stdin)
        return self._conclude(answer)

    def close(self) -> None:
        """Kill everything inside and remove every trace; idempotent."""
        self._is_over = True
        if self._server is not None:
            self._server.close()

    def _start(self) -> ForkServer:
        self._refuse_closed()
        if self._server is None or not self._server.is_open:
            self._server = ForkServer(self, owns_session=False)
            self._refuse_closed()  # whoever closed the session meanwhile didn't see the server
            self._server.lay(self._job.files)
        return self._server

    def _refuse_closed(self) -> None:
        if self._is_over:
            self.close()
            raise SandboxError("the session is closed")

    def _conclude(self, answer: Answer) -> Outcome:
        end = classify_end(answer, self._job.limits, self._job.limits.cpu_s)
        code = os.waitstatus_to_exitcode(answer.status) if answer.status >= 0 else None
        outcome = self._describe(end.state, "" if end.state in {State.OK, State.RE} else end.detail)
        return replace(
            outcome,
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            stdout=answer.stdout,
            stderr=answer.stderr,
            truncated=end.state is State.OLE,
            cpu_s=answer.cpu_s,
            wall_s=answer.wall_s,
            peak_memory_mb=answer.peak_kib / 1024,
        )

    def _describe(self, state: State, detail: str) -> Outcome:
        return Outcome(
            state=state,
            backend=self._identity.backend,
            isolation=self._identity.isolation,
            limits_enforced=self._identity.limits_enforced,
            slowdown=self._identity.slowdown,
            detail=detail,
        )
