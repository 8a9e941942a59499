"""The output folder of a run: one run at a time, writable, ours, and without left-overs of an earlier run.

Stands around the whole road. `status` reads what lies here and no flag. Method: own; the lock is flock(2).
"""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import ConfigError
from schemas.storage import Folder, explain_write_failure
from transforms.output.manifest import MANIFEST

STATE = ".taskfoundry"
STORE_NAME = f"{STATE}/store-url"
"""File that names the store of the run, for `status`."""
_OURS = {"data", "held_out", "rejected", "artifacts", STATE, MANIFEST, "README.md"}
_WRITTEN = ("data", "held_out", "rejected", "artifacts")


def _refuse_foreign(path: Path) -> None:
    if not path.exists() or (path / STATE).is_dir():
        return
    if not path.is_dir():
        raise ConfigError(f"output {str(path)!r} is a file; name a folder")
    foreign = sorted(entry.name for entry in path.iterdir() if entry.name not in _OURS)
    if foreign:
        raise ConfigError(
            f"output {str(path)!r} holds files that no run of ours wrote ({', '.join(foreign[:3])}); "
            "name an empty or a new folder"
        )


def _refuse_other_dataset(path: Path, name: str) -> None:
    """Do nothing unless a finished dataset of a config with another name lies there."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
    except (OSError, ValueError):  # none, or one that nobody can read any more
        return
    found = manifest.get("name") if isinstance(manifest, dict) else None
    if isinstance(found, str) and found != name:
        raise ConfigError(
            f"output {str(path)!r} holds the finished dataset {found!r}, and this config is called {name!r}; name "
            f"another folder with -o, call the config {found!r} to replace that dataset, or remove the folder"
        )


@contextmanager
def claim_output(path: Path, name: str) -> Iterator[Path]:
    """Make the output folder ready and hold it for one run.

    Args:
        path: a local folder; it's made when it doesn't exist.
        name: the config's; a finished dataset of another name stays untouched.

    Raises:
        ConfigError: it is in use by another run, holds foreign files or another dataset, or can't be written.
    """
    try:
        _refuse_foreign(path)
        (path / STATE).mkdir(parents=True, exist_ok=True)
        lock = os.open(path / STATE / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise explain_write_failure(f"output {str(path)!r}", error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise ConfigError(
            f"output {str(path)!r} is in use by another run; wait for it or name another folder"
        ) from error
    try:
        _refuse_other_dataset(path, name)
        probe = Folder(str(path))
        probe.write(f"{STATE}/writable", b"")
        probe.remove(MANIFEST)
        yield path
    finally:
        os.close(lock)


def remove_leftovers(path: Path, keep: frozenset[str]) -> None:
    """Remove data files that the new manifest doesn't name.

    Args:
        keep: paths relative to the folder.
    """
    folder = Folder(str(path))
    for sub in _WRITTEN:
        for name in folder.names(sub):
            if name not in keep:
                folder.remove(name)
