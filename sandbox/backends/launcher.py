"""Starts processes, from one thread that lives as long as we do where that matters.

A sandbox dies with the thread that started it (the kernel's parent-death signal looks at threads). A run is waited for
by its thread anyway; a conversation may outlive the thread that began it, so another one has to start it. Method: own.
"""

import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from sandbox.once import once_per_process
from schemas.errors import SandboxError


@once_per_process
def _starter() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox-launcher")


def start_process(
    argv: Sequence[str], *, stdin: int, stdout: int, stderr: int, pass_fds: Sequence[int], outlives_thread: bool
) -> subprocess.Popen[bytes]:
    """Return a started process with an empty environment, the given descriptors and no others.

    Args:
        outlives_thread: whether it may still run when the calling thread has ended.

    Raises:
        SandboxError: it can't be started.
    """

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv, stdin=stdin, stdout=stdout, stderr=stderr, pass_fds=tuple(pass_fds), env={}, cwd="/"
        )

    try:
        return _starter().submit(start).result() if outlives_thread else start()
    except OSError as error:
        raise SandboxError(f"can't start {argv[0]!r}: {error}") from error
