"""Starts one program in a sandbox: descriptors, meter, command line, process. Method: own."""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count

from sandbox.backends.descriptors import Descriptors
from sandbox.backends.entry import SANDBOX_ID, make_entry_script
from sandbox.backends.jail import Jail
from sandbox.backends.launcher import start_process
from sandbox.backends.meter import Meter
from sandbox.backends.started import Started
from sandbox.base import Run
from schemas.errors import SandboxError
from schemas.limits import Limits

_FIRST_SLOT, _SLOTS = 61184, 4000
_STRIDE = 61
_slots = count()
_HEADROOM = 8
"""The user's process limit lies this far above the watchdog's, so that the watchdog gets to see a fork bomb."""


def pick_sandbox_user() -> int:
    """Return the host's user of every sandbox whose processes a cgroup limits."""
    return SANDBOX_ID


def pick_slot_user() -> int:
    """Return a host's user that no other sandbox of ours has at the moment, since the kernel limits users; processes
    begin at different ones."""
    return _FIRST_SLOT + (os.getpid() * _STRIDE + next(_slots)) % _SLOTS


def limit_user(limits: Limits) -> int:
    """Return the limit on a user's processes where no cgroup counts."""
    return limits.processes + _HEADROOM


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What all programs of a session are started with."""

    limits: Limits
    env: Mapping[str, str]
    jail: Jail
    make_meter: Callable[[Limits], Meter]


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
    command = plan.jail.write_command(
        run, {**plan.env, **run.env}, descriptors, status=status_end, conversing=conversing
    )
    for end in (status, stdout, stderr, *((stdin,) if conversing else ())):
        os.set_blocking(end, False)
    script = make_entry_script(meter.join_paths, cpu_s=None if conversing else plan.limits.cpu_s)
    process = start_process(
        ["/bin/sh", "-c", script, "sh", *meter.wrapper, *command.argv],
        stdin=stdin_end,
        stdout=stdout_end,
        stderr=stderr_end,
        pass_fds=(*command.descriptors, status_end),
        outlives_thread=conversing,
    )
    for end in (*command.descriptors, status_end, stdin_end, stdout_end, stderr_end):
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
        read_report=plan.jail.read_report,
    )
