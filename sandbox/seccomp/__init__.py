"""The system call filter: one table in Python, compiled filters beside it.

Stands under every backend that runs on the host's kernel. `sandbox.seccomp.table` says what is denied, `load_filter`
returns the compiled form that ships with the package, and ``python -m sandbox.seccomp.compiler`` rebuilds it.
Method: own; deny-list with ``EPERM``.
"""

import platform
from importlib import resources

from schemas.errors import SandboxError, suggest_name

POLICIES = ("strict",)
ARCHITECTURES = ("x86_64", "aarch64")


def name_filter(policy: str, *, network: bool, architecture: str) -> str:
    """Return the file name of a compiled filter."""
    return f"{policy}{'-network' if network else ''}.{architecture}.bpf"


def load_filter(policy: str, *, network: bool, architecture: str = "") -> bytes:
    """Return a compiled filter as the kernel takes it (an array of 8-byte instructions).

    Args:
        architecture: as ``platform.machine()`` spells it; empty for this machine.

    Raises:
        SandboxError: no such policy, or no filter for this architecture.
    """
    machine = architecture or platform.machine()
    if policy not in POLICIES:
        raise SandboxError(f"unknown syscall filter {policy!r}.{suggest_name(policy, POLICIES)}")
    if machine not in ARCHITECTURES:
        raise SandboxError(
            f"no syscall filter for architecture {machine!r}; there is one for {', '.join(ARCHITECTURES)}"
        )
    name = name_filter(policy, network=network, architecture=machine)
    return resources.files(__name__).joinpath(name).read_bytes()
