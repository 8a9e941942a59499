"""What builds the command line of a sandboxing tool: bubblewrap or nsjail.

Stands between a session's plan and the process that is started, so that both tools share everything else: descriptors,
meters, the loop that follows a run, and the way it is ended. Method: own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from sandbox.backends.descriptors import Descriptors
from sandbox.base import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line and the descriptors that it names."""

    argv: tuple[str, ...]
    descriptors: tuple[int, ...]
    """Those made for it, which the starter passes on and then closes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one line of a tool's reports says; every field may be left out."""

    first_process: int = 0
    """The host's id of process 1 inside."""
    exit_code: int | None = None
    """How the program ended, signals as 128 + number."""
    failure: str = ""
    """Why no program could be started; whatever exit code is told besides is the tool's own."""


class Jail(Protocol):
    """One tool, set up for one session."""

    def write_command(
        self, run: Run, env: Mapping[str, str], descriptors: Descriptors, *, status: int, conversing: bool
    ) -> Command:
        """Return the command line that starts a program.

        Args:
            env: the whole environment inside, apart from what has defaults.
            descriptors: where new ones are made.
            status: where the tool writes its reports.
            conversing: whether the program is to be process 1.

        Raises:
            SandboxError: no program, or a name that can't be an environment variable.
        """
        ...

    def read_report(self, line: bytes) -> Report:
        """Return what a line of the tool's reports says; most lines say nothing."""
        ...
