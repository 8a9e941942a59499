"""What is made once per toolchain and kept in the user's cache folder: compiled standard libraries and drivers.

Made of trusted parts only (a toolchain and our own sources), outside any sandbox, and shown to sandboxes read-only. A
folder's name is the digest of all that it was made of, so nothing in it ever changes. A file beside it is locked by
the processes that use it and tells when the last one began to; what was not used for `UNUSED_DAYS` goes when another
folder of its language is made. Method: own.
"""

import fcntl
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sandbox.environments import default_cache
from sandbox.once import once_per_process
from schemas.canonical import canonical_json, digest_bytes, digest_text
from schemas.errors import ConfigError

UNUSED_DAYS = 30
_DRIVERS = Path(__file__).parent / "drivers"
_USED = ".used"
_TOOL_S = 600.0
_FAILURE_CHARS = 500


def read_drivers(language: str) -> dict[str, bytes]:
    """Return the driver sources of a language, by file name."""
    return {path.name: path.read_bytes() for path in sorted((_DRIVERS / language).iterdir()) if path.is_file()}


def keep_folder(language: str, made_of: Mapping[str, object], make: Callable[[Path], None]) -> Path:
    """Return the folder of what was made; it is made at first use, by one process at a time.

    Args:
        made_of: plain data, or bytes, that the content depends on.
        make: fills an empty folder.

    Raises:
        ConfigError: it can't be made.
    """
    described = {name: digest_bytes(part) if isinstance(part, bytes) else part for name, part in made_of.items()}
    parent = default_cache() / "toolchains"
    folder = parent / f"{language}-{digest_text(canonical_json(described))[:24]}"
    if not folder.is_dir():
        try:
            _fill_folder(folder, language, make)
        except OSError as error:
            raise ConfigError(f"the {language} toolchain can't be kept in {parent}: {error}") from error
    _hold(folder)
    return folder


def _fill_folder(folder: Path, language: str, make: Callable[[Path], None]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{language}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return
        _prune(folder.parent, language)
        unfinished = folder.with_suffix(".unfinished")
        unfinished.mkdir()
        make(unfinished)
        _open_up(unfinished)
        unfinished.rename(folder)


@once_per_process
def _hold(folder: Path) -> None:
    """Say that a folder is used, from now until this process and those forked from it end."""
    with suppress(OSError):  # somebody else's cache can only be read
        marker = os.open(folder.with_suffix(_USED), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(marker, fcntl.LOCK_SH | fcntl.LOCK_NB)
        os.utime(marker)


def _prune(parent: Path, language: str) -> None:
    """Remove folders of a language that nobody uses, and what was never finished; the caller holds its lock."""
    for folder in parent.glob(f"{language}-*"):
        if folder.is_dir() and (folder.suffix or _is_unused(folder)):
            shutil.rmtree(folder, ignore_errors=True)
            folder.with_suffix(_USED).unlink(missing_ok=True)


def _is_unused(folder: Path) -> bool:
    try:
        with folder.with_suffix(_USED).open() as marker:
            fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
            used = os.fstat(marker.fileno()).st_mtime
    except BlockingIOError:
        return False
    except FileNotFoundError:
        used = folder.stat().st_mtime
    return time.time() - used > UNUSED_DAYS * 24 * 3600


def run_tool(argv: Sequence[str | Path], *, env: Mapping[str, str], cwd: Path | None = None, stdin: bytes = b"") -> str:
    """Return what a tool of a toolchain says on standard output; it sees no other variables than ``env``.

    Raises:
        ConfigError: it isn't there or fails; the message says what it said.
    """
    try:
        done = subprocess.run(
            [str(word) for word in argv],
            env={"PATH": os.defpath, **env},
            cwd=cwd,
            capture_output=True,
            input=stdin,
            timeout=_TOOL_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{argv[0]} doesn't work: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip() or f"it ended with {done.returncode}"
        raise ConfigError(f"{Path(argv[0]).name} failed: {said[:_FAILURE_CHARS]}")
    return done.stdout.decode("utf-8", "replace")


def read_version(text: str) -> tuple[int, ...]:
    """Return the numbers of a version, ``(12, 2, 0)`` for ``12.2.0-14``; none where the text begins with none."""
    numbers = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()


def _open_up(folder: Path) -> None:
    """Let the sandbox's user read everything."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
