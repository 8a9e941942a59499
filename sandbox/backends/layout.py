"""The file system of a sandbox as data: what `sandbox.backends.rootfs` lays out for bubblewrap, for engines that take
lists of mounts instead.

The arguments are read, not copied, so every level shows the same folders. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.backends.bubblewrap import split_disk
from sandbox.backends.leftovers import state_folder
from sandbox.backends.rootfs import list_base_arguments
from sandbox.once import once_per_process
from schemas.errors import SchemaError
from schemas.limits import Limits

_FIXED = ("/dev", "/etc", "/proc", "/sys", "/tmp", "/work")  # noqa: S108  # folders of the sandbox
_INODES_PER_MB = 512
_LEAST_INODES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind:
    """A host path that is shown read-only."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """A writable folder in memory."""

    target: str
    size: int
    """Bytes."""
    inodes: int
    """Files and folders that it takes, where the engine can limit them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The read-only part of a root file system."""

    binds: tuple[Bind, ...]
    """In the order in which they are mounted; without ``/etc``."""
    etc: Path
    """Host folder with the sandbox's own ``/etc``."""
    links: tuple[tuple[str, str], ...]
    """Symbolic links: path and what it leads to."""
    folders: tuple[str, ...]
    """Folders that must be there to mount on, parents first."""


def describe_layout(*, network: bool) -> Layout:
    """Return the root file system that programs see.

    Args:
        network: whether the host's certificates are shown.
    """
    words = list(list_base_arguments(network=network))
    binds: list[Bind] = []
    links: list[tuple[str, str]] = []
    while words:
        option, first = words.pop(0), words.pop(0)
        if option in {"--ro-bind", "--ro-bind-try"}:
            binds.append(Bind(source=Path(first), target=words.pop(0)))
        elif option == "--symlink":
            links.append((words.pop(0), first))
        elif option == "--tmpfs" and first != "/":
            binds.append(Bind(source=_empty_folder(), target=first))
        elif option not in {"--tmpfs", "--remount-ro", "--dir", "--perms"}:
            raise SchemaError(f"the file system has an argument {option!r} that isn't understood here")
    etc = next(bind.source for bind in binds if bind.target == "/etc")
    shown = tuple(bind for bind in binds if bind.target not in {"/etc", "/etc/resolv.conf"})
    return Layout(
        binds=shown,
        etc=etc,
        links=tuple(links),
        folders=list_folders([*_FIXED, *(bind.target for bind in shown if bind.source.is_dir())]),
    )


@once_per_process
def _empty_folder() -> Path:
    """Return a folder to mount over those that are to look empty."""
    folder = state_folder() / "empty"
    folder.mkdir(mode=0o755)
    return folder


def list_folders(targets: Sequence[str]) -> tuple[str, ...]:
    """Return the targets and all folders above them, parents first, without the root."""
    found = {str(folder) for target in targets for folder in (Path(target), *Path(target).parents)}
    return tuple(sorted(found - {"/"}))


def list_scratch(limits: Limits) -> tuple[Scratch, ...]:
    """Return the writable folders: ``/work`` and ``/tmp`` add up to ``disk_mb``."""
    sizes = split_disk(limits.disk_mb)
    found = (("/work", sizes.work), ("/tmp", sizes.temporary), ("/dev/shm", sizes.shared))  # noqa: S108
    inodes = max(_INODES_PER_MB * limits.disk_mb, _LEAST_INODES)
    return tuple(Scratch(target=target, size=size, inodes=inodes) for target, size in found)
