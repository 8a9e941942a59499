"""What the fork server is asked: one child, what it runs and what it may use.

A request is a JSON object with the key ``blobs`` (sizes of the bytes that follow it) and either ``task``, whose blob is
the standard input, or ``lay``, a list of ``[path, mode]`` whose blobs are laid into ``/work`` before every task. A task
that is ``stoppable`` may be followed by ``stop``, the verdict that ends it at once; there is one answer to both.
"""

from typing import TypedDict

RECORD_FD = 3
"""Descriptor on which a child writes its records."""
STDERR_TAIL = 4096
"""Bytes kept of the end of a Python child's standard error."""


class Task(TypedDict):
    """One child of the fork server."""

    style: str
    """``function`` or ``stdin`` for a Python program, ``program`` for an executable file."""
    preamble: str
    source: str
    entry_point: str
    inputs: list[str]
    """Encoded calls of a Python function."""
    argv: list[str]
    """Of an executable file; it's looked for in the environment's ``PATH``."""
    env: dict[str, str]
    """The whole environment of an executable file."""
    cpu_s: float
    wall_s: float
    output_bytes: int
    """Limit of each output stream."""
    collect: list[str]
    """Files and folders below ``/work`` whose content the answer carries, however the child ended."""
    collect_bytes: int
    """Limit of what is collected, names included; over it nothing is."""


def python_task(
    style: str,
    *,
    source: str,
    preamble: str = "",
    entry_point: str = "",
    inputs: tuple[str, ...] = (),
    cpu_s: float,
    wall_s: float,
    output_bytes: int,
) -> Task:
    """Return the task of a Python program."""
    return Task(
        style=style,
        preamble=preamble,
        source=source,
        entry_point=entry_point,
        inputs=list(inputs),
        argv=[],
        env={},
        cpu_s=cpu_s,
        wall_s=wall_s,
        output_bytes=output_bytes,
        collect=[],
        collect_bytes=0,
    )


def program_task(
    argv: tuple[str, ...],
    env: dict[str, str],
    *,
    cpu_s: float,
    wall_s: float,
    output_bytes: int,
) -> Task:
    """Return the task of an executable file."""
    return Task(
        style="program",
        preamble="",
        source="",
        entry_point="",
        inputs=[],
        argv=list(argv),
        env=env,
        cpu_s=cpu_s,
        wall_s=wall_s,
        output_bytes=output_bytes,
        collect=[],
        collect_bytes=0,
    )


def collecting(task: Task, paths: tuple[str, ...], most_bytes: int) -> Task:
    """Return the task with files and folders below ``/work`` that the answer is to carry."""
    return Task(**{**task, "collect": list(paths), "collect_bytes": most_bytes})
