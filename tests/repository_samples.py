"""Small git repositories for tests, made from literal files."""

from collections.abc import Mapping
from pathlib import Path

import git

from schemas.candidate import Candidate, FileEdit, RepositoryMutation, TaskStyle
from schemas.config import RepositorySource
from schemas.limits import Limits
from schemas.snapshot import Snapshot
from schemas.source import SourceKind, SourceRef
from seeds.repositories import take_snapshot

SUITE_LIMITS = Limits(cpu_s=30, wall_s=60, memory_mb=512, disk_mb=128)
AUTHOR = git.Actor("Taskfoundry Authors", "noreply@example.org")
WHEN = "2024-02-01T09:00:00 +0000"

PRICES = b"""\
class Money:
    def __init__(self, cents):
        self.cents = cents

    def __eq__(self, other):
        return isinstance(other, Money) and self.cents == other.cents

    __hash__ = None


def total(prices):
    return sum(prices)


def discounted(amount, percent):
    return amount - amount * percent // 100


def convert(cents):
    return Money(cents)
"""
TEST_PRICES = b"""\
import pytest

from shop.prices import Money, convert, discounted, total


def test_total():
    assert total([1, 2, 3]) == 6


def test_total_of_nothing():
    assert total([]) == 0


@pytest.mark.parametrize(("percent", "expected"), [(0, 200), (10, 180), (50, 100)])
def test_discount(percent, expected):
    assert discounted(200, percent) == expected


def test_convert():
    assert convert(5) == Money(5)


class TestMoney:
    def test_money_differs(self):
        assert Money(1) != Money(2)
"""
SHOP: Mapping[str, bytes] = {
    "pyproject.toml": b'[project]\nname = "shop"\nversion = "1"\nlicense = "MIT"\n'
    b'[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    "src/shop/__init__.py": b"",
    "src/shop/prices.py": PRICES,
    "tests/conftest.py": b"import pytest\n\n\n@pytest.fixture\ndef unused():\n    return 1\n",
    "tests/test_prices.py": TEST_PRICES,
}
BUG = (b"amount - amount * percent", b"amount + amount * percent")


def make_repository(folder: Path, files: Mapping[str, bytes]) -> git.Repo:
    """Return a repository with one commit that holds the files."""
    repository = git.Repo.init(folder, initial_branch="main")
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    repository.git.add("-A", "-f")
    repository.index.commit("Start", author=AUTHOR, committer=AUTHOR, author_date=WHEN, commit_date=WHEN)
    return repository


def make_snapshot(folder: Path, files: Mapping[str, bytes] = SHOP) -> Snapshot:
    """Return the snapshot of a one-commit repository below a folder that is used for nothing else."""
    make_repository(folder / "shop", files).close()
    source = RepositorySource(kind="repository", name="shop", location=str(folder / "shop"))
    return take_snapshot(source, folder, folder / "cache")


def shared_cache(folder: Path) -> Path:
    """Return the environment cache that all tests of one session share.

    Args:
        folder: a test's own temporary folder.
    """
    return folder.parent / "environments"


def make_mutant(snapshot: Snapshot, path: str, change: tuple[bytes, bytes]) -> Candidate:
    """Return a candidate that replaces the first occurrence of some bytes; the patches are written by git."""
    old, new = change
    healthy = (snapshot.tree / path).read_bytes()
    start = healthy.index(old)
    broken = healthy.replace(old, new, 1)
    edit = FileEdit(path=path, start=start, end=start + len(old), replacement_hex=new.hex())
    mutation = RepositoryMutation(
        repository=snapshot.name,
        url=snapshot.url,
        base_commit=snapshot.commit,
        tree_digest=snapshot.tree_digest,
        environment_digest="",
        operator="sample",
        edits=(edit,),
        bug_patch=_diff(snapshot.folder, path, healthy, broken),
        fix_patch=_diff(snapshot.folder, path, broken, healthy),
    )
    return Candidate(
        record_id=f"mutant-{start}-{new.hex()[:8]}",
        source=SourceRef(
            source=snapshot.name, kind=SourceKind.REPOSITORY, locator=f"{snapshot.name}@{snapshot.commit}"
        ),
        style=TaskStyle.REPOSITORY,
        statement="",
        mutation=mutation,
    )


def _diff(folder: Path, path: str, before: bytes, after: bytes) -> str:
    scratch = folder.parent.parent / "diff"
    repository = make_repository(scratch, {path: before}) if not scratch.exists() else git.Repo(scratch)
    (scratch / path).parent.mkdir(parents=True, exist_ok=True)
    (scratch / path).write_bytes(before)
    repository.git.add("-A", "-f")
    (scratch / path).write_bytes(after)
    text = repository.git.diff("--no-color", "--", path, strip_newline_in_stdout=False)
    repository.close()
    return str(text)
