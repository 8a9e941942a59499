"""Sessions in which every conversation is a sandbox of its own, and all runs share one: containers and gVisor.

Method: own.
"""

import threading
from abc import abstractmethod
from contextlib import ExitStack

from sandbox.backends.conversation import Conversation, Partner
from sandbox.backends.forked import ForkedSession
from sandbox.backends.identity import Identity
from sandbox.base import Job, Run
from schemas.errors import SandboxError


class PartnerSession(ForkedSession):
    """Base of `sandbox.base.Session`. Conversations may go on in several threads at once."""

    def __init__(self, job: Job, identity: Identity) -> None:
        super().__init__(job, identity)
        self._lock = threading.Lock()
        self._is_closed = False
        self._channels: list[Conversation] = []

    @abstractmethod
    def _start_partner(self, run: Run) -> Partner:
        """Return a started program, which is process 1 of a new sandbox."""

    def converse(self, run: Run) -> Conversation:
        """Return a channel to a started program, which is process 1 inside; see `sandbox.base.Session.converse`."""
        partner = self._start_partner(run)
        channel = Conversation(partner, is_clocked_outside=self._identity.is_clocked_outside)
        with self._lock:
            is_refused = self._is_closed
            if not is_refused:
                self._channels.append(channel)
        if is_refused:
            channel.close()
            raise SandboxError("the session is closed")
        return channel

    def close(self) -> None:
        """Kill every sandbox and remove every trace; idempotent."""
        with self._lock:
            self._is_closed = True
            channels, self._channels = self._channels, []
        with ExitStack() as closing:
            closing.callback(super().close)
            for channel in channels:
                closing.callback(channel.close)
