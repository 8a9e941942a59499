"""How far a run has come, read from what lies in its folder and from no flag.

Behind `taskfoundry status`. Method: own.
"""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from pipelines.dataset import damaged_files, read_manifest
from pipelines.folder import STATE, STORE_NAME
from schemas.errors import ConfigError
from schemas.storage import Folder
from transforms.output.manifest import MANIFEST


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatus:
    """What a folder holds."""

    state: str
    """``finished``, ``damaged``, ``running`` or ``interrupted``."""
    proofs: int
    """Finished proofs in the store, reused by the next run."""
    replies: int
    """Stored model replies."""
    damage: tuple[str, ...] = ()


def _is_running(folder: Path) -> bool:
    try:
        lock = os.open(folder / STATE / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _count(folder: Path, kind: str) -> int:
    """Return how many values of a kind the run's store holds."""
    named = Folder(str(folder)).read(STORE_NAME)
    store = Folder(named.decode() if named else str(folder / STATE / "store"))
    return sum(1 for name in store.names(kind) if not name.endswith(".part"))


def read_status(folder: Path) -> RunStatus:
    """Return the state of a run's folder.

    Raises:
        ConfigError: the folder isn't one of ours.
    """
    if not (folder / STATE).is_dir() and not (folder / MANIFEST).exists():
        raise ConfigError(f"{str(folder)!r} is no output folder of a run")
    proofs, replies = _count(folder, "proofs"), _count(folder, "replies")
    if _is_running(folder):
        return RunStatus(state="running", proofs=proofs, replies=replies)
    if not (folder / MANIFEST).exists():
        return RunStatus(state="interrupted", proofs=proofs, replies=replies)
    damage = damaged_files(folder, read_manifest(folder))
    return RunStatus(state="damaged" if damage else "finished", proofs=proofs, replies=replies, damage=damage)
