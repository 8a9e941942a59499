import subprocess
from pathlib import Path

import pytest


class Tree:
    """A folder that real `git apply` runs in."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, data: bytes) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def apply(self, patch: str, *options: str) -> None:
        done = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", *options, "-"],
            input=patch.encode("utf-8"),
            cwd=self.root,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)
