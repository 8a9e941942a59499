"""Finds out where this machine lets us make cgroups.

In order: version 2 with memory and pids; version 1 with memory, pids and cpuacct; version 2 once our own processes have
stepped aside; nowhere. The answer is found by making a group, once, and decides what a backend says it enforces.
Method: own.
"""

import os
import shlex
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandbox.backends.cgroup import GroupV1, GroupV2, remove_groups
from sandbox.backends.delegation import LEAF, hand_down, step_aside
from sandbox.backends.leftovers import PREFIX, is_orphan, name_owned
from sandbox.backends.meter import Meter
from schemas.errors import SandboxError

_V1 = ("memory", "pids", "cpuacct")


class Hierarchy(Protocol):
    """A place where groups can be made."""

    @property
    def label(self) -> str:
        """Words for a person."""
        ...

    def make(self, *, memory_mb: int, processes: int) -> Meter:
        """Return a new group with its limits set.

        Raises:
            SandboxError: the kernel refused.
        """
        ...

    def parents(self) -> tuple[Path, ...]:
        """Return the folders that groups are made in."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyV1:
    """The version 1 hierarchies, each at the place of our own process."""

    memory: Path
    pids: Path
    cpuacct: Path
    label: str = "cgroup v1"

    def make(self, *, memory_mb: int, processes: int) -> Meter:
        """Return a new group with its limits set."""
        name = name_owned()
        folders = (self.memory / name, self.pids / name, self.cpuacct / name)
        try:
            return GroupV1(*folders, memory_mb=memory_mb, processes=processes)
        except OSError as error:
            remove_groups(folders)
            raise SandboxError(f"can't make a cgroup under {self.memory}: {error}") from error

    def parents(self) -> tuple[Path, ...]:
        """Return the folders that groups are made in."""
        return (self.memory, self.pids, self.cpuacct)


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyV2:
    """A version 2 folder whose children have memory and pids controllers."""

    parent: Path
    label: str = "cgroup v2"

    def make(self, *, memory_mb: int, processes: int) -> Meter:
        """Return a new group with its limits set."""
        folder = self.parent / name_owned()
        try:
            return GroupV2(folder, memory_mb=memory_mb, processes=processes)
        except OSError as error:
            remove_groups((folder,))
            raise SandboxError(f"can't make a cgroup under {self.parent}: {error}") from error

    def parents(self) -> tuple[Path, ...]:
        """Return the folders that groups are made in."""
        return (self.parent,)


def detect_hierarchy(
    *, mount: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> Hierarchy | None:
    """Return where groups can be made, or ``None``.

    Args:
        mount: where the hierarchies are mounted.
        own: the file that tells the place of our own process in each.
    """
    try:
        places = read_places(own)
    except OSError:
        return None
    place = _find_place_v2(mount, places)
    candidates: list[Hierarchy] = [*_candidates_v2(mount, place), *_candidates_v1(mount, places)]
    found = next((candidate for candidate in candidates if _works(candidate)), None)
    if found is None and place is not None and step_aside(place):
        own_group = HierarchyV2(parent=place)
        found = own_group if _works(own_group) else None
    return found


def reap_groups(hierarchy: Hierarchy) -> int:
    """Kill and remove the groups of owners that are gone, and return how many folders that were."""
    found = [path for parent in hierarchy.parents() for path in parent.glob(f"{PREFIX}-*") if is_orphan(path.name)]
    for path in found:
        with suppress(SandboxError):
            remove_groups((path,))
    return len(found)


def read_places(file: Path) -> dict[str, str]:
    """Return the path of a process by controller, from its ``cgroup`` file; version 2 under the empty name."""
    places = {}
    for line in file.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            places[controller] = path.strip("/")
    return places


def _find_place_v2(mount: Path, places: dict[str, str]) -> Path | None:
    """Return the version 2 group of our own process, above the leaf that we may have moved it to; ``None`` without."""
    if "" not in places or not (mount / "cgroup.controllers").exists():
        return None
    place = mount / places[""]
    return place.parent if place.name == LEAF else place


def _candidates_v2(mount: Path, place: Path | None) -> list[HierarchyV2]:
    """Return version 2 folders from our own place upwards, after trying to hand its controllers down."""
    if place is None:
        return []
    hand_down(place)
    return [HierarchyV2(parent=folder) for folder in (place, *place.parents) if folder.is_relative_to(mount)]


def _candidates_v1(mount: Path, places: dict[str, str]) -> list[HierarchyV1]:
    """Return the version 1 folders of our own place, then those of the mounts' roots (as seen in a container)."""
    if not all(controller in places for controller in _V1):
        return []
    own = [mount / controller / places[controller] for controller in _V1]
    root = [mount / controller for controller in _V1]
    return [HierarchyV1(memory=memory, pids=pids, cpuacct=cpu) for memory, pids, cpu in (own, root)]


def _works(candidate: Hierarchy) -> bool:
    """Return whether a group can be made, entered and read there."""
    if not all(os.access(parent, os.W_OK) for parent in candidate.parents()):
        return False
    try:
        meter = candidate.make(memory_mb=64, processes=8)
    except SandboxError:
        return False
    try:
        meter.read()
        entering = "".join(f"echo 0 > {shlex.quote(str(path))} || exit 1\n" for path in meter.join_paths)
        return (
            subprocess.run(["/bin/sh", "-c", entering], env={}, stderr=subprocess.DEVNULL, check=False).returncode == 0
        )
    except OSError:
        return False
    finally:
        meter.close()
