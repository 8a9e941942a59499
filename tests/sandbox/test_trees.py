"""Archives of trees: there and back, and those that would write or point out of their folder."""

import io
import tarfile

import pytest

from sandbox.trees import extract_within, pack_tree, unpack_tree
from schemas.errors import SandboxError


@pytest.fixture(params=["with filters", "without filters"])
def python(request, monkeypatch):
    """This Python, and one that has no filters for archives yet."""
    if request.param == "without filters":
        monkeypatch.delattr(tarfile, "tar_filter", raising=False)
    return request.param


def make_archive(name, *, link=None):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        if link is not None:
            entry.type, entry.linkname = tarfile.SYMTYPE, link
        archive.addfile(entry)
    return buffer.getvalue()


def extract(data, folder, **options):
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        extract_within(archive, folder, **options)


def test_a_tree_comes_back_as_it_was(python, tmp_path):
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "file").write_bytes(b"content")
    (source / "link").symlink_to("deep/file")
    tree = unpack_tree(pack_tree(source), tmp_path / "target")
    assert (tree / "link").read_bytes() == b"content"
    assert (tree / "link").is_symlink()


@pytest.mark.parametrize("name", ["../outside", "in/../../outside"])
def test_an_entry_that_leaves_its_folder_is_refused(python, tmp_path, name):
    with pytest.raises(SandboxError, match="can't be unpacked"):
        unpack_tree(make_archive(name), tmp_path / "target")
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("link", ["../outside", "/outside"])
def test_a_link_out_of_the_folder_is_refused_where_links_must_stay_within(python, tmp_path, link):
    with pytest.raises(tarfile.TarError):
        extract(make_archive("link", link=link), tmp_path, keeps_links_within=True)
    assert not (tmp_path / "link").is_symlink()


def test_a_link_to_the_machine_is_kept_in_a_mount(python, tmp_path):
    extract(make_archive("link", link="/usr/bin/python3"), tmp_path)
    assert str((tmp_path / "link").readlink()) == "/usr/bin/python3"


@pytest.mark.parametrize("link", ["near", "../near", "../deep/../near"])
def test_a_link_within_the_folder_is_kept(python, tmp_path, link):
    extract(make_archive("deep/link", link=link), tmp_path, keeps_links_within=True)
    assert str((tmp_path / "deep" / "link").readlink()) == link
