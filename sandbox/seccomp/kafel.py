"""A policy in kafel, nsjail's language.

The compiler inside nsjail refuses a whole policy for one name that it doesn't know, and it knows some calls by the
kernel's inner names. Method: own, over `sandbox.seccomp.policy`.
"""

import errno
import platform
from collections.abc import Iterable

from sandbox.seccomp.policy import Answer, Condition, Policy, resolve_policy
from sandbox.seccomp.table import X86_ONLY
from schemas.errors import SandboxError

_ACTIONS = {
    Answer.ALLOW: "ALLOW",
    Answer.EPERM: f"ERRNO({errno.EPERM})",
    Answer.ENOSYS: f"ERRNO({errno.ENOSYS})",
}
_NAMES = {
    "_sysctl": "sysctl",
    "fstat": "newfstat",
    "lstat": "newlstat",
    "stat": "newstat",
    "umount2": "umount",
    "uname": "newuname",
}
"""How kafel spells what the C library spells otherwise."""
_NAMES_BY_ARCHITECTURE = {
    "x86_64": {**_NAMES, "sendfile": "sendfile64"},
    "aarch64": {**_NAMES, "sync_file_range": "sync_file_range2"},
}
_UNKNOWN = {"x86_64": (), "aarch64": (*X86_ONLY, "pkey_alloc", "pkey_free", "pkey_mprotect")}
"""Names that mean nothing to kafel on an architecture. Without protection keys a runtime goes on as on older chips."""
_ARGUMENTS = ("first", "second")


def kafel_policy(policy: str, *, network: bool, language: str = "python", architecture: str = "") -> str:
    """Return a policy for nsjail's ``--seccomp_string``.

    Args:
        language: picks the list of ``strict``; an unknown one takes all lists together.
        architecture: as ``platform.machine()`` spells it; empty for this machine.

    Raises:
        SandboxError: no such policy, or none for this architecture.
    """
    rules = resolve_policy(policy, network=network, language=language)
    machine = architecture or platform.machine()
    if machine not in _NAMES_BY_ARCHITECTURE:
        raise SandboxError(f"no kafel policy for architecture {machine!r}")
    blocks = [_write_block(rules, answer, machine) for answer in Answer if answer is not rules.default]
    body = ",\n".join(blocks)
    return f"POLICY taskfoundry {{\n{body}\n}}\nUSE taskfoundry DEFAULT {_ACTIONS[rules.default]}\n"


def _write_block(policy: Policy, answer: Answer, machine: str) -> str:
    """Return what gets one answer; the conditions of one call are joined, since kafel takes its first line only."""
    lines, conditions = [], dict[str, list[Condition]]()
    for rule in policy.rules:
        if rule.answer is not answer:
            continue
        for name in rule.names:
            if rule.condition is not None:
                conditions.setdefault(name, []).append(rule.condition)
            elif name not in _UNKNOWN[machine]:
                lines.append(_NAMES_BY_ARCHITECTURE[machine].get(name, name))
    lines += [f"{name}({', '.join(_ARGUMENTS)}) {{ {_join(found)} }}" for name, found in conditions.items()]
    body = ",\n  ".join(lines)
    return f" {_ACTIONS[answer]} {{\n  {body}\n }}"


def _join(conditions: Iterable[Condition]) -> str:
    return " || ".join(f"({_ARGUMENTS[one.index]} & {one.mask:#x}) == {one.value:#x}" for one in conditions)
