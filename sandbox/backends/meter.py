"""What counts the processes of one run, whether the kernel does it or we do.

`sandbox.backends.cgroup` and `sandbox.backends.scopes` implement it with kernel counters,
`sandbox.backends.watchdog` by looking at the process table. Method: own.
"""

from pathlib import Path
from typing import Protocol

from sandbox.base import Usage


class Meter(Protocol):
    """Counts what one run uses, and ends what is left of it."""

    join_paths: tuple[Path, ...]
    """Files that the starting process writes ``0`` to, so as to be counted."""
    wrapper: tuple[str, ...]
    """Words before the command that is started, so as to be counted; mostly none."""

    def watch(self, first_process: int) -> None:
        """Take note of the first process of the sandbox, by its id on the host."""
        ...

    def read(self) -> Usage:
        """Return what was used since the meter was made."""
        ...

    def close(self) -> None:
        """Kill what is left and give the meter back; idempotent.

        Raises:
            SandboxError: something didn't die.
        """
        ...
