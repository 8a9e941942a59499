"""The isolation levels, and the choice between them.

Everything that runs untrusted code asks here for a backend. Backends are imported and tried when somebody asks for
their level, from the weakest that is allowed upwards. Method: own; a backend counts as available only after it has run
something.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sandbox.base import Backend, Capability
from sandbox.once import once_per_process
from schemas.errors import ConfigError, suggest_name
from schemas.registry import Registry

LEVELS = ("process", "container", "gvisor", "microvm", "vm")
"""Isolation levels from the weakest to the strongest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A backend that can be asked for."""

    level: str
    """One of `LEVELS`; of one that is elsewhere the least, since its probe tells the true one."""
    make: Callable[[], Backend]
    is_elsewhere: bool = False
    """Whether it isn't on this machine, and so is taken only by name."""


def _make_process() -> Backend:
    from sandbox.backends.process import ProcessBackend  # noqa: PLC0415

    return ProcessBackend()


def _make_nsjail() -> Backend:
    from sandbox.backends.nsjail import NsjailBackend  # noqa: PLC0415

    return NsjailBackend()


def _make_container() -> Backend:
    from sandbox.backends.container.backend import ContainerBackend  # noqa: PLC0415

    return ContainerBackend()


def _make_podman() -> Backend:
    from sandbox.backends.container.backend import ContainerBackend  # noqa: PLC0415

    return ContainerBackend(engine="podman")


def _make_gvisor() -> Backend:
    from sandbox.backends.gvisor import GvisorBackend  # noqa: PLC0415

    return GvisorBackend()


def _make_gvisor_docker() -> Backend:
    from sandbox.backends.container.backend import ContainerBackend  # noqa: PLC0415

    return ContainerBackend(runtime="runsc")


def _make_qemu_microvm() -> Backend:
    from sandbox.backends.vm.backend import QemuMicrovmBackend  # noqa: PLC0415

    return QemuMicrovmBackend()


def _make_qemu() -> Backend:
    from sandbox.backends.vm.backend import QemuBackend  # noqa: PLC0415

    return QemuBackend()


def _make_firecracker() -> Backend:
    from sandbox.backends.firecracker import FirecrackerBackend  # noqa: PLC0415

    return FirecrackerBackend()


def _make_remote() -> Backend:
    from sandbox.backends.remote import RemoteBackend  # noqa: PLC0415

    return RemoteBackend()


BACKENDS: Registry[Entry] = Registry("sandbox backend")
BACKENDS.register("process", Entry(level="process", make=_make_process))
BACKENDS.register("nsjail", Entry(level="process", make=_make_nsjail))
BACKENDS.register("container", Entry(level="container", make=_make_container))
BACKENDS.register("podman", Entry(level="container", make=_make_podman))
BACKENDS.register("gvisor", Entry(level="gvisor", make=_make_gvisor))
BACKENDS.register("gvisor-docker", Entry(level="gvisor", make=_make_gvisor_docker))
BACKENDS.register("firecracker", Entry(level="microvm", make=_make_firecracker))
BACKENDS.register("qemu-microvm", Entry(level="microvm", make=_make_qemu_microvm))
BACKENDS.register("qemu", Entry(level="vm", make=_make_qemu))
BACKENDS.register("remote", Entry(level="process", make=_make_remote, is_elsewhere=True))


@once_per_process
def _instance(name: str) -> Backend:
    return BACKENDS.get(name).make()


def _entries() -> list[tuple[str, str]]:
    """Return names and levels, the weakest level first, and in a level first the one that bears its name."""
    found = [(name, entry.level) for name, entry in BACKENDS]
    return sorted(found, key=lambda pair: (LEVELS.index(pair[1]), pair[0] != pair[1], pair[0]))


def probe_all() -> Iterator[Capability]:
    """Yield what every backend can do here once it was tried, from the weakest level to the strongest."""
    return (_instance(name).probe() for name, _ in _entries())


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
    for each, level in _entries():
        if name != each and (name != "auto" or BACKENDS.get(each).is_elsewhere):
            continue
        refusal = _refuse(each, level, min_isolation=min_isolation, strict=strict)
        if refusal is None:
            return _instance(each)
        refusals.append(f"{each}: {refusal}")
    raise ConfigError(f"no sandbox can be had here. {'; '.join(refusals)}")


def _refuse(name: str, level: str, *, min_isolation: str, strict: bool) -> str | None:
    """Return why a backend doesn't fit, or ``None`` if it does; one of too low a level isn't even tried."""
    is_elsewhere = BACKENDS.get(name).is_elsewhere
    if not is_elsewhere and LEVELS.index(level) < LEVELS.index(min_isolation):
        return f"its isolation level {level!r} is below {min_isolation!r}"
    capability = _instance(name).probe()
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
