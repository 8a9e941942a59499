"""Every error family of the project, named by the boundary it crosses.

Stands beside the road of a record: a bad record is data (a `Rejection`), an error stops work. Only `ConfigError`
is the user's to fix; it is printed without a traceback and exits with code 2. Method: own.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


class TaskfoundryError(Exception):
    """Root of every error that this project raises on purpose."""


class ConfigError(TaskfoundryError):
    """The user can fix it: a config key, a path, an argument. Exit code 2, no traceback."""


class SeedError(TaskfoundryError):
    """A source can't be read, or a row of it can't become a candidate.

    Args:
        message: what was wrong, the value, where, and what to do.
        reason: one snake_case word for the rejected output, for instance ``broken_json``.
        retriable: whether reading again later may help (a network failure, say).
    """

    def __init__(self, message: str, *, reason: str = "unreadable", retriable: bool = False) -> None:
        super().__init__(message)
        self.reason = reason
        self.retriable = retriable


class MutationError(TaskfoundryError):
    """Material can't be changed as asked: a file that doesn't parse, a splice that doesn't fit."""


class ModelError(TaskfoundryError):
    """A model can't be asked or answered nonsense.

    Args:
        message: what was wrong and for which request.
        reason: one snake_case word for the rejected output, for instance ``missing_reply``.
        retriable: whether asking again later may help.
    """

    def __init__(self, message: str, *, reason: str = "model_failed", retriable: bool = False) -> None:
        super().__init__(message)
        self.reason = reason
        self.retriable = retriable


class SandboxError(TaskfoundryError):
    """The sandbox itself failed. Never a verdict: retried, then rejected as retriable."""


class SchemaError(TaskfoundryError):
    """A record breaks its own contract: a bug in this project."""


class InternalError(TaskfoundryError):
    """So many records met a bug in this project that going on makes no sense; says so in one message. Exit code 2."""


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the nearest known name, or the list of names when none is near."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f" Did you mean {near[0]!r}?"
    return f" Known: {', '.join(names)}." if names else ""


@contextmanager
def boundary(translate: Callable[[Exception], TaskfoundryError], *catch: type[Exception]) -> Iterator[None]:
    """Translate third-party exceptions once, where they enter the project.

    Args:
        translate: makes our error from theirs.
        catch: the exception types to translate; everything else passes through unchanged.

    Raises:
        TaskfoundryError: whatever ``translate`` returns, raised from the original.
    """
    try:
        yield
    except TaskfoundryError:
        raise
    except catch as error:
        raise translate(error) from error
