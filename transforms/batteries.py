"""Runs the battery of exploits that suits a task's style, in the sandboxes of the build.

Pure choice, as `transforms/provers.py`; `sandbox/exploits/evidence.py` says what the results are used for. Method: own.
"""

from collections.abc import Collection

from sandbox.base import Backend
from sandbox.exploits.base import ExploitVector
from sandbox.exploits.battery import run_battery
from sandbox.exploits.repository_battery import run_repository_battery
from sandbox.exploits.suite_battery import run_suite_battery
from sandbox.task_judging import make_factory
from schemas.candidate import TaskStyle
from schemas.errors import SandboxError, SeedError
from schemas.proven import Proven
from transforms.context import RunContext
from transforms.workshops import Workshops


class Batteries:
    """All batteries of one process."""

    def __init__(self, context: RunContext, backend: Backend, workshops: Workshops) -> None:
        self._context = context
        self._backend = backend
        self._workshops = workshops

    def run(self, task: Proven, numbers: Collection[int]) -> ExploitVector:
        """Return what some classes do on a task.

        Raises:
            SandboxError: the suite or the repository can't be opened.
        """
        style = task.candidate.style
        if style is TaskStyle.REPOSITORY:
            return self._run_on_repository(task, numbers)
        if style is TaskStyle.SUITE:
            return run_suite_battery(task, self._backend, self._context.cache_dir, numbers=numbers)
        factory = make_factory(task.candidate, self._backend, task.evidence.limits)
        return run_battery(task, factory, numbers=numbers)

    def _run_on_repository(self, task: Proven, numbers: Collection[int]) -> ExploitVector:
        try:
            workshop = self._workshops.get(task.candidate.source.source)
        except SeedError as error:
            raise SandboxError(f"the repository can't be opened again: {error}") from error
        folders = (workshop.clean.environment.folder,)
        return run_repository_battery(task, workshop.judge, workshop.snapshot, folders, numbers=numbers)
