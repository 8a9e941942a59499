"""What a failed run says: one message for what a person can fix, the traceback for what only we can.

Stands between the runner and the command line. A runner adds the name of the step to the message of whatever was raised
in it, or wraps it in an error of its own; here the error is found again. Method: own.
"""

import re
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from schemas.errors import ConfigError, InternalError, ModelError, SandboxError, SeedError, TaskfoundryError
from schemas.storage import explain_write_failure, is_of_the_machine

_STEP = re.compile(r" \[while running '[^']*'\]")
_LOST_WORKER = (
    "a worker process died: it was killed, or the machine ran out of memory. Run again, finished work is kept; "
    "--workers with a smaller number takes less memory"
)
_FIXABLE: dict[str, type[TaskfoundryError]] = {
    kind.__name__: kind for kind in (ConfigError, SeedError, ModelError, SandboxError, InternalError)
}
_TOLD = re.compile(
    rf"^schemas\.errors\.({'|'.join(_FIXABLE)}): (.*?)(?= \[while running '|\n\n|\Z)", re.DOTALL | re.MULTILINE
)
"""How a traceback ends that another process has sent as text."""


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, what it was raised from, and what Beam has replaced to add the name of a step."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        added = current.__context__ if getattr(current, "_tagged_with_step", False) else None
        current = current.__cause__ or added


def _explain_one(error: BaseException) -> TaskfoundryError | None:
    if isinstance(error, tuple(_FIXABLE.values())):
        kind = _FIXABLE[type(error).__name__]
        return kind(_STEP.sub("", str(error)))
    if isinstance(error, BrokenProcessPool):
        return SandboxError(_LOST_WORKER)
    if isinstance(error, OSError) and is_of_the_machine(error):
        return explain_write_failure(str(error.filename or "a folder"), error)
    if isinstance(error, RuntimeError) and (told := _TOLD.search(str(error))) is not None:
        return _FIXABLE[told[1]](told[2].strip())
    return None


def explain(error: BaseException) -> TaskfoundryError | None:
    """Return what a person can fix about a failed run, None for a bug."""
    return next((found for each in _chain(error) if (found := _explain_one(each)) is not None), None)


@contextmanager
def explain_failures() -> Iterator[None]:
    """Turn what a run fails with into the one message that a person needs; a bug passes unchanged.

    Raises:
        TaskfoundryError: one of those that exit with code 2.
    """
    try:
        yield
    except (TaskfoundryError, OSError, RuntimeError) as error:
        explained = explain(error)
        if explained is None:
            raise
        raise explained from error
