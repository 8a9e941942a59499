"""One open sandbox at the container level: every conversation is a fresh container, all runs share one.

Method: own.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.backends.container.conversation import Conversation
from sandbox.backends.container.engine import Engine
from sandbox.backends.container.partner import Confinement, ContainerPartner
from sandbox.backends.container.settings import describe_container
from sandbox.backends.forked import ForkedSession
from sandbox.backends.leftovers import name_owned
from sandbox.base import Job, Run
from schemas.errors import SandboxError


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the containers of a session are made with."""

    image: str
    host: Mapping[str, Any]
    confinement: Confinement


class ContainerSession(ForkedSession):
    """See `sandbox.base.Session`. Conversations may go on in several threads at once."""

    def __init__(self, engine: Engine, job: Job, plan: Plan) -> None:
        super().__init__(job, plan.confinement.identity)
        self._engine, self._plan = engine, plan
        self._lock = threading.Lock()
        self._is_closed = False
        self._channels: list[Conversation] = []

    def converse(self, run: Run) -> Conversation:
        """Return a channel to a started program, which is process 1 inside; see `sandbox.base.Session.converse`."""
        env = {**self._job.env, **run.env}
        config = describe_container(argv=run.argv, env=env, image=self._plan.image, name=name_owned())
        container = self._engine.create(config, self._plan.host)
        channel = Conversation(ContainerPartner(self._engine, container, self._plan.confinement))
        with self._lock:
            is_refused = self._is_closed
            if not is_refused:
                self._channels.append(channel)
        if is_refused:
            channel.close()
            raise SandboxError("the session is closed")
        return channel

    def close(self) -> None:
        """Kill and remove every container; idempotent."""
        with self._lock:
            self._is_closed = True
            channels, self._channels = self._channels, []
        for channel in channels:
            channel.close()
        super().close()
