"""Starts processes from one thread that lives as long as we do.

A sandbox dies with the thread that started it (the kernel's parent-death signal looks at threads), so no worker
thread may start one itself: it would take its sandboxes along when it ends. Method: own.
"""

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from schemas.errors import SandboxError


@cache
def _starter() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox-launcher")


os.register_at_fork(after_in_child=_starter.cache_clear)


def start_process(
    argv: Sequence[str], *, stdin: int, stdout: int, stderr: int, pass_fds: Sequence[int]
) -> subprocess.Popen[bytes]:
    """Return a started process with an empty environment, the given descriptors and no others.

    Raises:
        SandboxError: it can't be started.
    """
    try:
        return (
            _starter()
            .submit(
                subprocess.Popen,
                argv,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                pass_fds=tuple(pass_fds),
                env={},
                cwd="/",
            )
            .result()
        )
    except OSError as error:
        raise SandboxError(f"can't start {argv[0]!r}: {error}") from error
