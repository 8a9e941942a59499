"""What every outcome says about where it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A backend and what it enforces, as an outcome repeats it."""

    backend: str
    isolation: str
    limits_enforced: tuple[str, ...]
