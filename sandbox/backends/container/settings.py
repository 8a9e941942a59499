"""What a container is made with: the arguments of the engine's API, from limits and mounts.

Method: own; every option is one line of the threat model in docs/backends.md.
"""

import resource
from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.backends.entry import SANDBOX_ID
from sandbox.backends.filters import write_filter
from sandbox.backends.layout import Bind, Layout, Scratch, list_scratch
from sandbox.backends.rootfs import DEFAULT_ENV
from sandbox.base import Job, Mount
from schemas.errors import SandboxError
from schemas.limits import Limits

LABEL = "taskfoundry.owner"
_MIB = 1024 * 1024
_LEAST_PROCESSES = 32
"""What the engine's own starter needs; the kernel's limit is lowered after the start."""
_KERNEL_MB = 64
"""Memory of gVisor's kernel, which comes on top of the job's."""
_KERNEL_THREADS = 200
"""Host threads of gVisor's kernel and of what starts it."""
_THREADS_EACH = 10
"""Host threads that one process inside gVisor may take."""
_MOST_PROCESSES = 16_384
"""Of the sandbox's user on the whole host: only so that an engine's own default, which it may not set, is not taken."""
_OWN_MASKED = ("/dev/mqueue", "/sys")
"""What outlives a case, and what tells of the host."""
_MASKED = (
    "/proc/asound",
    "/proc/acpi",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/proc/sched_debug",
    "/proc/scsi",
    *_OWN_MASKED,
)
"""Docker's own list, which is replaced, and ours; Podman adds ours to its own."""
_OPENED_BY_PODMAN = ("/run", "/var/tmp")  # noqa: S108  # inside
"""Where Podman puts writable folders of its own into a container whose root is read-only."""


def is_gvisor(runtime: str) -> bool:
    """Return whether an engine's name of a runtime stands for gVisor."""
    return runtime.startswith("runsc")


def list_mounts(layout: Layout | None, mounts: Sequence[Mount]) -> tuple[Bind, ...]:
    """Return what is mounted into a container.

    Args:
        layout: the host's file system, or ``None`` when the image brings its own.
    """
    base = layout.binds if layout else ()
    return (*base, *(Bind(source=mount.source, target=mount.target) for mount in mounts))


def describe_container(*, argv: Sequence[str], env: Mapping[str, str], image: str, name: str) -> dict[str, Any]:
    """Return what runs in the container, as the SDK's ``create_container`` takes it."""
    if not argv:
        raise SandboxError("argv doesn't start with a program name")
    merged = {**DEFAULT_ENV, **env}
    for key in merged:
        if not key or "=" in key or "\0" in key:
            raise SandboxError(f"{key!r} can't be the name of an environment variable")
    return {
        "image": image,
        "entrypoint": [],
        "command": list(argv),
        "environment": merged,
        "working_dir": "/work",
        "user": f"{SANDBOX_ID}:{SANDBOX_ID}",
        "hostname": "sandbox",
        "stdin_open": True,
        "tty": False,
        "name": name,
        "labels": {LABEL: name},
        "stop_signal": "SIGKILL",
        "use_config_proxy": False,
    }


def describe_host(job: Job, *, binds: Sequence[Bind], runtime: str, is_podman: bool) -> dict[str, Any]:
    """Return how the container is confined, as the engine's ``HostConfig``.

    Args:
        runtime: the engine's name of an OCI runtime; empty for its default.
        is_podman: whether to speak Podman's dialect.

    Raises:
        SandboxError: no such system call policy.
    """
    limits = job.limits
    gvisor = is_gvisor(runtime)
    memory = count_memory(limits, gvisor=gvisor) * _MIB
    filter_text = write_filter(job, is_gvisor=gvisor, is_podman=is_podman)
    writable = {scratch.target: _describe_scratch(scratch, is_podman=is_podman) for scratch in list_scratch(limits)}
    closed = dict.fromkeys(_OPENED_BY_PODMAN, "ro,size=64k,mode=0755") if is_podman else {}
    return {
        "NetworkMode": "bridge" if limits.network else "none",
        "ReadonlyRootfs": True,
        "Mounts": [
            {
                "Type": "bind",
                "Source": str(bind.source),
                "Target": bind.target,
                "ReadOnly": True,
                "BindOptions": {"NonRecursive": True},
            }
            for bind in binds
        ],
        "Tmpfs": {**writable, **closed},
        "CapDrop": ["ALL"],
        "SecurityOpt": [
            "no-new-privileges:true",
            f"seccomp={filter_text}",
            *([f"mask={':'.join(_OWN_MASKED)}"] if is_podman else []),
        ],
        "Memory": memory,
        "MemorySwap": memory,
        "PidsLimit": max(count_processes(limits, gvisor=gvisor), _LEAST_PROCESSES),
        "IpcMode": "none",
        "LogConfig": {"Type": "none"},
        "Init": False,
        "MaskedPaths": list(_MASKED),
        "Runtime": runtime,
        "Ulimits": _list_ulimits(limits.processes + 1 if gvisor else _MOST_PROCESSES),
    }


def count_processes(limits: Limits, *, gvisor: bool) -> int:
    """Return the host kernel's limit on processes and threads: the program's, process 1, and the runtime's own.

    Args:
        gvisor: whether gVisor's kernel runs the programs; it also keeps their number itself, so the host's limit is
            only there for bombs that make the kernel grow.
    """
    if gvisor:
        return _KERNEL_THREADS + _THREADS_EACH * limits.processes
    return limits.processes + 1


def count_memory(limits: Limits, *, gvisor: bool) -> int:
    """Return the host kernel's limit on memory in MiB: the program's, and that of gVisor's kernel."""
    return limits.memory_mb + (_KERNEL_MB if gvisor else 0)


def _describe_scratch(scratch: Scratch, *, is_podman: bool) -> str:
    """Return a writable folder's options; Podman doesn't take a number of files, which memory bounds then."""
    files = "" if is_podman else f",nr_inodes={scratch.inodes}"
    return f"rw,exec,nosuid,nodev,size={scratch.size}{files},mode=1777"


def _list_ulimits(processes: int) -> list[dict[str, Any]]:
    """Return the per-process limits. Named ones only: an engine's defaults may be above what it may set itself."""
    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    nproc = processes if most == resource.RLIM_INFINITY else min(most, processes)
    found = {"core": 0, "nofile": min(1024, files), "nproc": nproc}
    return [{"Name": name, "Soft": value, "Hard": value} for name, value in found.items()]
