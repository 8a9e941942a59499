"""What every step of one run knows: the config, the folders, the number of workers.

Travels to workers by pickling, so it holds names and numbers only; clients and sandboxes are opened where they're used.
Method: own.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sandbox.packages import Packages, find_configured
from schemas.config import Config
from schemas.limits import Limits
from schemas.store import ContentStore
from transforms.progress import Heartbeat

BUG_LOG = "internal-errors.log"


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """One run."""

    config: Config
    base_dir: Path
    """Folder that relative paths of the config start from."""
    output: str
    """fsspec URL or path of the output folder."""
    cache_dir: Path
    """Local folder for clones and environments."""
    workers: int
    """Sandboxes or model requests at once in one worker process."""
    progress: Path | None = None
    """Local file that heartbeats go to."""

    @cached_property
    def heartbeat(self) -> Heartbeat:
        """Where progress is told."""
        return Heartbeat(self.progress)

    @property
    def store(self) -> ContentStore:
        """The store of replies and proofs."""
        return ContentStore(self.config.store or f"{self.output}/.taskfoundry/store")

    @property
    def bug_log(self) -> Path | None:
        """Local file that tracebacks of contained bugs go to."""
        return self.progress.with_name(BUG_LOG) if self.progress else None

    @cached_property
    def packages(self) -> Packages | None:
        """What Python solutions may import beside the standard library."""
        return find_configured(self.config.sandbox, self.base_dir)

    @property
    def limits(self) -> Limits:
        """Limits of function and stdin programs."""
        return self.config.sandbox.limits.to_limits()

    @property
    def suite_limits(self) -> Limits:
        """Limits of repository suites."""
        return self.config.sandbox.suite_limits.to_limits()

    def __getstate__(self) -> dict[str, object]:
        state = dict(self.__dict__)
        for made_here in ("heartbeat", "packages"):
            state.pop(made_here, None)
        return state
