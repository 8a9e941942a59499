"""Compiles the filter table to the files that ship with the package.

Run as ``python -m sandbox.seccomp.compiler`` after a change of the table. Needs ``pyseccomp`` and the system's
libseccomp, which only developers need to have. Method: own, over libseccomp.
"""

import errno
import os
import tempfile
from pathlib import Path

import pyseccomp as sc

from sandbox.seccomp import ARCHITECTURES, POLICIES, name_filter
from sandbox.seccomp.table import (
    DENIED,
    FAMILY_COUNT,
    NETWORK_FAMILIES,
    NEW_NAMESPACE_FLAGS,
    OFFLINE_FAMILIES,
    TERMINAL_INJECTION,
)

_ARCH_TOKENS = {"x86_64": sc.Arch.X86_64, "aarch64": sc.Arch.AARCH64}
_LOW_HALF = 0xFFFFFFFF
"""The kernel reads 32 bits of these arguments, so the filter must not look at the upper half."""


def compile_filter(*, network: bool, architecture: str) -> bytes:
    """Return the filter of the table for one architecture.

    Raises:
        OSError: libseccomp refused a rule.
    """
    token = _ARCH_TOKENS[architecture]
    rules = sc.SyscallFilter(sc.ALLOW)
    if sc.system_arch() != token:
        rules.remove_arch(sc.system_arch())
        rules.add_arch(token)
    rules.set_attr(sc.Attr.ACT_BADARCH, sc.KILL_PROCESS)
    refuse = sc.ERRNO(errno.EPERM)
    for name in sorted(name for family in DENIED.values() for name in family):
        if sc.resolve_syscall(token, name) >= 0:
            rules.add_rule(refuse, name)
    rules.add_rule(sc.ERRNO(errno.ENOSYS), "clone3")
    for flag in NEW_NAMESPACE_FLAGS:
        rules.add_rule(refuse, "clone", sc.Arg(0, sc.MASKED_EQ, flag, flag))
    for request in TERMINAL_INJECTION:
        rules.add_rule(refuse, "ioctl", sc.Arg(1, sc.MASKED_EQ, _LOW_HALF, request))
    allowed = NETWORK_FAMILIES if network else OFFLINE_FAMILIES
    for family in range(FAMILY_COUNT):
        if family not in allowed:
            rules.add_rule(refuse, "socket", sc.Arg(0, sc.MASKED_EQ, _LOW_HALF, family))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def write_filters(folder: Path) -> tuple[Path, ...]:
    """Write every filter into a folder and return the paths."""
    written = []
    for policy in POLICIES:
        for network in (False, True):
            for architecture in ARCHITECTURES:
                path = folder / name_filter(policy, network=network, architecture=architecture)
                path.write_bytes(compile_filter(network=network, architecture=architecture))
                written.append(path)
    return tuple(written)


if __name__ == "__main__":
    write_filters(Path(os.path.realpath(__file__)).parent)
