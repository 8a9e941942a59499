"""A second try after a failing sandbox, for all that gives a verdict, a run or a proof.

A failure of the sandbox says nothing about the program, so it is tried again, and given up when it fails twice.
Beside the road. Method: own.
"""

from collections.abc import Callable
from typing import TypeVar

from schemas.errors import SandboxError

_Result = TypeVar("_Result")


def try_twice(attempt: Callable[[], _Result]) -> _Result:
    """Return what the first or else the second attempt gives.

    Args:
        attempt: starts afresh each time.

    Raises:
        SandboxError: both failed; the message has both reasons.
    """
    try:
        return attempt()
    except SandboxError as first:
        try:
            return attempt()
        except SandboxError as second:
            raise SandboxError(f"the sandbox failed twice: {first}; then {second}") from second
