"""A forked child for tests of what belongs to its parent."""

import os
from collections.abc import Callable

from schemas.errors import SandboxError


def in_child(act: Callable[[], object]) -> str:
    """Return what a forked child says of an act: what it gave, or the sandbox's error in words."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, _say(act).encode())
        finally:  # the parent's tests don't go on in the child
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        words = answer.read().decode()
    os.waitpid(child, 0)
    return words


def _say(act: Callable[[], object]) -> str:
    try:
        return str(act())
    except SandboxError as error:
        return f"SandboxError: {error}"
