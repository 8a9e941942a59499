"""The bundle that gVisor runs: a root folder of mount points, and a configuration in the form of the Open Container
Initiative.

Method: own, after the runtime specification 1.0; the file system is that of every other level.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sandbox.backends.entry import SANDBOX_ID
from sandbox.backends.filters import describe_filter
from sandbox.backends.layout import Bind, Layout, list_folders, list_scratch
from sandbox.backends.leftovers import state_folder
from sandbox.backends.rootfs import DEFAULT_ENV
from sandbox.base import Job
from sandbox.once import once_per_process
from schemas.errors import SandboxError

_READ_ONLY = ["rbind", "ro", "nosuid", "nodev"]
_ARCHITECTURES = ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"]
_FILES = 1024


def describe_bundle(job: Job, binds: Sequence[Bind], argv: Sequence[str], env: Mapping[str, str]) -> dict[str, Any]:
    """Return the configuration of one sandbox, without its root.

    Args:
        binds: everything that is shown read-only, in order.

    Raises:
        SandboxError: a name can't be an environment variable, or there is no such system call policy.
    """
    merged = {**DEFAULT_ENV, **job.env, **env}
    for name in merged:
        if not name or "=" in name or "\0" in name:
            raise SandboxError(f"{name!r} can't be the name of an environment variable")
    return {
        "ociVersion": "1.0.2",
        "hostname": "sandbox",
        "process": {
            "terminal": False,
            "user": {"uid": SANDBOX_ID, "gid": SANDBOX_ID},
            "args": list(argv),
            "env": [f"{name}={value}" for name, value in merged.items()],
            "cwd": "/work",
            "noNewPrivileges": True,
            "capabilities": {kind: [] for kind in ("bounding", "effective", "inheritable", "permitted", "ambient")},
            "rlimits": _list_rlimits(job),
        },
        "mounts": [*_list_base_mounts(), *map(_describe_bind, binds), *_list_scratch_mounts(job)],
        "linux": {
            "namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")],
            "seccomp": _describe_filter(job),
        },
    }


def make_root(layout: Layout, binds: Sequence[Bind]) -> Path:
    """Return a folder with every mount point and link, made once per process for equal arguments."""
    folders = list_folders([*layout.folders, *(bind.target for bind in binds if bind.source.is_dir())])
    files = tuple(bind.target for bind in binds if not bind.source.is_dir())
    return _make_root(folders, files, layout.links)


@once_per_process
def _make_root(folders: tuple[str, ...], files: tuple[str, ...], links: tuple[tuple[str, str], ...]) -> Path:
    digest = hashlib.sha256(repr((folders, files, links)).encode()).hexdigest()[:16]
    root = state_folder() / f"gvisor-root-{digest}"
    for folder in ("/", *folders, *(str(Path(file).parent) for file in files)):
        path = root / folder.strip("/")
        path.mkdir(parents=True, exist_ok=True)
    for file in files:
        (root / file.strip("/")).touch()
    for link, target in links:
        (root / link.strip("/")).symlink_to(target)
    for path in (root, *root.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    return root


def write_bundle(folder: Path, config: Mapping[str, Any], root: Path) -> None:
    """Write the configuration where gVisor looks for it."""
    whole = {**config, "root": {"path": str(root), "readonly": True}}
    (folder / "config.json").write_text(json.dumps(whole))


def _list_rlimits(job: Job) -> list[dict[str, Any]]:
    found = {"RLIMIT_CORE": 0, "RLIMIT_NOFILE": _FILES, "RLIMIT_NPROC": job.limits.processes + 1}
    return [{"type": name, "soft": value, "hard": value} for name, value in found.items()]


def _list_base_mounts() -> list[dict[str, Any]]:
    return [
        {"destination": "/proc", "type": "proc", "source": "proc", "options": ["nosuid", "nodev", "noexec"]},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=64k"]},
    ]


def _describe_bind(bind: Bind) -> dict[str, Any]:
    return {"destination": bind.target, "type": "bind", "source": str(bind.source), "options": _READ_ONLY}


def _list_scratch_mounts(job: Job) -> list[dict[str, Any]]:
    return [
        {
            "destination": scratch.target,
            "type": "tmpfs",
            "source": "tmpfs",
            "options": ["nosuid", "nodev", "mode=1777", f"size={scratch.size}"],
        }
        for scratch in list_scratch(job.limits)
    ]


def _describe_filter(job: Job) -> dict[str, Any]:
    profile = describe_filter(job, is_gvisor=True)
    return {
        "defaultAction": profile["defaultAction"],
        "architectures": _ARCHITECTURES,
        "syscalls": profile["syscalls"],
    }
