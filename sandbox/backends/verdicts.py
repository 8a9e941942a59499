"""Turns what was seen of a run into its state.

The order of the rules is the meaning: a memory kill outranks everything, since whatever came after it is its effect;
a missing report of the supervisor is our failure and never the program's. Method: own.
"""

import signal
from dataclasses import dataclass

from sandbox.base import State, Usage
from schemas.limits import Limits

_SIGNAL_BASE = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was seen of one run."""

    forced: State | None
    """Why we killed it."""
    exit_code: int | None
    """As the supervisor reported it, signals as 128 + number; ``None`` without a report."""
    usage: Usage
    output_overflowed: bool
    disk_full: bool
    complains_of_disk: bool = False
    """Whether standard error has the C library's words for a full disk; believed only of a program that failed."""


def decide_state(evidence: Evidence, limits: Limits) -> State:
    """Return the state of a run."""
    ended_by = read_signal(evidence.exit_code)
    forced = None if _ended_before_closing(evidence) else evidence.forced
    is_over_time = evidence.usage.cpu_s > limits.cpu_s
    is_clean = evidence.exit_code == 0 and forced is None and not is_over_time
    rules = (
        (evidence.usage.memory_exceeded, State.MLE),
        (forced is None and evidence.exit_code is None, State.INFRA),
        (evidence.output_overflowed, State.OLE),
        (evidence.disk_full, State.DLE),
        (is_clean, State.OK),
        (evidence.usage.processes_exceeded > 0, State.PLE),
        (forced is not None, forced or State.RE),
        (is_over_time or ended_by == signal.SIGXCPU, State.TLE_CPU),
        (ended_by == signal.SIGSYS, State.POLICY),
        (evidence.complains_of_disk, State.DLE),
    )
    return next((state for holds, state in rules if holds), State.RE)


def _ended_before_closing(evidence: Evidence) -> bool:
    """Return whether the program was on its way out when it was closed: its exit code isn't that of our kill."""
    return evidence.forced is State.OK and evidence.exit_code not in {None, _SIGNAL_BASE + signal.SIGKILL}


def read_signal(exit_code: int | None) -> int | None:
    """Return the signal that an exit code stands for, if any.

    A program that exits with a code above 128 by itself can't be told from one that a signal ended.
    """
    if exit_code is None or not _SIGNAL_BASE < exit_code < _SIGNAL_BASE + signal.NSIG:
        return None
    return exit_code - _SIGNAL_BASE
