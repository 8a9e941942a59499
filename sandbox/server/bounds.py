"""What a task in a request may ask for: a row that a client sends is input like any other.

A task beyond the service's settings is refused and not judged under smaller limits, which could make a right solution
fail. Method: own.
"""

import math
from collections.abc import Iterable

from sandbox.server.rows import check_parts
from sandbox.server.settings import ServerSettings
from schemas.codec import check_record
from schemas.errors import ConfigError, SchemaError
from schemas.limits import SYSCALL_FILTERS, Limits
from schemas.proven import Proven

WALL_STRETCH = 2
"""Wall-clock seconds for each CPU second of ``most_timeout_s``."""
LEAST_MEMORY_MB = 16
"""MiB in which an interpreter starts."""
_MOST_STREAM_MB = 64
_WORDS = 500


def check_task(task: Proven, settings: ServerSettings) -> Proven:
    """Return the task with every field of its declared type.

    Raises:
        SchemaError: a field has another type or means nothing; the message names it.
        ConfigError: its limits are beyond the settings.
    """
    try:
        checked = check_record(task)
    except (ValueError, TypeError, RecursionError) as error:
        raise SchemaError(f"the task isn't one of ours: {str(error)[:_WORDS]}") from error
    checker, failed = checked.candidate.checker, checked.evidence.baseline_failed
    if not all(math.isfinite(number) and number >= 0 for number in (checker.rel_tol, checker.abs_tol)):
        raise SchemaError(
            f"tolerances of {checker.rel_tol:g} and {checker.abs_tol:g}; they must be finite and at least 0"
        )
    if not 0 <= failed < 2**53:
        raise SchemaError("baseline_failed isn't a number of tests")
    check_limits(checked.evidence.limits, settings)
    check_parts(checked)
    return checked


def check_limits(limits: Limits, settings: ServerSettings) -> None:
    """Accept limits within the settings.

    Raises:
        ConfigError: one isn't, or isn't a limit at all; the message names it.
    """
    if limits.network and not settings.allow_network:
        raise ConfigError("limits: network is true, and this service gives no program a network")
    if limits.syscall_filter not in SYSCALL_FILTERS:
        raise ConfigError(
            f"limits: syscall_filter is {limits.syscall_filter!r}, not one of {', '.join(SYSCALL_FILTERS)}"
        )
    if limits.memory_mb in range(1, LEAST_MEMORY_MB):
        raise ConfigError(f"limits: memory_mb is {limits.memory_mb}; nothing starts in less than {LEAST_MEMORY_MB}")
    for name, number, most in _bounds(limits, settings):
        if not 0 < number <= most:
            raise ConfigError(f"limits: {name} is {number!r:.40}; this service gives more than 0 and at most {most:g}")


def _bounds(limits: Limits, settings: ServerSettings) -> Iterable[tuple[str, float, float]]:
    yield "cpu_s", limits.cpu_s, settings.most_timeout_s
    yield "wall_s", limits.wall_s, settings.most_timeout_s * WALL_STRETCH
    yield "memory_mb", limits.memory_mb, settings.most_memory_mb
    yield "disk_mb", limits.disk_mb, settings.most_memory_mb
    yield "stdin_mb", limits.stdin_mb, _MOST_STREAM_MB
    yield "stdout_mb", limits.stdout_mb, _MOST_STREAM_MB
    yield "processes", limits.processes, settings.most_processes
