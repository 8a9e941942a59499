"""Starts one program in a sandbox: descriptors, meter, command line, process. Method: own."""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count

from sandbox.backends.bubblewrap import (
    SANDBOX_ID,
    Privilege,
    find_bubblewrap,
    list_program_arguments,
    make_entry_script,
)
from sandbox.backends.descriptors import Descriptors
from sandbox.backends.launcher import start_process
from sandbox.backends.meter import Meter
from sandbox.backends.started import Started
from sandbox.base import Run
from schemas.errors import SandboxError
from schemas.limits import Limits

_FIRST_SLOT, _SLOTS = 61184, 4000
_slots = count()
_HEADROOM = 8
"""The user's process limit lies this far above the watchdog's, so that the watchdog gets to see a fork bomb."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What all programs of a session are started with."""

    limits: Limits
    env: Mapping[str, str]
    arguments: bytes
    """Bubblewrap's arguments, each ended by a zero byte."""
    syscall_filter: bytes
    staged: bool
    privilege: Privilege
    make_meter: Callable[[Limits], Meter]
    kernel_counts: bool
    """Whether the meter's cgroup limits processes; otherwise each run gets its own user and that user a limit."""


def launch(plan: Plan, run: Run, *, conversing: bool) -> Started:
    """Return a started sandbox.

    Args:
        conversing: whether the program is spoken to: its standard input is a pipe, it is process 1, and it has no
            CPU limit.

    Raises:
        SandboxError: it can't be started.
    """
    descriptors = Descriptors()
    meter = plan.make_meter(plan.limits)
    try:
        return _launch(plan, run, descriptors, meter, conversing=conversing)
    except BaseException as error:
        descriptors.close()
        meter.close()
        if isinstance(error, OSError):
            raise SandboxError(f"can't start a sandbox: {error}") from error
        raise


def _launch(plan: Plan, run: Run, descriptors: Descriptors, meter: Meter, *, conversing: bool) -> Started:
    status, status_end = descriptors.pipe()
    stdout, stdout_end = descriptors.pipe()
    stderr, stderr_end = descriptors.pipe()
    stdin = -1
    if conversing:
        stdin_end, stdin = descriptors.pipe()
    else:
        stdin_end = descriptors.hold("stdin", run.stdin) if run.stdin else subprocess.DEVNULL
    arguments = descriptors.hold("arguments", plan.arguments)
    syscall_filter = descriptors.hold("filter", plan.syscall_filter)
    for end in (status, stdout, stderr, *((stdin,) if conversing else ())):
        os.set_blocking(end, False)
    script = make_entry_script(meter.join_paths, cpu_s=None if conversing else plan.limits.cpu_s)
    command = ["/bin/sh", "-c", script, "sh", str(find_bubblewrap()), "--args", str(arguments)]
    command += ["--json-status-fd", str(status_end), "--seccomp", str(syscall_filter)]
    command += ["--as-pid-1"] if conversing else []
    process = start_process(
        [*command, *_program(plan, run)],
        stdin=stdin_end,
        stdout=stdout_end,
        stderr=stderr_end,
        pass_fds=(arguments, syscall_filter, status_end),
        outlives_thread=conversing,
    )
    for end in (arguments, syscall_filter, status_end, stdin_end, stdout_end, stderr_end):
        descriptors.drop(end)
    return Started(
        process=process,
        descriptors=descriptors,
        meter=meter,
        limits=plan.limits,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        status=status,
        death=descriptors.adopt(os.pidfd_open(process.pid)),
    )


def _program(plan: Plan, run: Run) -> list[str]:
    return list_program_arguments(
        run.argv,
        {**plan.env, **run.env},
        staged=plan.staged,
        privilege=plan.privilege,
        host_id=SANDBOX_ID if plan.kernel_counts else _FIRST_SLOT + next(_slots) % _SLOTS,
        processes=None if plan.kernel_counts else plan.limits.processes + _HEADROOM,
    )
