"""A healthy repository tree in the cache: what it is called, where it came from, and where its bytes lie.

Made by `seeds/repositories.py`, read by the mutators (source bytes) and the sandbox (the tree that suites run in). It
never enters a row: rows carry the name, the address, the commit and the digest. Method: own.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One commit of one repository without its history."""

    name: str
    """Name of the source in the config."""
    url: str
    """Where it can be cloned; ``local:<name>`` for a repository, bundle or archive on this machine."""
    commit: str
    """Full commit id; for a source archive the first 40 digits of the tree's digest."""
    tree_digest: str
    """SHA-256 of the tar of the tree."""
    license: str
    """SPDX expression, ``NOASSERTION`` when nothing was recognised."""
    folder: Path
    """Cache folder that holds ``tree.tar`` and ``tree/``; the only machine path, and it never enters a row."""
    omitted: tuple[str, ...] = ()
    """Paths that were left out: submodules, blobs that can't be read, symbolic links that leave the tree."""

    @property
    def tar(self) -> Path:
        """The deterministic tar of the tree."""
        return self.folder / "tree.tar"

    @property
    def tree(self) -> Path:
        """The unpacked tree; read-only by agreement."""
        return self.folder / "tree"


def is_test_path(path: str) -> bool:
    """Return whether a path belongs to the tests: a test folder, a test module, or a ``conftest.py``."""
    *folders, name = path.split("/")
    if {"test", "tests", "testing"}.intersection(folders) or name == "conftest.py":
        return True
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py") or name == "tests.py")
