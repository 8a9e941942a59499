"""The isolation levels, and the choice between them.

Everything that runs untrusted code asks here for a backend. Method: own; a backend counts as available only after it
has run something.
"""

from collections.abc import Callable
from functools import cache

from sandbox.backends.nsjail import NsjailBackend
from sandbox.backends.process import ProcessBackend
from sandbox.base import Backend, Capability
from schemas.errors import ConfigError, suggest_name
from schemas.registry import Registry

LEVELS = ("process", "container", "gvisor", "microvm", "vm")
"""Isolation levels from the weakest to the strongest."""

BACKENDS: Registry[Callable[[], Backend]] = Registry("sandbox backend")
BACKENDS.register("process", ProcessBackend)
BACKENDS.register("nsjail", NsjailBackend)


@cache
def _instance(name: str) -> Backend:
    return BACKENDS.get(name)()


def probe_all() -> tuple[Capability, ...]:
    """Return what every backend can do on this machine, from the weakest level to the strongest."""
    found = (_instance(name).probe() for name in BACKENDS.names())
    return tuple(sorted(found, key=_rank))


def _rank(capability: Capability) -> tuple[int, bool, str]:
    """Return the place of a backend: the weakest level first, and in a level the one that bears its name."""
    level = capability.isolation
    return LEVELS.index(level), capability.backend != level, capability.backend


def select_backend(name: str = "auto", *, min_isolation: str = "process", strict: bool = False) -> Backend:
    """Return a backend that works here; equal arguments give the same object.

    Args:
        name: a backend's name, or ``"auto"`` for the lightest one at ``min_isolation`` or above.
        min_isolation: one of `LEVELS`; never undercut.
        strict: whether to refuse a backend that can't enforce every limit.

    Raises:
        ConfigError: no such name or level, or nothing that fits works here; the message gives each reason.
    """
    if min_isolation not in LEVELS:
        raise ConfigError(f"unknown isolation level {min_isolation!r}.{suggest_name(min_isolation, LEVELS)}")
    if name != "auto":
        BACKENDS.get(name)
    refusals = []
    for capability in probe_all():
        if name not in ("auto", capability.backend):
            continue
        refusal = _refuse(capability, min_isolation=min_isolation, strict=strict)
        if refusal is None:
            return _instance(capability.backend)
        refusals.append(f"{capability.backend}: {refusal}")
    raise ConfigError(f"no sandbox can be had here. {'; '.join(refusals)}")


def _refuse(capability: Capability, *, min_isolation: str, strict: bool) -> str | None:
    """Return why a backend doesn't fit, or ``None`` if it does."""
    if not capability.available:
        return capability.reason
    if LEVELS.index(capability.isolation) < LEVELS.index(min_isolation):
        return f"its isolation level {capability.isolation!r} is below {min_isolation!r}"
    if strict and capability.degraded:
        missing = capability.missing_limits
        return (
            f"it can't enforce {', '.join(missing)} here ({capability.reason}); run as root or in a delegated "
            "cgroup, or switch strict mode off"
        )
    return None
