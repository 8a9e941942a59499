"""Snapshots of repositories: pinned, history-free, equal for equal content."""

import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import git
import pytest

from schemas.config import RepositorySource
from schemas.errors import SeedError
from schemas.snapshot import Snapshot
from seeds.repositories import take_snapshot
from tests.repository_samples import AUTHOR, SHOP, WHEN, make_repository, make_snapshot

BUNDLE = Path(__file__).parents[2] / "examples" / "demo" / "quartermaster.bundle"


def take(location: str | Path, folder: Path, *, commit: str = "HEAD") -> Snapshot:
    source = RepositorySource(kind="repository", name="sample", location=str(location), commit=commit)
    return take_snapshot(source, folder, folder / "cache")


def test_snapshot_of_a_folder_holds_the_commit_and_no_history(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop", SHOP)
    (tmp_path / "shop" / "untracked.py").write_text("x = 1\n")
    snapshot = take(tmp_path / "shop", tmp_path)
    assert snapshot.url == "local:shop"
    assert snapshot.commit == repository.head.commit.hexsha
    assert snapshot.license == "MIT"
    assert sorted(
        path.relative_to(snapshot.tree).as_posix() for path in snapshot.tree.rglob("*") if path.is_file()
    ) == sorted(SHOP)
    assert not (snapshot.tree / ".git").exists()


def test_equal_trees_have_equal_digests_wherever_they_come_from(tmp_path: Path) -> None:
    from_folder = make_snapshot(tmp_path / "one")
    archive = tmp_path / "shop-1.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for path, data in reversed(SHOP.items()):
            member = tarfile.TarInfo(f"shop-1/{path}")
            member.size, member.mtime, member.uid = len(data), 1234567, 42
            tar.addfile(member, io.BytesIO(data))
    from_archive = take(archive, tmp_path)
    with zipfile.ZipFile(tmp_path / "shop-1.zip", "w") as packed:
        for path, data in SHOP.items():
            packed.writestr(f"shop-1/{path}", data)
    from_zip = take("shop-1.zip", tmp_path)
    assert from_folder.tree_digest == from_archive.tree_digest == from_zip.tree_digest
    assert from_folder.tar.read_bytes() == from_archive.tar.read_bytes()
    assert (from_archive.url, from_archive.commit) == ("local:shop-1.tar.gz", from_archive.tree_digest[:40])


def test_packed_tree_names_no_owner_and_no_time(tmp_path: Path) -> None:
    with tarfile.open(make_snapshot(tmp_path).tar) as tar:
        members = tar.getmembers()
    assert [member.name for member in members] == sorted(SHOP)
    assert {(member.mtime, member.uid, member.gid, member.uname) for member in members} == {(0, 0, 0, "")}


def test_bundle_is_read_and_pinned_to_a_tag(tmp_path: Path) -> None:
    newest = take(BUNDLE, tmp_path)
    tagged = take(BUNDLE, tmp_path, commit="v0.4.0")
    older = take(BUNDLE, tmp_path, commit=f"{newest.commit}~3")
    assert newest.url == "local:quartermaster"
    assert newest.license == "Apache-2.0"
    assert newest.tree_digest == tagged.tree_digest != older.tree_digest


def test_file_address_is_cloned_once_and_fetched_when_the_commit_is_new(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop", SHOP)
    address = f"file://{tmp_path / 'shop'}"
    first = take(address, tmp_path, commit="main")
    (tmp_path / "shop" / "src/shop/__init__.py").write_text('"""Prices."""\n')
    repository.git.add("-A")
    newer = repository.index.commit("Describe", author=AUTHOR, committer=AUTHOR, author_date=WHEN, commit_date=WHEN)
    second = take(address, tmp_path, commit=newer.hexsha)
    assert first.tree_digest != second.tree_digest
    assert second.commit == newer.hexsha


def test_missing_commit_names_it_and_offers_branches_and_tags(tmp_path: Path) -> None:
    with pytest.raises(SeedError, match=r"commit 'v0\.4\.1' isn't in .*Did you mean 'v0\.4\.0'\?.*main") as caught:
        take(BUNDLE, tmp_path, commit="v0.4.1")
    assert caught.value.reason == "missing_commit"


@pytest.mark.parametrize("commit", ["0" * 40, "--upload-pack=touch x", "HEAD~99", "main:nothing"])
def test_odd_revisions_are_refused(commit: str, tmp_path: Path) -> None:
    with pytest.raises(SeedError) as caught:
        take(BUNDLE, tmp_path, commit=commit)
    assert caught.value.reason == "missing_commit"


@pytest.mark.parametrize(
    ("location", "reason", "retriable"),
    [
        ("nowhere", "missing_repository", False),
        ("nowhere.tar.gz", "missing_repository", False),
        ("plain", "not_a_repository", False),
        ("cut.tar.gz", "broken_archive", False),
        ("text.bundle", "clone_failed", False),
        ("file:///nonexistent/repository", "clone_failed", True),
        ("ext::sh -c touch% /tmp/x", "missing_repository", False),
    ],
)
def test_unreadable_locations_say_why(location: str, reason: str, retriable: bool, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "cut.tar.gz").write_bytes(b"\x1f\x8b\x08\x00")
    (tmp_path / "text.bundle").write_text("no bundle")
    with pytest.raises(SeedError) as caught:
        take(location, tmp_path)
    assert (caught.value.reason, caught.value.retriable) == (reason, retriable)
    assert str(tmp_path) not in str(caught.value)


def test_odd_bytes_survive(tmp_path: Path) -> None:
    files = {
        "crlf.py": b"x = 1\r\ny = 2\r\n",
        "latin.py": b"# -*- coding: latin-1 -*-\nname = '\xe9'\n",
        "no_end.py": b"x = 1",
        "feed.py": b"x = 1\n\x0cy = 2\n",
        "bom.py": b"\xef\xbb\xbfx = 1\n",
        "data.bin": bytes(range(256)),
        "näme with blank.txt": b"text",
    }
    snapshot = make_snapshot(tmp_path, files)
    assert {path: (snapshot.tree / path).read_bytes() for path in files} == files


def test_links_stay_only_when_they_stay_inside(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop", SHOP)
    (tmp_path / "shop" / "inside").symlink_to("src/shop")
    (tmp_path / "shop" / "outside").symlink_to("../../etc/passwd")
    (tmp_path / "shop" / "absolute").symlink_to("/etc/passwd")
    repository.git.add("-A")
    repository.index.commit("Link", author=AUTHOR, committer=AUTHOR)
    snapshot = take(tmp_path / "shop", tmp_path)
    assert (snapshot.tree / "inside").readlink() == Path("src/shop")
    assert snapshot.omitted == ("absolute", "outside")
    assert not (snapshot.tree / "outside").is_symlink()


def test_archive_members_that_leave_the_tree_are_left_out(tmp_path: Path) -> None:
    archive = tmp_path / "evil.tar"
    with tarfile.open(archive, "w") as tar:
        for name in ("pkg/fine.py", "pkg/../../escape.py", "/absolute.py"):
            member = tarfile.TarInfo(name)
            member.size = 2
            tar.addfile(member, io.BytesIO(b"x\n"))
        link = tarfile.TarInfo("pkg/door")
        link.type, link.linkname = tarfile.SYMTYPE, "/tmp"
        tar.addfile(link)
        behind = tarfile.TarInfo("pkg/door/behind.py")
        behind.size = 2
        tar.addfile(behind, io.BytesIO(b"x\n"))
    snapshot = take(archive, tmp_path)
    files = [path.relative_to(snapshot.tree).as_posix() for path in snapshot.tree.rglob("*") if path.is_file()]
    assert files == ["pkg/fine.py", "pkg/door/behind.py"] or files == ["pkg/door/behind.py", "pkg/fine.py"]
    assert not (tmp_path / "escape.py").exists()


def test_submodules_are_named_as_omitted(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop", SHOP)
    commit = repository.head.commit.hexsha
    repository.git.update_index("--add", "--cacheinfo", f"160000,{commit},vendor/other")
    repository.git.commit("-m", "Pin", "--author", "A <a@example.org>", env=_committer())
    assert take(tmp_path / "shop", tmp_path).omitted == ("vendor/other",)


def _committer() -> dict[str, str]:
    return {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org"}


def test_blobs_that_the_clone_lacks_are_named_as_omitted(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop", {**SHOP, "large.bin": b"large" * 100})
    blob = repository.head.commit.tree / "large.bin"
    (tmp_path / "shop" / ".git" / "objects" / blob.hexsha[:2] / blob.hexsha[2:]).unlink()
    snapshot = take(tmp_path / "shop", tmp_path)
    assert snapshot.omitted == ("large.bin",)
    assert (snapshot.tree / "src/shop/prices.py").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_repository_of_another_owner_is_read(tmp_path: Path) -> None:
    make_repository(tmp_path / "shop", SHOP).close()
    for place in (tmp_path / "shop", *(tmp_path / "shop").rglob("*")):
        os.chown(place, 65534, 65534)
    assert take(tmp_path / "shop", tmp_path).license == "MIT"


def test_local_configuration_can_not_make_git_run_anything(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop", {**SHOP, "large.bin": b"large" * 100})
    blob = repository.head.commit.tree / "large.bin"
    repository.close()
    (tmp_path / "shop" / ".git" / "objects" / blob.hexsha[:2] / blob.hexsha[2:]).unlink()
    with (tmp_path / "shop" / ".git" / "config").open("a") as file:
        file.write(
            '[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n'
            f"\turl = {tmp_path / 'nowhere'}\n\tuploadpack = touch {tmp_path / 'executed'};\n"
        )
    assert take(tmp_path / "shop", tmp_path).omitted == ("large.bin",)
    assert not (tmp_path / "executed").exists()


def test_empty_repository_is_refused(tmp_path: Path) -> None:
    git.Repo.init(tmp_path / "empty").close()
    with pytest.raises(SeedError) as caught:
        take(tmp_path / "empty", tmp_path)
    assert caught.value.reason == "missing_commit"


def test_credentials_never_reach_the_record_or_the_message(tmp_path: Path) -> None:
    with pytest.raises(SeedError) as caught:
        take("https://user:secret@localhost:1/repository.git", tmp_path)
    assert "secret" not in str(caught.value)


def change_a_file(snapshot: Snapshot) -> None:
    (snapshot.tree / "pyproject.toml").write_text("other")


def add_a_file(snapshot: Snapshot) -> None:
    (snapshot.tree / "more.py").write_text("")


def remove_a_file(snapshot: Snapshot) -> None:
    (snapshot.tree / "pyproject.toml").unlink()


def swap_a_file_for_a_link(snapshot: Snapshot) -> None:
    remove_a_file(snapshot)
    (snapshot.tree / "pyproject.toml").symlink_to("/etc/passwd")


def cut_the_archive(snapshot: Snapshot) -> None:
    snapshot.tar.write_bytes(snapshot.tar.read_bytes()[:1000])


@pytest.mark.parametrize("damage", [change_a_file, add_a_file, remove_a_file, swap_a_file_for_a_link, cut_the_archive])
def test_a_damaged_snapshot_in_the_cache_is_written_again(damage: Callable[[Snapshot], None], tmp_path: Path) -> None:
    make_repository(tmp_path / "shop", SHOP)
    snapshot = take(tmp_path / "shop", tmp_path)
    before = snapshot.tar.read_bytes()
    damage(snapshot)
    again = take(tmp_path / "shop", tmp_path)
    assert (again, again.tar.read_bytes()) == (snapshot, before)
    files = {path.relative_to(again.tree).as_posix(): path for path in again.tree.rglob("*") if path.is_file()}
    assert {name: path.read_bytes() for name, path in files.items()} == SHOP
    untouched = again.folder.stat().st_ino
    assert take(tmp_path / "shop", tmp_path).folder.stat().st_ino == untouched
