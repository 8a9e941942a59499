"""Compiles the policies to the files that ship with the package.

Run as ``python -m sandbox.seccomp.compiler`` after a change of the tables. Needs ``pyseccomp`` and the system's
libseccomp, which only developers need to have. Method: own, over libseccomp.
"""

import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyseccomp as sc

from sandbox.seccomp import ARCHITECTURES, POLICIES, name_filter
from sandbox.seccomp.allowed import GENERAL, LANGUAGES
from sandbox.seccomp.policy import Answer, Rule, resolve_policy

_ARCH_TOKENS = {"x86_64": sc.Arch.X86_64, "aarch64": sc.Arch.AARCH64}
_ACTIONS = {Answer.ALLOW: sc.ALLOW, Answer.EPERM: sc.ERRNO(errno.EPERM), Answer.ENOSYS: sc.ERRNO(errno.ENOSYS)}
_BINARY_TREE = 2


def compile_filter(policy: str, *, network: bool, architecture: str, language: str = "python") -> bytes:
    """Return the filter of a policy for one architecture.

    Raises:
        OSError: libseccomp refused a rule.
        SandboxError: no such policy.
    """
    token = _ARCH_TOKENS[architecture]
    wanted = resolve_policy(policy, network=network, language=language)
    rules = sc.SyscallFilter(_ACTIONS[wanted.default])
    if sc.system_arch() != token:
        rules.remove_arch(sc.system_arch())
        rules.add_arch(token)
    rules.set_attr(sc.Attr.ACT_BADARCH, sc.KILL_PROCESS)
    if wanted.default is not Answer.ALLOW:
        rules.set_attr(sc.Attr.CTL_OPTIMIZE, _BINARY_TREE)
    for rule in wanted.rules:
        for name in rule.names:
            if sc.resolve_syscall(token, name) >= 0:
                rules.add_rule(_ACTIONS[rule.answer], name, *_compare(rule))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _compare(rule: Rule) -> tuple[sc.Arg, ...]:
    condition = rule.condition
    return () if condition is None else (sc.Arg(condition.index, sc.MASKED_EQ, condition.mask, condition.value),)


def list_filters() -> Iterator[tuple[str, str, bool, str]]:
    """Yield policy, language, network and architecture of every filter that ships."""
    for policy in POLICIES:
        for language in (*LANGUAGES, GENERAL) if policy == "strict" else (GENERAL,):
            for network in (False, True):
                for architecture in ARCHITECTURES:
                    yield policy, language, network, architecture


def write_filters(folder: Path) -> tuple[Path, ...]:
    """Write every filter into a folder and return the paths."""
    written = []
    for policy, language, network, architecture in list_filters():
        path = folder / name_filter(policy, network=network, architecture=architecture, language=language)
        path.write_bytes(compile_filter(policy, network=network, architecture=architecture, language=language))
        written.append(path)
    return tuple(written)


if __name__ == "__main__":
    write_filters(Path(os.path.realpath(__file__)).parent / "filters")
