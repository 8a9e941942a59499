"""Keeps a bug of ours that one record meets from ending a run: the record is refused as retriable, the run goes on.

Around proving and proposing, in the worker processes. What speaks of the run and not of a record (the config, models,
the machine) passes. A run in which many records meet bugs is stopped, since it would end as an empty one. Method: own.
"""

import logging
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from schemas.errors import ConfigError, InternalError, ModelError
from schemas.rejection import Rejection

INTERNAL_ERROR = "internal_error"
MAX_RECORDS = 20
"""Records that may meet bugs whatever their share."""
MAX_SHARE = 0.05
"""Share of the records so far that may."""
_PASSING = (ConfigError, ModelError, InternalError, OSError, MemoryError)
_PACKAGES = frozenset({"schemas", "seeds", "mutators", "sandbox", "transforms", "pipelines"})
_ROOT = Path(__file__).parents[1]
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_MACHINE_PATH = re.compile(r"(?<![\w./])(?:/[^\s/'\":,;()<>]+){2,}/?")

Result = TypeVar("Result")
_log = logging.getLogger(__name__)


def contain(
    name: str, work: Callable[[], Result], refuse: Callable[[str], Rejection], clean_up: Callable[[], None]
) -> Result | Rejection:
    """Return what the work gives, or the refusal of the record when the work meets a bug.

    Args:
        name: what the log calls the record.
        refuse: makes the refusal from the words of `describe_bug`.
        clean_up: called after a bug; drops what the work may have left in an unknown state.

    Raises:
        ConfigError, ModelError, OSError, MemoryError: what is no fault of one record.
    """
    try:
        return work()
    except _PASSING:
        raise
    except Exception as error:  # noqa: BLE001 - the one place where anything that one record meets is caught
        _log.error("%s meets a bug", name, exc_info=error)
        clean_up()
        return refuse(describe_bug(error))


def log_bugs(path: Path | None) -> None:
    """Let this process add the tracebacks of contained bugs to a local file; None leaves them to its error output."""
    if path is not None:
        handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace", delay=True)
        _log.addHandler(handler)
        _log.propagate = False


def describe_bug(error: Exception) -> str:
    """Return class, place in our code and message of an error, without what differs between machines and runs."""
    place = next((f" at {each}" for each in map(_place, reversed(_frames(error))) if each), "")
    message = str(traceback.TracebackException.from_exception(error))
    message = _MACHINE_PATH.sub("<path>", _ADDRESS.sub("0x...", message))
    return f"{type(error).__name__}{place}: {message}"


def _frames(error: Exception) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(error.__traceback__))


def _place(frame: traceback.FrameSummary) -> str:
    """Return ``package/module.py:line``, nothing for a frame that isn't ours."""
    path = Path(frame.filename)
    if not path.is_relative_to(_ROOT):
        return ""
    inside = path.relative_to(_ROOT)
    return f"{inside.as_posix()}:{frame.lineno}" if inside.parts[0] in _PACKAGES and path != Path(__file__) else ""


class BugCounter:
    """Counts the records of one step, and how many of them met a bug."""

    def __init__(self) -> None:
        self._records = 0
        self._bugs = 0

    def count(self, result: object) -> None:
        """Take in the result of one record.

        Raises:
            InternalError: too many records so far have met a bug.
        """
        self._records += 1
        if not isinstance(result, Rejection) or result.reason != INTERNAL_ERROR:
            return
        self._bugs += 1
        if self._bugs > MAX_RECORDS and self._bugs > MAX_SHARE * self._records:
            raise InternalError(
                f"{self._bugs} of {self._records} records so far hit an internal error, the last one {result.locator}: "
                f"{result.detail}. The run stops; finished work is kept. Please report this, with the file "
                ".taskfoundry/internal-errors.log of the output folder"
            )
