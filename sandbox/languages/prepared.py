"""What is compiled of our own once per toolchain, before any solution: precompiled headers and driver libraries.

Kept in the user's cache by a digest of all that it depends on, so a new compiler makes it again. Only text of ours is
compiled here, so no sandbox is needed. Method: own.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock

from sandbox.backends.leftovers import state_folder
from sandbox.environments import default_cache
from schemas.errors import ConfigError

DRIVERS = Path(__file__).parent / "drivers"
"""Folder with the drivers' sources."""
_COMPILE_S = 300


def prepare(language: str, facts: Sequence[str], make: Callable[[Path], None]) -> Path:
    """Return a folder that anyone may read, made by ``make`` if the cache lacks it.

    Args:
        facts: all that the content depends on.
        make: fills the empty folder that it is given.
    """
    base = default_cache() / "languages"
    if not _is_writable(base):
        base = state_folder() / "languages"
    digest = hashlib.sha256("\0".join(facts).encode()).hexdigest()[:32]
    folder = base / f"{language}-{digest}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if folder.is_dir():
            return folder
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        make(partial)
        for path in (partial, *partial.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        partial.rename(folder)
    return folder


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def ask_compiler(package: str, command: Sequence[str], folder: Path | None = None) -> str:
    """Return what a compiler says on standard output.

    Args:
        package: to name when it fails.
        folder: where it runs; None takes the root folder, where no project's settings are found.

    Raises:
        ConfigError: it fails.
    """
    try:
        done = subprocess.run(
            command, cwd=folder or "/", capture_output=True, check=True, timeout=_COMPILE_S, encoding="utf-8"
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or ""
        raise ConfigError(f"{command[0]} doesn't work; install the package {package} again: {error} {said}") from error
    return done.stdout.strip()
