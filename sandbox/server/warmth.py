"""Warm sandboxes for strangers: started ahead only for our own fork server, which waits idle until it is asked.

What a pool starts ahead also runs when nobody asks for it any more, so a stranger's program mustn't be among it: nor
one that sits in the place of ours, or is imported by it. Method: own.
"""

import threading
from functools import cached_property
from pathlib import Path

from sandbox.base import Channel, Job, Outcome, Run, Session
from sandbox.closing import Closing
from sandbox.pool import WarmBackend
from sandbox.runner import runner_mount, server_run
from sandbox.trees import digest_of, pack_tree
from schemas.errors import SandboxError

_HARMLESS = frozenset({"LANG", "LC_ALL", "PYTHONHASHSEED", "TZ"})
"""Variables that change nothing of what is run."""


class SparingPool:
    """A pool of warm sandboxes as remote clients may use it."""

    def __init__(self, pool: WarmBackend) -> None:
        self.pool = pool

    @cached_property
    def runner(self) -> tuple[str, Path]:
        """Key and place of the fork server's modules: a client of this version needs to send none."""
        source = runner_mount().source
        return f"tree-{digest_of(pack_tree(source))}", source

    def open(self, job: Job) -> "SparingSession":
        """Return a session that starts nothing before something is run in it."""
        return SparingSession(self, job)

    def may_start_ahead(self, job: Job, run: Run) -> bool:
        """Return whether a program is our fork server and nothing else."""
        is_plain = not job.files and not run.env and job.env.keys() <= _HARMLESS
        return is_plain and job.mounts == (runner_mount(),) and run.argv == server_run().argv


class SparingSession(Closing):
    """See `sandbox.base.Session`."""

    def __init__(self, owner: SparingPool, job: Job) -> None:
        self._owner, self._job = owner, job
        self._lock = threading.Lock()
        self._warm = owner.pool.open(job)
        self._cold: Session | None = None
        self._is_closed = False

    @property
    def slowdown(self) -> float:
        """What time limits must be multiplied by."""
        return self._warm.slowdown

    def run(self, run: Run) -> Outcome:
        """Return how a program ended; see `sandbox.base.Session.run`."""
        return self._warm.run(run)

    def converse(self, run: Run) -> Channel:
        """Return a channel to a program; see `sandbox.base.Session.converse`."""
        if self._owner.may_start_ahead(self._job, run):
            return self._warm.converse(run)
        with self._lock:
            if self._is_closed:
                raise SandboxError("the session is closed")
            if self._cold is None:
                self._cold = self._owner.pool.open_inner(self._job)
            session = self._cold
        return session.converse(run)

    def close(self) -> None:
        """Kill everything inside; idempotent."""
        with self._lock:
            self._is_closed = True
            session = self._cold
        self._warm.close()
        if session is not None:
            session.close()
