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

    def read_report(self, line: bytes) -> Mapping[str, int]:
        """Return what a line of the tool's reports says.

        ``child-pid`` is the host's id of the first process inside. ``exit-code`` is how the program ended, signals as
        128 + number; it is told only of a program that was started. Other lines say nothing.
        """
        ...
