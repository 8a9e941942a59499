"""What a language is that must be built first: a toolchain of this machine, and a recipe for each program.

Adding one is one file with a `Language` and one line in `sandbox/languages/__init__.py`. Method: own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sandbox.base import Mount
from sandbox.judging import Program
from sandbox.languages.types import CallType
from schemas.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """What builds and starts programs of a language on this machine."""

    version: str
    """Name and version, for instance ``g++ 12.2.0``."""
    mounts: tuple[Mount, ...] = ()
    """Folders that builds and runs need beside ``/usr``."""
    build_mounts: tuple[Mount, ...] = ()
    """Folders that only builds need."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Environment of builds and runs; ``PATH`` with the toolchain's own folders in front."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How one program is built and started."""

    files: Mapping[str, bytes]
    """Sources, by path relative to ``/work``."""
    build: tuple[str, ...]
    """Command that builds; its exit code 0 means success. Several steps go through ``sh -c``."""
    artefacts: tuple[str, ...]
    """Files and folders that the build leaves and a run needs."""
    run: tuple[str, ...]
    """Command that starts the program in ``/work``."""
    executable: tuple[str, ...] = ()
    """Artefacts that are executed."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Environment of a run beside the toolchain's, for what depends on the limits."""
    memory_words: tuple[bytes, ...] = ()
    """What the language's runtime says on standard error when it gets no more memory: a run that fails with one of
    these is ``MLE``. A program that says so itself only trades one failure for another."""


class Language(Protocol):
    """A language whose programs are built first."""

    name: str

    def find_toolchain(self) -> Toolchain:
        """Return the toolchain of this machine; cached.

        Raises:
            ConfigError: there is none; the message names the package to install.
        """
        ...

    def write_recipe(self, program: Program, types: CallType | None, limits: Limits) -> Recipe:
        """Return how a program is built and started.

        Args:
            types: of the entry point, for a function task; None for a stdin program.

        Raises:
            ConfigError: the entry point is no name that the language can call.
        """
        ...


def join_source(program: Program) -> str:
    """Return preamble and source as one text, without the byte order mark that the source may begin with."""
    text = program.source.removeprefix("\ufeff")
    return f"{program.preamble}\n{text}" if program.preamble else text
