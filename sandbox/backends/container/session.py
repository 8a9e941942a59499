"""One open sandbox at the container level: every conversation is a fresh container, all runs share one.

Method: own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.backends.container.engine import Engine
from sandbox.backends.container.partner import Confinement, ContainerPartner
from sandbox.backends.container.settings import describe_container
from sandbox.backends.leftovers import name_owned
from sandbox.backends.partner_session import PartnerSession
from sandbox.base import Job, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the containers of a session are made with."""

    image: str
    host: Mapping[str, Any]
    confinement: Confinement


class ContainerSession(PartnerSession):
    """See `sandbox.base.Session`. Conversations may go on in several threads at once."""

    def __init__(self, engine: Engine, job: Job, plan: Plan) -> None:
        super().__init__(job, plan.confinement.identity)
        self._engine, self._plan = engine, plan

    def _start_partner(self, run: Run) -> ContainerPartner:
        env = {**self._job.env, **run.env}
        config = describe_container(argv=run.argv, env=env, image=self._plan.image, name=name_owned())
        return ContainerPartner(self._engine, self._engine.create(config, self._plan.host), self._plan.confinement)
