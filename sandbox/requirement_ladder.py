"""What the tests of a repository need, found without a model: declared, then guessed from the error.

Rungs, in order: nothing but pytest; the project's dependencies with its test extras, dependency groups, tox.ini and
requirement files; then every module that the suite reports as missing. Method: own.
"""

import configparser
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from sandbox.environments import BASE_PACKAGES, normalise_name

TEST_EXTRAS = ("test", "tests", "testing", "dev", "develop")
MAX_REQUIREMENTS = 60
_REQUIREMENT_FILES = ("requirements*.txt", "requirements/*.txt", "test*requirements*.txt", "tests/requirements*.txt")
_MISSING = re.compile(r"No module named '?([A-Za-z_][A-Za-z0-9_.]*)'?")
_USABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\s*(\[[^\]]*\])?\s*([<>=!~]=?[^@]*)?(;.*)?\Z")
_NOT_NEEDED = frozenset({
    *BASE_PACKAGES, "tox", "nox", "coverage", "codecov", "flake8", "black", "ruff", "mypy", "isort", "pre-commit",
    "build", "twine", "wheel", "setuptools", "sphinx", "pylint", "bandit", "bump2version", "hatch", "hatchling", "pip",
})  # fmt: skip
_DISTRIBUTIONS = {
    "yaml": "pyyaml", "dateutil": "python-dateutil", "attr": "attrs", "PIL": "pillow", "bs4": "beautifulsoup4",
    "sklearn": "scikit-learn", "cv2": "opencv-python-headless", "git": "gitpython", "pkg_resources": "setuptools<81",
    "jwt": "pyjwt", "docx": "python-docx", "serial": "pyserial", "markdown": "Markdown",
}  # fmt: skip


def declared_requirements(tree: Path) -> tuple[str, ...]:
    """Return the sorted requirements that the files of a tree declare for running its tests."""
    found: dict[str, str] = {}
    for text in [*_from_pyproject(tree), *_from_setup_cfg(tree), *_from_tox(tree), *_from_files(tree)]:
        name = normalise_name(text)
        if name and name not in _NOT_NEEDED and _USABLE.match(text.strip()):
            found.setdefault(name, text.strip())
    return tuple(sorted(found.values())[:MAX_REQUIREMENTS])


def missing_requirements(messages: Iterable[str], own_modules: Iterable[str]) -> tuple[str, ...]:
    """Return the distributions of the modules that error messages name as missing.

    Args:
        own_modules: top-level names of the repository itself, which no index should answer for.
    """
    own = set(own_modules)
    names = {match[1].split(".")[0] for text in messages for match in _MISSING.finditer(text)}
    return tuple(sorted(_DISTRIBUTIONS.get(name, name) for name in names - own))


def _load_toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _from_pyproject(tree: Path) -> Iterator[str]:
    document = _load_toml(tree / "pyproject.toml")
    project = document.get("project")
    groups = document.get("dependency-groups")
    if isinstance(project, dict):
        yield from _texts(project.get("dependencies"))
        extras = project.get("optional-dependencies")
        if isinstance(extras, dict):
            for name in TEST_EXTRAS:
                yield from _texts(extras.get(name))
    if isinstance(groups, dict):
        for name in TEST_EXTRAS:
            yield from _texts(groups.get(name))


def _read_ini(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, configparser.Error):
        return configparser.ConfigParser(interpolation=None)
    return parser


def _from_setup_cfg(tree: Path) -> Iterator[str]:
    parser = _read_ini(tree / "setup.cfg")
    yield from parser.get("options", "install_requires", fallback="").splitlines()
    yield from parser.get("options", "tests_require", fallback="").splitlines()
    for name in TEST_EXTRAS:
        yield from parser.get("options.extras_require", name, fallback="").splitlines()


def _from_tox(tree: Path) -> Iterator[str]:
    for line in _read_ini(tree / "tox.ini").get("testenv", "deps", fallback="").splitlines():
        _, colon, conditional = line.partition(": ")
        text = (conditional if colon else line).strip()
        if not text.startswith(("-", "{", "#")):
            yield text


def _from_files(tree: Path) -> Iterator[str]:
    for pattern in _REQUIREMENT_FILES:
        for path in sorted(tree.glob(pattern)):
            if "test" not in path.name and "dev" not in path.name:
                continue
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                text = line.split(" #", 1)[0].strip()
                if text and not text.startswith(("#", "-")):
                    yield text
