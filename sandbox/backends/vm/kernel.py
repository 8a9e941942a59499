"""The guest's kernel: one that the user names, or Debian's, unpacked from its package without installing it.

Only the few modules that a guest needs are taken out, in the order in which they must be loaded. Method: own.
"""

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from schemas.errors import SandboxError

MODULES = ("virtio_mmio", "virtio_pci", "virtio_blk", "virtio_console", "ext4", "vmw_vsock_virtio_transport")
"""Whatever of these the kernel has as a module, with what they need."""
PACKAGE = "linux-image-cloud-amd64"
_FETCH_S = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel on disk."""

    version: str
    image: Path
    modules: tuple[Path, ...]
    """Files to load, in this order."""


def find_kernel(store: Path, *, image: Path | None = None, modules: Path | None = None) -> Kernel:
    """Return the kernel for guests.

    Args:
        store: where Debian's is kept once it was fetched.
        image: a kernel of the user's; ``None`` takes Debian's.
        modules: the folder ``lib/modules/VERSION`` that belongs to ``image``; ``None`` if all is built in.

    Raises:
        SandboxError: there is none, or it can't be fetched.
    """
    if platform.machine() != "x86_64":
        raise SandboxError(f"guests are built for x86_64 only, this is {platform.machine()}")
    if image is not None:
        if not image.is_file():
            raise SandboxError(f"there is no kernel {image}")
        files = order_modules(modules, MODULES) if modules else ()
        return Kernel(version=modules.name if modules else image.name, image=image, modules=files)
    installed = _find_installed()
    if installed is not None:
        return installed
    package = _resolve_package()
    folder = store / "kernels" / package
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            _fetch(package, folder)
    version = package.removeprefix("linux-image-")
    files = tuple(folder / name for name in (folder / "order").read_text().split())
    return Kernel(version=version, image=folder / "vmlinuz", modules=files)


def _find_installed() -> Kernel | None:
    """Return the newest installed kernel of Debian's for virtual machines, if there is one that we may read."""
    found = sorted(Path("/boot").glob("vmlinuz-*-cloud-amd64"), key=lambda path: path.stat().st_mtime)
    for image in reversed(found):
        folder = Path("/lib/modules", image.name.removeprefix("vmlinuz-"))
        if os.access(image, os.R_OK) and folder.is_dir():
            return Kernel(version=folder.name, image=image, modules=order_modules(folder, MODULES))
    return None


def _resolve_package() -> str:
    """Return the name of the package that holds the current kernel."""
    said = _call(["apt-cache", "depends", "--important", PACKAGE])
    found = re.search(r"Depends: (linux-image-[\w.+-]+)", said)
    if found is None:
        raise SandboxError(f"apt knows no {PACKAGE}; run `apt-get update`, or name a kernel yourself")
    return found[1]


def _fetch(package: str, folder: Path) -> None:
    """Unpack a kernel package and keep the image, the modules needed and their order."""
    part = Path(tempfile.mkdtemp(prefix=".kernel-", dir=folder.parent))
    try:
        _call(["apt-get", "download", "-qq", package], cwd=part)
        archive = next(part.glob("*.deb"))
        _call(["dpkg-deb", "-x", str(archive), str(part / "x")])
        version = package.removeprefix("linux-image-")
        modules = order_modules(next((part / "x").glob(f"**/lib/modules/{version}")), MODULES)
        kept = part / "kept"
        kept.mkdir(mode=0o755)
        shutil.copyfile(part / "x" / "boot" / f"vmlinuz-{version}", kept / "vmlinuz")
        for module in modules:
            shutil.copyfile(module, kept / module.name)
        (kept / "order").write_text("".join(f"{module.name}\n" for module in modules))
        kept.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _call(command: Sequence[str], cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=_FETCH_S, check=True)
    except subprocess.CalledProcessError as error:
        raise SandboxError(f"{' '.join(command)} failed: {error.stderr.strip()[-300:]}") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"{command[0]} can't be used to get a kernel: {error}; name a kernel yourself") from error
    return done.stdout


def order_modules(folder: Path, wanted: Sequence[str]) -> tuple[Path, ...]:
    """Return the files of those modules and of all they need, so that each comes after what it needs.

    Args:
        folder: ``lib/modules/VERSION`` of a kernel; names that are built in or absent are passed over.

    Raises:
        SandboxError: a module is compressed, which the guest's loader can't read.
    """
    needs = _read_needs(folder)
    places = {Path(name).name.split(".")[0].replace("-", "_"): name for name in needs}
    ordered: dict[str, None] = {}

    def visit(name: str) -> None:
        for other in needs[name]:
            visit(other)
        ordered.setdefault(name)

    for name in wanted:
        if name in places:
            visit(places[name])
    compressed = [name for name in ordered if not name.endswith(".ko")]
    if compressed:
        raise SandboxError(f"{compressed[0]} is compressed; name a kernel with plain modules")
    return tuple(folder / name for name in ordered)


def _read_needs(folder: Path) -> dict[str, list[str]]:
    """Return what each module needs, by path below the folder: from depmod's file, or else from the modules."""
    listing = folder / "modules.dep"
    if listing.is_file():
        lines = (line.split(":") for line in listing.read_text().splitlines())
        return {name: needs.split() for name, needs in lines}
    files = {path.stem.replace("-", "_"): path for path in folder.rglob("*.ko")}
    paths = {name: path.relative_to(folder).as_posix() for name, path in files.items()}
    return {paths[name]: [paths[need] for need in _own_needs(path) if need in paths] for name, path in files.items()}


def _own_needs(module: Path) -> list[str]:
    """Return the names in a module's own ``depends=`` note."""
    found = re.search(rb"\0depends=([\w,-]*)\0", module.read_bytes())
    return [name.replace("-", "_") for name in found[1].decode().split(",") if name] if found else []
