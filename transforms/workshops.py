"""What one process keeps of a repository: its snapshot, its healthy suite, and one prover per thread.

Shared by the mutate and the prove stage, so that a worker that does both finds the healthy suite once. Method: own.
"""

import threading
from dataclasses import dataclass, field
from typing import cast

from sandbox.backends import select_backend
from sandbox.base import Backend
from sandbox.clean_suites import CleanSuite, CleanSuiteFinder
from sandbox.repository_proving import RepositoryProver, RepositorySettings
from schemas.config import RepositorySource, Sandbox
from schemas.snapshot import Snapshot
from seeds.repositories import take_snapshot
from transforms.context import RunContext


def open_backend(section: Sandbox) -> Backend:
    """Return the backend that the config asks for.

    Raises:
        ConfigError: none that fits works on this machine.
    """
    return select_backend(section.backend, min_isolation=section.min_isolation, strict=section.strict)


@dataclass
class Workshop:
    """One repository in one process."""

    section: RepositorySource
    snapshot: Snapshot
    clean: CleanSuite
    settings: RepositorySettings
    lock: threading.Lock = field(default_factory=threading.Lock)
    idle: list[RepositoryProver] = field(default_factory=list)


class Workshops:
    """The repositories of one run in one process; safe from several threads."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}
        self._open: dict[str, Workshop] = {}

    def get(self, name: str) -> Workshop:
        """Return the workshop of a repository source, opening it when it's asked for first.

        Raises:
            SeedError: the repository can't be taken or its healthy suite can't be used.
            SandboxError: the sandbox failed.
        """
        with self._lock:
            opening = self._opening.setdefault(name, threading.Lock())
        with opening:
            if name not in self._open:
                self._open[name] = self._make(name)
            return self._open[name]

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
        finder = CleanSuiteFinder(
            snapshot,
            open_backend(context.config.sandbox),
            context.cache_dir,
            limits=context.suite_limits,
            install=section.install,
        )
        return Workshop(section=section, snapshot=snapshot, clean=finder.find(settings.repeats), settings=settings)

    def borrow(self, workshop: Workshop) -> RepositoryProver:
        """Return a prover that no other thread uses; give it back with `give_back`."""
        with workshop.lock:
            if workshop.idle:
                return workshop.idle.pop()
        return RepositoryProver(
            workshop.snapshot,
            open_backend(self._context.config.sandbox),
            self._context.cache_dir,
            limits=self._context.suite_limits,
            settings=workshop.settings,
            clean=workshop.clean,
        )

    @staticmethod
    def give_back(workshop: Workshop, prover: RepositoryProver) -> None:
        """Let the next thread have a prover."""
        with workshop.lock:
            workshop.idle.append(prover)

    def close(self) -> None:
        """Close every prover that was given back."""
        for workshop in self._open.values():
            while workshop.idle:
                workshop.idle.pop().close()


def share_workshops(context: RunContext) -> Workshops:
    """Return the workshops that all steps of this process use."""
    return cast("Workshops", context.workshops.acquire(lambda: Workshops(context)))
