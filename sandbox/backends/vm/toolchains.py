"""Disks with the toolchain of one language each, which a guest gets beside its root when a job is in that language.

A booted guest's state knows such a disk by its size only, so all languages go on from one state, and a disk is made
when its language is first asked for. The toolchain is that of this machine (`sandbox.languages`). Method: own.
"""

import json
import os
import shutil
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from sandbox.backends.vm.compilers import describe_paths, describe_toolchain
from sandbox.backends.vm.contents import lay_toolchain
from sandbox.backends.vm.image import LAYOUT, Recipe, make_disk, prune_store
from sandbox.base import Mount
from sandbox.guest.toolchain import PLACE
from sandbox.languages import BUILT, find_language
from sandbox.trees import digest_of
from schemas.errors import ConfigError, SandboxError

CAPACITY = 8 * 1024**3
"""Bytes of every disk; what isn't used takes no room."""
KEPT = 12
_BUILD_SUFFIX = "-build"
_FILE = "disk.ext4"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolchainDisk:
    """A disk that can be put into guests."""

    path: Path
    descriptor: int
    """Of the file, open for reading as long as this process lives, since it may be removed from the store."""
    folders: tuple[Path, ...]
    """Folders and files of this machine that are on it, without links."""

    def find_inside(self, mount: Mount) -> str | None:
        """Return where a guest has what is to be mounted, or ``None`` if it isn't on the disk."""
        source = mount.source.resolve()
        held = any(source == folder or source.is_relative_to(folder) for folder in self.folders)
        return f"{PLACE}{source}" if held else None


class ToolchainDisks:
    """The disks of one store, made at first use.

    Args:
        recipe: of the image that they are put beside.
    """

    def __init__(self, recipe: Recipe, store: Path) -> None:
        self._recipe, self._store = recipe, store
        self._lock = threading.Lock()
        self._found: dict[str, ToolchainDisk | None] = {}

    def find(self, language: str) -> ToolchainDisk | None:
        """Return the disk for jobs of a language, or ``None`` if they need none or the toolchain isn't on this machine.

        Args:
            language: as in `sandbox.base.Job`; builds in it use the same disk.

        Raises:
            SandboxError: it can't be made.
        """
        name = language.removesuffix(_BUILD_SUFFIX)
        if name not in BUILT:
            return None
        with self._lock:
            if name not in self._found:
                self._found[name] = self._make(name)
            return self._found[name]

    def _make(self, language: str) -> ToolchainDisk | None:
        try:
            toolchain = find_language(language).find_toolchain()
        except ConfigError:
            return None
        mounts = (*toolchain.mounts, *toolchain.build_mounts)
        folders = tuple(sorted({mount.source.resolve() for mount in mounts}))
        system = [] if language in self._recipe.toolchains else describe_toolchain(language)
        missing = (language,) if system else ()
        if not folders and not missing:
            return None
        described = [LAYOUT, sys.version, sys.base_prefix, toolchain.version, describe_paths(folders), system]
        digest = digest_of(json.dumps(described).encode())[:24]
        path = self._store / "toolchains" / f"{language}-{digest}"
        try:
            descriptor = _open_disk(path, missing, folders)
            return ToolchainDisk(path=path / _FILE, descriptor=descriptor, folders=folders)
        except OSError as error:
            raise SandboxError(f"a toolchain for guests can't be kept in {self._store}: {error}") from error


def _open_disk(folder: Path, toolchains: tuple[str, ...], folders: tuple[Path, ...]) -> int:
    """Return the descriptor of a disk in the store, made now if it isn't there."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            part = Path(tempfile.mkdtemp(prefix=".toolchain-", dir=folder.parent))
            try:
                (part / "stage").mkdir(mode=0o755)
                lay_toolchain(part / "stage", toolchains=toolchains, folders=folders)
                make_disk(part / "stage", part / _FILE)
                os.truncate(part / _FILE, CAPACITY)
                shutil.rmtree(part / "stage")
                part.replace(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
            prune_store(folder.parent, kept=KEPT)
        folder.touch()
        return os.open(folder / _FILE, os.O_RDONLY | os.O_CLOEXEC)


def make_empty_disk() -> int:
    """Return the descriptor of a disk without anything, for guests that need no toolchain; it is the caller's."""
    made = os.memfd_create("no-toolchain", os.MFD_CLOEXEC)
    try:
        os.ftruncate(made, CAPACITY)
        return os.open(f"/proc/self/fd/{made}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(made)
