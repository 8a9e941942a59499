"""What of our sandboxes is on the host: processes, control groups, folders, mounts, containers.

While `adopting_orphans`, a process that loses its parent becomes a child of ours, so everything that was started for a
sandbox can be told from other people's by its ancestors, whatever it did to hide. Method: own.
"""

import ctypes
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.backends.container.engine import Engine
from sandbox.backends.container.settings import LABEL
from sandbox.backends.leftovers import name_owner

PATIENCE_S = 20.0
"""How long after a sandbox was closed what is dying of it is waited for: a busy machine buries slowly."""
_LOOK_S = 0.05
_PR_SET_CHILD_SUBREAPER = 36
_CGROUPS = Path("/sys/fs/cgroup")


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Become the parent of every descendant whose own parent ends."""
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        library.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def find_traces(engine: Engine | None = None) -> Mapping[str, str]:
    """Return everything of ours by a key that tells it from a later one of the same name, with words for a person.

    Raises:
        SandboxError: the engine doesn't answer.
    """
    stored = str(engine.describe().get("DockerRootDir") or "") if engine is not None else ""
    owner, found = name_owner(), dict(_find_processes(stored))
    for folder, names, _ in os.walk(_CGROUPS):
        found |= {f"{folder}/{name}": f"control group {folder}/{name}" for name in names if name.startswith(owner)}
    found |= {str(path): f"folder {path}" for path in Path(tempfile.gettempdir()).glob(f"{owner}*")}
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        place = Path(line.split()[4])
        if owner in line or (stored and stored in line and str(place.parent) != stored):  # not the storage's own
            found[line] = f"mount {place}"
    if engine is not None:
        containers = engine.list_labelled(LABEL)
        found |= {one: f"container {one}" for one, made_by in containers.items() if made_by.startswith(owner)}
    return found


def wait_until_gone(
    before: Mapping[str, str], engine: Engine | None = None, *, patience_s: float = PATIENCE_S
) -> tuple[str, ...]:
    """Return what is there beside what was there before, once that is nothing or the time is up."""
    deadline = time.monotonic() + patience_s
    while True:
        now = find_traces(engine)
        left = sorted(words for key, words in now.items() if key not in before)
        if not left or time.monotonic() > deadline:
            return tuple(left)
        time.sleep(_LOOK_S)


def _find_processes(stored: str) -> Iterator[tuple[str, str]]:
    """Yield our descendants, and whatever is in a control group of ours or lives on what an engine stores."""
    owner, parents, living = name_owner(), {}, {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with suppress(OSError, ValueError, IndexError):
            head, _, tail = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
            fields = tail.split()
            parents[int(entry.name)] = int(fields[1])
            if fields[0] != "Z":
                is_ours = owner in (entry / "cgroup").read_text(encoding="utf-8") or _lives_on(stored, entry)
                living[int(entry.name)] = (f"{entry.name} {fields[19]}", head.partition("(")[2], is_ours)
    for process, (key, name, is_ours) in living.items():
        if is_ours or _descends(process, parents):
            yield key, f"process {name}"


def _lives_on(stored: str, process: Path) -> bool:
    """Return whether the root of a process is a file system that an engine made of what it stores."""
    if not stored:
        return False
    mounts = (process / "mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return any(stored in line for line in mounts if line.split()[4] == "/")


def _descends(process: int, parents: Mapping[int, int]) -> bool:
    while process in parents:
        process = parents[process]
        if process == os.getpid():
            return True
    return False
