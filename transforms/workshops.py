"""What one worker process keeps of each repository: its snapshot, its healthy suite, a prover and a judge.

The healthy suite is found once per machine and kept in the cache folder, so that every worker, and the next run, opens
a repository at once. Method: own.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from filelock import FileLock

from sandbox.backends import select_backend
from sandbox.base import Backend
from sandbox.clean_suites import CleanSuite, CleanSuiteFinder
from sandbox.repository_judging import RepositoryJudge
from sandbox.repository_proving import RepositoryProver, RepositorySettings
from schemas.canonical import canonical_json, digest_text
from schemas.codec import decode_record, encode_record
from schemas.config import RepositorySource, Sandbox
from schemas.errors import SandboxError, SchemaError
from schemas.proven import Proven
from schemas.snapshot import Snapshot
from schemas.storage import Folder
from seeds.repositories import take_snapshot
from transforms.context import RunContext
from transforms.memo import digest_code


def open_backend(section: Sandbox) -> Backend:
    """Return the backend that the config asks for.

    Raises:
        ConfigError: none that fits works on this machine.
    """
    return select_backend(section.backend, min_isolation=section.min_isolation, strict=section.strict)


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """One repository in one worker process."""

    context: RunContext
    section: RepositorySource
    snapshot: Snapshot
    clean: CleanSuite
    settings: RepositorySettings

    @cached_property
    def prover(self) -> RepositoryProver:
        """The prover of this repository's mutants; its sandboxes stay open until the process ends."""
        return RepositoryProver(
            self.snapshot,
            open_backend(self.context.config.sandbox),
            self.context.cache_dir,
            limits=self.context.suite_limits,
            settings=self.settings,
            clean=self.clean,
        )

    @cached_property
    def judge(self) -> RepositoryJudge:
        """The judge of solutions that nobody trusts; the sandbox in which it tries canaries out stays open as well."""
        backend = open_backend(self.context.config.sandbox)
        return RepositoryJudge(self.snapshot, self.clean, backend, limits=self.context.suite_limits)

    def close(self) -> None:
        """Kill the sandboxes of the prover and the judge, if they were ever asked for."""
        for name in ("prover", "judge"):
            opened = vars(self).get(name)
            if isinstance(opened, RepositoryProver | RepositoryJudge):
                with suppress(SandboxError):  # they're given up anyway, and die with this process at the latest
                    opened.close()


class Workshops:
    """The repositories of one run in one worker process."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._open: dict[str, Workshop] = {}

    def get(self, name: str) -> Workshop:
        """Return the workshop of a repository source, opening it when it's asked for first.

        Raises:
            SeedError: the repository can't be taken or its healthy suite can't be used.
            SandboxError: the sandbox failed.
        """
        if name not in self._open:
            self._open[name] = self._make(name)
        return self._open[name]

    def open_tree(self, task: Proven) -> tuple[RepositoryJudge, Snapshot, CleanSuite]:
        """Return what the battery of exploits needs of a task's repository; raises as `get`."""
        workshop = self.get(task.candidate.source.source)
        return workshop.judge, workshop.snapshot, workshop.clean

    def close(self) -> None:
        """Close all repositories; whichever is asked for again is opened afresh."""
        while self._open:
            _, workshop = self._open.popitem()
            workshop.close()

    def _make(self, name: str) -> Workshop:
        context = self._context
        section = next(source for source in context.config.sources if source.name == name)
        assert isinstance(section, RepositorySource)
        snapshot = take_snapshot(section, context.base_dir, context.cache_dir)
        settings = RepositorySettings(
            repeats=context.config.prove.repeats,
            max_fail_to_pass=section.max_fail_to_pass,
            install=section.install,
            run_seed=context.config.seed,
        )
        clean = self._find_clean_suite(snapshot, settings)
        return Workshop(context=context, section=section, snapshot=snapshot, clean=clean, settings=settings)

    def _find_clean_suite(self, snapshot: Snapshot, settings: RepositorySettings) -> CleanSuite:
        backend = open_backend(self._context.config.sandbox)
        limits = self._context.suite_limits
        parts = [digest_code(), snapshot.tree_digest, settings.repeats, settings.install, encode_record(limits)]
        name = f"clean_suites/{digest_text(canonical_json([*parts, *backend.probe().limits_enforced]))}.json"
        folder = Folder(str(self._context.cache_dir))
        Path(self._context.cache_dir, "clean_suites").mkdir(parents=True, exist_ok=True)
        with FileLock(self._context.cache_dir / f"{name}.lock"):
            stored = folder.read(name)
            with suppress(SchemaError):  # a damaged one is found again
                clean = decode_record(CleanSuite, stored) if stored is not None else None
                if clean is not None and clean.environment.folder.is_dir():
                    return clean
            finder = CleanSuiteFinder(
                snapshot, backend, self._context.cache_dir, limits=limits, install=settings.install
            )
            clean = finder.find(settings.repeats)
            folder.write(name, encode_record(clean).encode())
            return clean
