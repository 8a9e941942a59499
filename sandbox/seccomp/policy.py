"""A system call policy as rules, which every writer turns into its own form: BPF, Docker's JSON, kafel.

The one place where the tables become decisions, so the three forms can't differ. Method: own.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from sandbox.seccomp.allowed import list_allowed, name_language
from sandbox.seccomp.table import (
    DENIED,
    FAMILY_COUNT,
    LATE,
    NETWORK_FAMILIES,
    NEW_NAMESPACE_FLAGS,
    OFFLINE_FAMILIES,
    SIFTED,
    TERMINAL_AND_FILE_REQUESTS,
    TERMINAL_INJECTION,
)
from schemas.errors import SandboxError, suggest_name
from schemas.limits import SYSCALL_FILTERS

POLICIES = SYSCALL_FILTERS
LOW_HALF = 0xFFFFFFFF
"""The kernel reads 32 bits of these arguments, so a filter must not look at the upper half."""


class Answer(StrEnum):
    """What a call meets."""

    ALLOW = "allow"
    EPERM = "EPERM"
    ENOSYS = "ENOSYS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Holds when an argument, under a mask, is a value."""

    index: int
    """Position of the argument, from 0."""
    mask: int
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The answer to some calls."""

    names: tuple[str, ...]
    answer: Answer
    condition: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The answer to every call of the machine's own architecture; a foreign one kills."""

    default: Answer
    """To calls that no rule names, and to those of a rule whose condition doesn't hold."""
    rules: tuple[Rule, ...]


@cache
def resolve_policy(name: str, *, network: bool, language: str = "python") -> Policy:
    """Return the rules of a policy.

    Args:
        name: ``strict`` or ``standard``.
        network: whether programs may open connections.
        language: picks the list of ``strict``; an unknown one takes all lists together.

    Raises:
        SandboxError: no such policy.
    """
    if name not in POLICIES:
        raise SandboxError(
            f"unknown syscall filter {name!r}; there are {', '.join(POLICIES)}.{suggest_name(name, POLICIES)}"
        )
    families = NETWORK_FAMILIES if network else OFFLINE_FAMILIES
    if name == "standard":
        return _standard(families)
    return _strict(families, list_allowed(language, network=network))


def name_list(policy: str, language: str) -> str:
    """Return what tells a policy's rules apart: its name, with the list of ``strict``."""
    return policy if policy != "strict" else f"strict-{name_language(language)}"


def _standard(families: tuple[int, ...]) -> Policy:
    others = (family for family in range(FAMILY_COUNT) if family not in families)
    return Policy(
        default=Answer.ALLOW,
        rules=(
            Rule(names=tuple(sorted(name for family in DENIED.values() for name in family)), answer=Answer.EPERM),
            Rule(names=LATE, answer=Answer.ENOSYS),
            *(_match("clone", 0, flag, flag, Answer.EPERM) for flag in NEW_NAMESPACE_FLAGS),
            *(_match("ioctl", 1, LOW_HALF, request, Answer.EPERM) for request in TERMINAL_INJECTION),
            *(_match("socket", 0, LOW_HALF, family, Answer.EPERM) for family in others),
        ),
    )


def _strict(families: tuple[int, ...], allowed: tuple[str, ...]) -> Policy:
    sockets = families if "socket" in allowed else ()
    return Policy(
        default=Answer.EPERM,
        rules=(
            Rule(names=tuple(name for name in allowed if name not in SIFTED), answer=Answer.ALLOW),
            Rule(names=LATE, answer=Answer.ENOSYS),
            _match("clone", 0, sum(NEW_NAMESPACE_FLAGS), 0, Answer.ALLOW),
            *(_match("ioctl", 1, LOW_HALF, request, Answer.ALLOW) for request in TERMINAL_AND_FILE_REQUESTS),
            *(_match("socket", 0, LOW_HALF, family, Answer.ALLOW) for family in sockets),
        ),
    )


def _match(name: str, index: int, mask: int, value: int, answer: Answer) -> Rule:
    return Rule(names=(name,), answer=answer, condition=Condition(index=index, mask=mask, value=value))
