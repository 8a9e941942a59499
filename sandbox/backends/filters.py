"""The system call filter of a job in the form that engines and runtimes take.

Method: own, over `sandbox.seccomp.docker_profile`.
"""

import errno
import hashlib
import json
from pathlib import Path
from typing import Any

from sandbox.backends.leftovers import state_folder
from sandbox.base import Job
from sandbox.once import once_per_process
from sandbox.seccomp import docker_profile


def describe_filter(job: Job, *, is_gvisor: bool) -> dict[str, Any]:
    """Return the filter as an engine's JSON document.

    Args:
        is_gvisor: whether gVisor's kernel applies it. Its builds of 2022 answer ``EPERM`` to whatever a filter denies,
            and a C library takes only ``ENOSYS`` for a call that it can do without; so those calls are left to the
            kernel, which doesn't know them.

    Raises:
        SandboxError: no such policy.
    """
    limits = job.limits
    profile: dict[str, Any] = json.loads(
        docker_profile(limits.syscall_filter, network=limits.network, language=job.language)
    )
    if is_gvisor:
        profile["syscalls"] = [_leave_to_kernel(rule) for rule in profile["syscalls"]]
    return profile


def _leave_to_kernel(rule: dict[str, Any]) -> dict[str, Any]:
    if rule.get("errnoRet") != errno.ENOSYS:
        return rule
    return {"names": rule["names"], "action": "SCMP_ACT_ALLOW"}


def write_filter(job: Job, *, is_gvisor: bool, is_podman: bool) -> str:
    """Return the filter as an engine's option takes it: Docker the text, Podman the path of a file.

    Raises:
        SandboxError: no such policy.
    """
    text = json.dumps(describe_filter(job, is_gvisor=is_gvisor))
    return str(_keep_filter(text)) if is_podman else text


@once_per_process
def _keep_filter(text: str) -> Path:
    """Return a file with a filter; written once, so that no engine reads it half."""
    path = state_folder() / f"seccomp-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    path.write_text(text)
    return path
