"""What an attack is, and what one trial of it led to. Method: own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sandbox.attacks.bait import Bait
from sandbox.base import State
from schemas.limits import Limits

LIMITS = Limits(cpu_s=2, wall_s=20, memory_mb=384, disk_mb=32, stdout_mb=4, processes=64)
"""Limits of every attack: a busy machine takes long for what needs little."""
WAITING_LIMITS = replace(LIMITS, wall_s=3)
"""Those of attacks that are to meet the limit of time."""


class Verdict(StrEnum):
    """What a cell of the matrix says."""

    RIGHT = "right"
    WRONG = "wrong"
    ABSENT = "not here"
    INAPPLICABLE = "not applicable"


def take_any(output: str, bait: Bait) -> str:  # noqa: ARG001
    """Return no complaint: the state says it all."""
    return ""


def tell_nothing(bait: Bait) -> tuple[str, ...]:  # noqa: ARG001
    """Return no arguments."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One thing that hostile programs try."""

    name: str
    tries: str
    """What the program does, in words."""
    states: tuple[State, ...]
    """Those that are right."""
    function: str = ""
    """Name of the function in every program; empty for that of the attack."""
    cpu_s: float | None = None
    """CPU limit; None takes that of the limits."""
    holds: str = ""
    """What else must hold, in words."""
    arguments: Callable[[Bait], tuple[str, ...]] = tell_nothing
    """Lines that the program is given."""
    check: Callable[[str, Bait], str] = take_any
    """From what it printed and what the host saw to a complaint, or nothing."""
    also: Mapping[str, tuple[State, ...]] = field(default_factory=dict)
    """Further states that are right in a language or on a level."""
    granted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What a level lets a program have without harm, by level: how the lines end that say so."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why a language has no such program."""

    @property
    def called(self) -> str:
        """The name of the function in every program."""
        return self.function or self.name

    @property
    def waits(self) -> bool:
        """Whether the limit of time may end it."""
        return State.TLE_WALL in self.states

    def states_of(self, language: str, level: str) -> tuple[State, ...]:
        """Return the states that are right in a language on a level."""
        return (*self.states, *self.also.get(language, ()), *self.also.get(level, ()))

    def judge(self, output: str, bait: Bait, level: str) -> str:
        """Return a complaint about what was printed on a level, or nothing."""
        granted = self.granted.get(level, ())
        lines = [line for line in output.splitlines(keepends=True) if not (granted and line.rstrip().endswith(granted))]
        return self.check("".join(lines), bait)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one attack led to on one backend in one language."""

    attack: str
    backend: str
    language: str
    verdict: Verdict
    state: str = ""
    """Name of the `State`, when there was a run."""
    reason: str = ""
    """Why it isn't ``RIGHT``."""
