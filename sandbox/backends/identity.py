"""What every outcome says about where it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A backend and what it enforces, as an outcome repeats it."""

    backend: str
    isolation: str
    limits_enforced: tuple[str, ...]
    slowdown: float = 1.0
    """What time limits are multiplied by, and times told divided by."""
    is_clocked_outside: bool = False
    """Whether processor time is what the host's kernel counts, since the one inside counts something else."""
