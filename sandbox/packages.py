"""Packages that Python solutions may import: a folder that the user has installed them into, as the sandbox sees it.

The folder is mounted read-only behind the standard library, on every level; nothing is ever downloaded, and no ``.pth``
file in it is followed. What is in it is read from the metadata that installers leave, so that verdicts can name it.
Method: own.
"""

import csv
import hashlib
import importlib.metadata
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.base import Mount
from schemas.canonical import canonical_json, digest_text
from schemas.errors import ConfigError
from schemas.proven import PACKAGES_WORD, Proven

if TYPE_CHECKING:
    from schemas.config import Sandbox  # nobody else here needs pydantic

PLACE = "/opt/packages"
"""Folder inside."""
PACKAGES_VARIABLE, PRELOAD_VARIABLE = "TASKFOUNDRY_PACKAGES", "TASKFOUNDRY_PRELOAD"
"""Environment variables with the folder, and the modules to import ahead, between commas."""
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""Environment by which numerical libraries start no threads: none survives a fork, and all count as processes."""
_MOST_NAMES = 30
_DIGEST_CHARS = 16
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_TAG = re.compile(r"^Tag: (?P<python>[^-\s]+)-(?P<abi>[^-\s]+)-", re.MULTILINE)
_PYTHON = re.compile(r"cp3(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """Installed packages; made by `find_packages`."""

    folder: Path
    names: tuple[str, ...]
    """Name and version of each, for instance ``numpy 2.4.6``, sorted."""
    digest: str
    """SHA-256 of the version of Python, of what the installers say of every file, and of every other file."""
    preload: tuple[str, ...] = ()
    """Modules that a fork server imports before its first child."""

    @property
    def mount(self) -> Mount:
        """Where they are inside."""
        return Mount(source=self.folder, target=PLACE)

    def describe(self, interpreter: str) -> str:
        """Return an interpreter and the packages as a toolchain, for instance
        ``cpython 3.11.7, numpy 2.4.6, packages 0123456789abcdef``."""
        named = [*self.names[:_MOST_NAMES], *([f"{len(self.names)} in all"] if len(self.names) > _MOST_NAMES else [])]
        return ", ".join([interpreter, *named, f"{PACKAGES_WORD} {self.digest[:_DIGEST_CHARS]}"])


def describe_toolchain(interpreter: str, packages: Packages | None) -> str:
    """Return the name and version of an interpreter, and of the packages that programs may import."""
    return interpreter if packages is None else packages.describe(interpreter)


def find_configured(section: "Sandbox", base_dir: Path) -> Packages | None:
    """Return the packages that a config names, None when it names none.

    Args:
        base_dir: folder that the config's relative paths start from.

    Raises:
        ConfigError: as `find_packages`.
    """
    return find_packages(base_dir / section.packages, section.preload) if section.packages else None


def find_named(environment: Mapping[str, str]) -> Packages | None:
    """Return the packages that environment variables name, None when they name none; for trainers, which can't pass
    them.

    Raises:
        ConfigError: as `find_packages`.
    """
    folder = environment.get(PACKAGES_VARIABLE, "")
    preload = [name.strip() for name in environment.get(PRELOAD_VARIABLE, "").split(",") if name.strip()]
    return find_packages(Path(folder), preload) if folder else None


def require_packages(task: Proven, packages: Packages | None) -> None:
    """Accept a task that can be judged with these packages.

    Raises:
        ConfigError: it was proven with packages, and there are none now: what imports them would be called wrong.
    """
    if packages is None and task.evidence.needs_packages:
        raise ConfigError(
            f"task {task.candidate.record_id!r} was proven with {task.evidence.toolchain}; solutions may import these, "
            f"so install them and name their folder: --packages, packages= or the variable {PACKAGES_VARIABLE}"
        )


def find_packages(folder: Path, preload: Sequence[str] = ()) -> Packages:
    """Return the packages of a folder: a virtual environment, or what ``pip install --target`` has made.

    Nothing of them is imported.

    Args:
        preload: modules that a fork server imports before its first child.

    Raises:
        ConfigError: there is no such folder, it is another Python's, or it lacks a module of ``preload``.
    """
    site = _find_site(folder)
    found = sorted(importlib.metadata.distributions(path=[str(site)]), key=_name_of)
    for distribution in found:
        _check_version(distribution)
    for module in preload:
        _check_module(module, site)
    names = tuple(_name_of(distribution) for distribution in found)
    try:
        parts = [_own_version(), list(names), sorted(_list_files(site, found))]
    except OSError as error:
        raise ConfigError(f"packages: {site} can't be read: {error}") from error
    return Packages(folder=site, names=names, digest=digest_text(canonical_json(parts)), preload=tuple(preload))


def _own_version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _find_site(folder: Path) -> Path:
    if not folder.is_dir():
        raise ConfigError(f"packages: {folder} is no folder. Make one with `pip install --target {folder} numpy`")
    if not (folder / "pyvenv.cfg").is_file():
        return folder.resolve()
    site = folder / "lib" / f"python{_own_version()}" / "site-packages"
    if not site.is_dir():
        others = ", ".join(sorted(path.name for path in (folder / "lib").glob("python3*"))) or "none"
        raise ConfigError(
            f"packages: {folder} is no environment of Python {_own_version()}, which runs solutions; it is of {others}"
        )
    return site.resolve()


def _name_of(distribution: importlib.metadata.Distribution) -> str:
    name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"] or "").lower()
    return f"{name} {distribution.version}"


def _check_version(distribution: importlib.metadata.Distribution) -> None:
    """Refuse a package that was built for another Python."""
    tags = [match.groups() for match in _TAG.finditer(distribution.read_text("WHEEL") or "")]
    if tags and not any(_fits(python, abi) for python, abi in tags):
        raise ConfigError(
            f"packages: {_name_of(distribution)} was installed for {tags[0][0]}, and solutions run on Python "
            f"{_own_version()}; install it with that one"
        )


def _fits(python: str, abi: str) -> bool:
    built = _PYTHON.fullmatch(python)
    if built is None:
        return True
    minor = int(built[1])
    return minor <= sys.version_info.minor if abi in {"abi3", "none"} else minor == sys.version_info.minor


def _check_module(module: str, site: Path) -> None:
    if not _MODULE.fullmatch(module):
        raise ConfigError(f"preload: {module!r} is no name of a module")
    first = module.partition(".")[0]
    if first not in sys.stdlib_module_names and not ((site / first).is_dir() or any(site.glob(f"{first}.*"))):
        raise ConfigError(f"preload: there is no module {first!r} in {site}")


def _list_files(site: Path, found: Sequence[importlib.metadata.Distribution]) -> Iterator[str]:
    """Yield path and digest of every file that can matter, as installers have recorded them, or else read now."""
    recorded = set()
    for distribution in found:
        for name, digest, *_ in csv.reader((distribution.read_text("RECORD") or "").splitlines()):
            if digest and not name.startswith(".."):
                recorded.add(name)
                if not _is_derived(name):
                    yield f"{name} {digest}"
    for folder, _, files in os.walk(site):
        for file in files:
            path = Path(folder, file)
            name = path.relative_to(site).as_posix()
            if name not in recorded and not _is_derived(name):
                yield f"{name} {hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ''}"


def _is_derived(name: str) -> bool:
    """Return whether a file is compiled from another one, or about the installation alone."""
    first = name.partition("/")[0]
    return "__pycache__/" in name or first == "bin" or first.endswith((".dist-info", ".egg-info"))
