"""Which files of a repository are its own code, and under which licence it stands.

Used when a snapshot becomes mutants: only the package's own source is changed, never tests, vendored or built copies,
documentation or packaging scripts. Method: own; layouts after the packaging user guide, SPDX names for licences.
"""

import posixpath
import re
import tomllib
from collections.abc import Mapping

from schemas.snapshot import Snapshot, is_test_path
from seeds.repository_trees import FileTree, TreeFile

_NOT_SOURCE_FOLDERS = frozenset({
    "test", "tests", "testing", "build", "dist", "docs", "doc", "examples", "example", "benchmarks", "benchmark",
    "bench", "vendor", "vendored", "_vendor", "third_party", "extern", "externals", "site-packages", "node_modules",
    "venv",
    ".venv", "env", ".tox", ".nox", ".eggs", "scripts", "tools", "ci", "migrations", "typings", "stubs",
})  # fmt: skip
_NOT_SOURCE_FILES = frozenset({
    "setup.py", "conftest.py", "noxfile.py", "versioneer.py", "_version.py", "version.py", "__version__.py", "tasks.py",
    "fabfile.py", "ez_setup.py", "__main__.py", "conf.py", "runtests.py",
})  # fmt: skip
_LICENSE_FILE = re.compile(r"(licen[cs]e|copying)([._-].*)?\Z", re.IGNORECASE)
_LICENSE_TEXTS = (
    ("apache license version 2.0", "Apache-2.0"),
    ("gnu affero general public license version 3", "AGPL-3.0-only"),
    ("gnu lesser general public license version 3", "LGPL-3.0-only"),
    ("gnu lesser general public license version 2.1", "LGPL-2.1-only"),
    ("gnu general public license version 3", "GPL-3.0-only"),
    ("gnu general public license version 2", "GPL-2.0-only"),
    ("mozilla public license version 2.0", "MPL-2.0"),
    ("permission is hereby granted free of charge to any person obtaining a copy", "MIT"),
    ("permission to use copy modify and or distribute this software for any purpose", "ISC"),
    ("python software foundation license", "PSF-2.0"),
    ("this is free and unencumbered software released into the public domain", "Unlicense"),
)
_CLASSIFIERS = {
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
}
_SPDX = re.compile(r"[A-Za-z0-9.+-]+( (OR|AND|WITH) [A-Za-z0-9.+-]+){0,4}\Z")


def discover_sources(paths: Mapping[str, object] | tuple[str, ...]) -> tuple[str, ...]:
    """Return the sorted paths of the repository's own Python source out of all its paths.

    With a ``src/`` layout only that folder counts; else top-level packages and modules. Copies under ``build/`` and
    the like never count.
    """
    own = [path for path in sorted(paths) if path.endswith(".py") and not is_test_path(path)]
    own = [path for path in own if not _is_excluded(path)]
    under_src = [path for path in own if path.startswith("src/")]
    if under_src:
        return tuple(under_src)
    lib = [path for path in own if path.startswith("lib/")]
    packages = {path.split("/", 1)[0] for path in own if path.count("/") == 1 and path.endswith("/__init__.py")}
    picked = [path for path in own if "/" not in path or path.split("/", 1)[0] in packages]
    return tuple(picked or lib or own)


def _is_excluded(path: str) -> bool:
    *folders, name = path.split("/")
    below_src = folders[1:] if folders[:1] == ["src"] else folders
    hidden = any(folder.startswith(".") or folder.endswith(".egg-info") for folder in folders)
    return hidden or name in _NOT_SOURCE_FILES or bool(_NOT_SOURCE_FOLDERS.intersection(below_src))


def read_sources(snapshot: Snapshot) -> dict[str, bytes]:
    """Return the bytes of every file that may be mutated, by sorted path.

    Raises:
        OSError: the snapshot's folder is gone.
    """
    root = snapshot.tree
    paths = tuple(
        place.relative_to(root).as_posix()
        for place in sorted(root.rglob("*.py"))
        if place.is_file() and not place.is_symlink()
    )
    return {path: (root / path).read_bytes() for path in discover_sources(paths)}


def detect_license(tree: FileTree) -> str:
    """Return the SPDX expression that the project file or the licence text says, or ``NOASSERTION``."""
    return _from_pyproject(tree.files) or _from_metadata(tree.files) or _from_text(tree.files) or "NOASSERTION"


def _text(files: Mapping[str, TreeFile], path: str) -> str:
    entry = files.get(path)
    return entry.data.decode("utf-8", "replace") if entry is not None and not entry.link else ""


def _from_pyproject(files: Mapping[str, TreeFile]) -> str:
    try:
        project = tomllib.loads(_text(files, "pyproject.toml")).get("project", {})
    except tomllib.TOMLDecodeError:
        return ""
    if not isinstance(project, dict):
        return ""
    stated = project.get("license", "")
    if isinstance(stated, dict):
        stated = stated.get("text", "")
    if isinstance(stated, str) and _SPDX.match(stated.strip()):
        return _normalise(stated.strip())
    classifiers = project.get("classifiers", ())
    return _from_classifiers(classifiers) if isinstance(classifiers, list) else ""


def _from_classifiers(classifiers: list[object]) -> str:
    named = {str(item).rsplit(":: ", 1)[-1] for item in classifiers if str(item).startswith("License ::")}
    found = {_CLASSIFIERS.get(name, "") for name in named - {"OSI Approved"}}
    return found.pop() if len(found) == 1 else ""


def _from_metadata(files: Mapping[str, TreeFile]) -> str:
    """Read ``PKG-INFO``, which source archives carry."""
    header = _text(files, "PKG-INFO").split("\n\n", 1)[0]
    for line in header.splitlines():
        field, _, value = line.partition(": ")
        stated = value.strip()
        if field in {"License", "License-Expression"} and _SPDX.match(stated) and stated != "UNKNOWN":
            return _normalise(stated)
    return ""


def _normalise(stated: str) -> str:
    known = {
        "Apache 2.0": "Apache-2.0", "Apache2": "Apache-2.0", "BSD": "BSD-3-Clause", "BSD3": "BSD-3-Clause",
        "mit": "MIT", "PSF": "PSF-2.0", "GPLv3": "GPL-3.0-only", "GPLv2": "GPL-2.0-only", "MPL2": "MPL-2.0",
    }  # fmt: skip
    return known.get(stated, stated)


def _from_text(files: Mapping[str, TreeFile]) -> str:
    for path in sorted(files):
        if not _LICENSE_FILE.match(posixpath.basename(path)) or path.count("/") > 1:
            continue
        words = " ".join(re.findall(r"[a-z0-9.]+", _text(files, path).lower())).replace(". ", " ")
        for phrase, name in _LICENSE_TEXTS:
            if phrase in words:
                return name
        if "redistributions of source code must retain" in words:
            return "BSD-3-Clause" if "endorse or promote" in words else "BSD-2-Clause"
    return ""
