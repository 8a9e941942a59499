"""Content-addressed environments: a folder of importable packages for one Python version and one set of requirements.

The base layer is pytest with its dependencies, copied from our own environment file by file, so a repository without
requirements needs no network. Further requirements are installed as wheels only (`--only-binary`), which runs no
foreign code on this machine. Built once under a lock and renamed into place. Method: own.
"""

import compileall
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

from filelock import FileLock

from schemas.canonical import canonical_json, digest_text
from schemas.errors import SandboxError, SeedError

BASE_PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
LAYOUT_VERSION = 1
INSTALL_TIMEOUT_S = 600
_NEVER_IMPORTED = re.compile(r"/pygments/(lexers|styles)/")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_KEPT_VARIABLES = re.compile(
    r"(PATH|HOME|XDG_CONFIG_HOME|PIP_.*|SSL_CERT_.*|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|HTTPS?_PROXY|NO_PROXY)\Z",
    re.IGNORECASE,
)


def default_cache() -> Path:
    """Return the user's cache folder for clones and environments."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "taskfoundry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """An environment on disk."""

    digest: str
    """SHA-256 of the Python version and of every package with its version."""
    folder: Path
    """Folder that goes onto the module path; it holds no executable of ours."""
    python_version: str
    requirements: tuple[str, ...]
    """What was asked for, sorted."""
    packages: tuple[str, ...]
    """``name==version`` of everything in it, sorted."""


def normalise_name(requirement: str) -> str:
    """Return the normalised project name of a requirement, or an empty text."""
    match = _NAME.match(requirement.strip())
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def build_environment(requirements: Sequence[str], cache: Path) -> Environment:
    """Return the environment of a requirement set, building it when the cache lacks it.

    Args:
        requirements: PEP 508 texts; empty gives the base layer.
        cache: folder of environments; made when missing.

    Raises:
        SeedError: pip can't install a requirement (``install_failed``, or ``no_package_index`` which is retriable).
        SandboxError: our own pytest can't be copied, or the cache can't be written.
    """
    wanted = tuple(sorted({text.strip() for text in requirements if text.strip()}))
    python = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    base = tuple(f"{name}=={importlib.metadata.version(name)}" for name in BASE_PACKAGES)
    key = digest_text(canonical_json([LAYOUT_VERSION, python, list(base), list(wanted)]))
    place = cache / "environments" / key[:32]
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock"):
            if not (place / "environment.json").exists():
                _build(wanted, place)
            described = json.loads((place / "environment.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise SandboxError(f"environment can't be written: {error}") from error
    packages = tuple(described["packages"])
    return Environment(
        digest=digest_text(canonical_json([python, list(packages)])),
        folder=place / "site",
        python_version=python,
        requirements=wanted,
        packages=packages,
    )


def _build(wanted: Sequence[str], place: Path) -> None:
    part = Path(tempfile.mkdtemp(prefix=".environment-", dir=place.parent))
    try:
        part.chmod(0o755)
        site = part / "site"
        if wanted:
            _install(wanted, site, part)
        _copy_base(site)
        compileall.compile_dir(site, quiet=2, rx=_NEVER_IMPORTED, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
        packages = sorted(
            f"{normalise_name(found.metadata['Name'])}=={found.version}"
            for found in importlib.metadata.distributions(path=[str(site)])
        )
        (part / "environment.json").write_text(json.dumps({"packages": packages}), encoding="utf-8")
        shutil.rmtree(place, ignore_errors=True)
        part.replace(place)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _base_files() -> Iterator[tuple[Path, str]]:
    """Yield the files of the base layer with their place below the environment's folder."""
    for name in BASE_PACKAGES:
        found = importlib.metadata.distribution(name)
        for file in found.files or ():
            relative = file.as_posix()
            if ".." not in file.parts and not relative.endswith(".pyc"):
                yield Path(str(found.locate_file(file))), relative


def _copy_base(site: Path) -> None:
    """Lay our pytest over whatever was installed: the base layer is always ours."""
    for name in BASE_PACKAGES:
        for stale in importlib.metadata.distributions(name=name, path=[str(site)]):
            for file in stale.files or ():
                Path(str(stale.locate_file(file))).unlink(missing_ok=True)
    for source, relative in _base_files():
        target = site / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    if not (site / "pytest" / "__init__.py").is_file():
        raise SandboxError("our own environment has no pytest files to copy; reinstall it with `pip install pytest`")


def _install(wanted: Sequence[str], site: Path, part: Path) -> None:
    command = [
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-compile",
        "--only-binary", ":all:", "--target", str(site), "--", *wanted,
    ]  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if _KEPT_VARIABLES.match(name)}
    environment["TMPDIR"] = str(part)
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, timeout=INSTALL_TIMEOUT_S, check=False, cwd=part
        )
    except subprocess.TimeoutExpired as error:
        raise SeedError(
            f"pip needed more than {INSTALL_TIMEOUT_S} s for {', '.join(wanted)}",
            reason="install_failed",
            retriable=True,
        ) from error
    if done.returncode:
        raise _install_error(wanted, done.stderr.decode("utf-8", "replace"))


def _install_error(wanted: Sequence[str], said: str) -> SeedError:
    lines = [line for line in said.splitlines() if line.startswith("ERROR:")] or said.splitlines()[-1:]
    offline = re.search(r"NewConnectionError|Name or service not known|ConnectTimeout|Max retries|No route", said)
    unreachable = bool(offline) or ("from versions: none" in said and "Could not fetch URL" in said)
    return SeedError(
        f"pip can't install {', '.join(wanted)}: {' '.join(lines)[:600]}",
        reason="no_package_index" if unreachable else "install_failed",
        retriable=unreachable,
    )
