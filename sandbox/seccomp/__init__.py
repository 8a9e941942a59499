"""The system call filter: one set of tables in Python, and every form of it that a backend takes.

Stands under every backend that runs on the host's kernel. `sandbox.seccomp.table` says what is denied,
`sandbox.seccomp.allowed` what ``strict`` allows, `sandbox.seccomp.policy` makes rules of them, `load_filter` returns
the compiled form that ships with the package (``python -m sandbox.seccomp.compiler`` rebuilds it), `docker_profile` and
`kafel_policy` write the forms of container engines and of nsjail. Method: own.
"""

import platform
from importlib import resources

from sandbox.seccomp.docker import docker_profile
from sandbox.seccomp.kafel import kafel_policy
from sandbox.seccomp.policy import POLICIES, name_list, resolve_policy
from schemas.errors import SandboxError

__all__ = ["ARCHITECTURES", "POLICIES", "docker_profile", "kafel_policy", "load_filter", "name_filter"]

ARCHITECTURES = ("x86_64", "aarch64")


def name_filter(policy: str, *, network: bool, architecture: str, language: str = "python") -> str:
    """Return the file name of a compiled filter."""
    return f"{name_list(policy, language)}{'-network' if network else ''}.{architecture}.bpf"


def load_filter(policy: str, *, network: bool, language: str = "python", architecture: str = "") -> bytes:
    """Return a compiled filter as the kernel takes it (an array of 8-byte instructions).

    Args:
        language: picks the list of ``strict``; an unknown one takes all lists together.
        architecture: as ``platform.machine()`` spells it; empty for this machine.

    Raises:
        SandboxError: no such policy, or no filter for this architecture.
    """
    machine = architecture or platform.machine()
    resolve_policy(policy, network=network, language=language)
    if machine not in ARCHITECTURES:
        raise SandboxError(
            f"no syscall filter for architecture {machine!r}; there is one for {', '.join(ARCHITECTURES)}"
        )
    name = name_filter(policy, network=network, architecture=machine, language=language)
    return resources.files(__name__).joinpath("filters", name).read_bytes()
