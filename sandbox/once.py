"""What is made once per process, by whichever thread comes first, and what belongs to the process that made it.

Beside the road. `functools.cache` makes it twice where two threads come at once, and a forked child would take what
belongs to its parent. Method: own.
"""

import os
import threading
from collections.abc import Callable, Hashable
from functools import update_wrapper
from typing import Generic, ParamSpec, TypeVar

from schemas.errors import SandboxError

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


class OncePerProcess(Generic[_Given, _Made]):
    """A function that gives what ``make`` returned at the first call with these arguments in this process.

    Args:
        make: takes hashable positional arguments; whoever comes while it works waits, and what it raises isn't kept.
    """

    def __init__(self, make: Callable[_Given, _Made]) -> None:
        update_wrapper(self, make)
        self._make = make
        self._made: dict[tuple[Hashable, ...], _Made] = {}
        self._locks: dict[int, threading.RLock] = {}

    def __call__(self, *args: _Given.args, **kwargs: _Given.kwargs) -> _Made:
        """Return what was made."""
        process_id = os.getpid()
        key = (process_id, *args)
        with self._locks.setdefault(process_id, threading.RLock()):  # a child's lock is free whatever its parent does
            if key not in self._made:
                self._made[key] = self._make(*args, **kwargs)
            return self._made[key]

    def forget(self) -> None:
        """Make it again at the next call."""
        self._made.clear()


class Owner:
    """The process that has made a thing: after a fork the child holds it too, and must neither use nor end it."""

    def __init__(self) -> None:
        self._process_id = os.getpid()

    @property
    def is_here(self) -> bool:
        """Whether this is the process."""
        return os.getpid() == self._process_id

    def check(self, thing: str) -> None:
        """Accept the process that has made the thing.

        Raises:
            SandboxError: this is another one.
        """
        if not self.is_here:
            raise SandboxError(f"{thing} belongs to process {self._process_id}, from which this one was forked")


def once_per_process(make: Callable[_Given, _Made]) -> OncePerProcess[_Given, _Made]:
    """Return ``make`` as a function that makes each thing once in this process; see `OncePerProcess`."""
    return OncePerProcess(make)
