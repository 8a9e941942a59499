"""Lays out what a job brings along before any of its programs starts. Method: own."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from sandbox.backends.bubblewrap import split_disk
from sandbox.backends.leftovers import make_folder, remove_folder
from sandbox.base import Mount
from schemas.errors import SandboxError


def stage_files(files: Mapping[str, bytes], *, disk_mb: int) -> Path:
    """Return a new private folder that holds the files.

    Raises:
        SandboxError: a path leaves the folder, or the files don't fit into the working folder.
    """
    total, room = sum(map(len, files.values())), split_disk(disk_mb).work
    if total > room:
        raise SandboxError(f"files of {total:,} bytes don't fit into /work of {room:,} bytes; raise disk_mb")
    folder = make_folder()
    try:
        for name, content in files.items():
            path = folder / _check_name(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        remove_folder(folder)
        raise SandboxError(f"can't lay out the files of the job: {error}") from error
    except SandboxError:
        remove_folder(folder)
        raise
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.chmod(0o755)
    return folder


def _check_name(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise SandboxError(f"{name!r} can't be the name of a file in /work")
    return path


def check_mounts(mounts: Sequence[Mount]) -> None:
    """Look whether every mount can be made.

    Raises:
        SandboxError: a source isn't there, or a target isn't absolute or hides what the sandbox needs.
    """
    for mount in mounts:
        target = PurePosixPath(mount.target)
        if not mount.source.exists():
            raise SandboxError(f"mount source {mount.source} doesn't exist")
        if not target.is_absolute() or ".." in target.parts or len(target.parts) < 3:
            raise SandboxError(f"mount target {mount.target!r} must be an absolute path below a top folder")
