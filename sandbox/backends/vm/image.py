"""Guest images: a kernel, an initramfs and a root disk in a content-addressed store, built without any registry.

``python -m sandbox.backends.vm.image`` builds one by hand; the backends build what they lack. Method: own;
``mkfs.ext4 -d`` fills the disk, so nothing is mounted and no root is needed.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from sandbox.backends.vm.compilers import TOOLCHAINS, describe_paths, describe_toolchain
from sandbox.backends.vm.contents import lay_root, list_agent_files
from sandbox.backends.vm.initramfs import find_busybox, make_initramfs
from sandbox.backends.vm.kernel import Kernel, find_kernel
from sandbox.trees import digest_of
from schemas.errors import ConfigError, SandboxError, TaskfoundryError, suggest_name

LAYOUT = 5
KEPT = 6
"""How many images, and how many states, stay in a store."""
_MIB = 1024 * 1024
_SPARE_MB = 32
_BUILD_S = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What an image is made of."""

    toolchains: tuple[str, ...] = ("python", "cpp")
    """Names out of `sandbox.backends.vm.compilers.TOOLCHAINS`: whose commands are in every guest. Those of all other
    languages come on a disk of their own into the guests that need them (`sandbox.backends.vm.toolchains`)."""
    folders: tuple[Path, ...] = ()
    """Further folders of this machine, at the same path in the guest; a job's mounts out of them aren't sent."""
    kernel: Path | None = None
    """``None`` takes Debian's."""
    modules: Path | None = None
    """``lib/modules/VERSION`` of that kernel."""


DEFAULT_RECIPE = Recipe()


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image on disk."""

    digest: str
    kernel: Path
    initrd: Path
    root: Path


def default_store() -> Path:
    """Return where images are kept if nothing else is said."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "taskfoundry" / "machines"


def build_image(recipe: Recipe, store: Path) -> Image:
    """Return the image of a recipe, built now if the store lacks it.

    Raises:
        ConfigError: no such toolchain, or it isn't on this machine.
        SandboxError: a tool is missing (the message names its package), or the store can't be written.
    """
    for name in recipe.toolchains:
        if name not in TOOLCHAINS:
            raise ConfigError(f"unknown toolchain {name!r} for a guest.{suggest_name(name, TOOLCHAINS)}")
    kernel = find_kernel(store, image=recipe.kernel, modules=recipe.modules)
    digest = _digest(recipe, kernel)
    folder = store / "images" / digest[:32]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock"):
            if not folder.is_dir():
                _build(recipe, kernel, folder)
                prune_store(folder.parent)
            folder.touch()
    except OSError as error:
        raise SandboxError(f"a guest image can't be written to {store}: {error}") from error
    return Image(digest=digest, kernel=folder / "vmlinuz", initrd=folder / "initrd", root=folder / "root.ext4")


def _digest(recipe: Recipe, kernel: Kernel) -> str:
    """Return the digest of everything that goes in; of the compilers and folders, their times and sizes."""
    agent = {name: digest_of(path.read_bytes()) for name, path in list_agent_files().items()}
    compilers = [describe_toolchain(name) for name in sorted(recipe.toolchains)]
    folders = describe_paths(recipe.folders)
    parts = [LAYOUT, digest_of(kernel.image.read_bytes()), [path.name for path in kernel.modules], sys.version]
    parts += [sys.base_prefix, platform.libc_ver(), sorted(recipe.toolchains), compilers, folders, agent]
    return digest_of(json.dumps(parts, sort_keys=True).encode())


def _build(recipe: Recipe, kernel: Kernel, folder: Path) -> None:
    part = Path(tempfile.mkdtemp(prefix=".image-", dir=folder.parent))
    try:
        part.chmod(0o755)
        (part / "initrd").write_bytes(make_initramfs(find_busybox(), kernel.modules))
        shutil.copyfile(kernel.image, part / "vmlinuz")
        stage = part / "stage"
        stage.mkdir(mode=0o755)
        lay_root(stage, toolchains=recipe.toolchains, folders=recipe.folders)
        make_disk(stage, part / "root.ext4")
        shutil.rmtree(stage)
        for path in part.iterdir():
            path.chmod(0o644)  # QEMU reads them as another user, through our descriptors
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def prune_store(folder: Path, *, kept: int = KEPT) -> None:
    """Remove all but the entries of a folder that were used last."""
    entries = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: -path.stat().st_mtime)
    for path in [path for path in entries if not path.name.startswith(".")][kept:]:
        shutil.rmtree(path, ignore_errors=True)
        path.with_name(f"{path.name}.lock").unlink(missing_ok=True)


def make_disk(stage: Path, disk: Path) -> None:
    """Write an ext4 file system that holds what is in a folder.

    Raises:
        SandboxError: the tool is missing or failed.
    """
    used = sum(path.lstat().st_size + 4096 for path in stage.rglob("*"))
    tool = shutil.which("mkfs.ext4", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if tool is None:
        raise SandboxError("no mkfs.ext4 to make the guest's disk; install the package e2fsprogs")
    features = "^has_journal,^metadata_csum,^resize_inode"
    command = [tool, "-q", "-F", "-m", "0", "-O", features, "-E", "root_owner=0:0", "-d", str(stage), str(disk)]
    size_mb = used * 11 // (10 * _MIB) + _SPARE_MB
    try:
        subprocess.run([*command, f"{size_mb}M"], capture_output=True, text=True, timeout=_BUILD_S, check=True)
    except subprocess.CalledProcessError as error:
        raise SandboxError(f"mkfs.ext4 failed: {error.stderr.strip()[-300:]}") from error
    except subprocess.SubprocessError as error:
        raise SandboxError(f"mkfs.ext4 failed: {error}") from error


def main() -> int:
    """Build an image and print where it is; returns 2 for what the user can fix."""
    parser = argparse.ArgumentParser(description="Build the image of the virtual machine backends.")
    parser.add_argument("--store", type=Path, default=default_store(), help="where images are kept")
    parser.add_argument("--toolchain", action="append", choices=sorted(TOOLCHAINS), help="what is in it; repeatable")
    parser.add_argument("--folder", action="append", type=Path, default=[], help="a further folder; repeatable")
    parser.add_argument("--kernel", type=Path, help="a kernel image instead of Debian's")
    parser.add_argument("--modules", type=Path, help="lib/modules/VERSION of that kernel")
    given = parser.parse_args()
    toolchains = tuple(given.toolchain or DEFAULT_RECIPE.toolchains)
    recipe = Recipe(
        toolchains=toolchains, folders=tuple(given.folder), kernel=given.kernel, modules=given.modules
    )  # fmt: skip
    try:
        image = build_image(recipe, given.store)
    except TaskfoundryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{image.root.parent}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
