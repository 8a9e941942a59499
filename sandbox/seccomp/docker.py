"""A policy in the form that container engines take: Docker's and Podman's ``--security-opt seccomp=FILE``.

Method: own, over `sandbox.seccomp.policy`; the form is that of the engines' own default profile.
"""

import errno
import json

from sandbox.seccomp.policy import Answer, Rule, resolve_policy

_ACTIONS = {Answer.ALLOW: "SCMP_ACT_ALLOW", Answer.EPERM: "SCMP_ACT_ERRNO", Answer.ENOSYS: "SCMP_ACT_ERRNO"}
_ARCHITECTURES = ("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64")
"""The engine takes the machine's own; calls of another kill."""
_ERRORS = {Answer.EPERM: errno.EPERM, Answer.ENOSYS: errno.ENOSYS}


def docker_profile(policy: str, *, network: bool, language: str = "python") -> str:
    """Return a policy as a JSON document for container engines, for x86_64 and aarch64 alike.

    Args:
        language: picks the list of ``strict``; an unknown one takes all lists together.

    Raises:
        SandboxError: no such policy.
    """
    rules = resolve_policy(policy, network=network, language=language)
    profile = {
        "defaultAction": _ACTIONS[rules.default],
        "archMap": [{"architecture": name, "subArchitectures": []} for name in _ARCHITECTURES],
        "syscalls": [_describe(rule) for rule in rules.rules],
    }
    return json.dumps(profile, indent=1) + "\n"


def _describe(rule: Rule) -> dict[str, object]:
    described: dict[str, object] = {"names": list(rule.names), "action": _ACTIONS[rule.answer]}
    if rule.answer in _ERRORS:
        described["errnoRet"] = _ERRORS[rule.answer]
    if rule.condition is not None:
        described["args"] = [
            {
                "index": rule.condition.index,
                "value": rule.condition.mask,
                "valueTwo": rule.condition.value,
                "op": "SCMP_CMP_MASKED_EQ",
            }
        ]
    return described
