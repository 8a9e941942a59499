"""What a forked child does to become another program: signals as a shell would leave them, then ``exec``.

Runs inside the sandbox. Imports the standard library only.
"""

import os
import signal
from typing import NoReturn

from sandbox.inside.requests import Task

_NOT_FOUND, _NOT_EXECUTABLE = 127, 126
"""Exit codes of a shell for the same failures."""


def become_program(task: Task) -> NoReturn:
    """Replace this process by the task's program in ``/work``; exits with a shell's code when that fails."""
    os.chdir("/work")
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, and ``exec`` would pass that on
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(task["argv"][0], task["argv"], task["env"])  # noqa: S606  # no shell is the point
    except OSError as error:
        os.write(2, f"{task['argv'][0]}: {error.strerror}\n".encode())
        os._exit(_NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE)
