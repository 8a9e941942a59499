"""Archives of strangers: what we pack comes out again, and nothing else."""

import io
import tarfile
from pathlib import Path

import pytest

from sandbox.server.unpacking import unpack_strictly
from sandbox.trees import pack_tree
from schemas.errors import SandboxError


def entry(name: str, kind: bytes = tarfile.REGTYPE, *, link: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.mode = kind, link, mode
    return made


def unpack(tmp_path: Path, *entries: tarfile.TarInfo) -> Path:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for each in entries:
            archive.addfile(each)
    return unpack_bytes(tmp_path, buffer.getvalue())


def unpack_bytes(tmp_path: Path, data: bytes) -> Path:
    archive, folder = tmp_path / "archive.tar", tmp_path / "out"
    archive.write_bytes(data)
    folder.mkdir()
    unpack_strictly(archive, folder)
    return folder / "tree"


def test_a_packed_tree_comes_out_with_its_modes_and_links(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "in" / ("long" * 40)).mkdir(parents=True)
    (source / "in" / ("long" * 40) / "file").write_bytes(b"\x00" * 3000)
    (source / "run").write_text("#!/bin/sh\n")
    (source / "run").chmod(0o755)
    (source / "link").symlink_to("/nowhere")
    tree = unpack_bytes(tmp_path, pack_tree(source))
    assert (tree / "in" / ("long" * 40) / "file").read_bytes() == b"\x00" * 3000
    assert (tree / "run").stat().st_mode & 0o777 == 0o755
    assert (tree / "link").readlink() == Path("/nowhere")


TOP = entry("tree", tarfile.DIRTYPE)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([entry("other")], "isn't below 'tree'"),
        ([TOP, entry("tree/../../x")], "isn't below"),
        ([entry("/tree/x")], "isn't below"),
        ([TOP, entry("tree/x", tarfile.LNKTYPE, link="/etc/passwd")], "an entry of kind"),
        ([TOP, entry("tree/x", tarfile.FIFOTYPE)], "an entry of kind"),
        ([TOP, entry("tree/x", tarfile.CHRTYPE)], "an entry of kind"),
        ([TOP, entry("tree/x"), entry("tree/x")], "can't be unpacked"),
        ([TOP, entry("tree/a", tarfile.SYMTYPE, link="b"), entry("tree/a/x")], "can't be unpacked"),
        ([TOP, entry("tree/x/y")], "can't be unpacked"),
        ([entry("tree", tarfile.SYMTYPE, link="/etc")], "holds no tree"),
        ([], "holds no tree"),
    ],
)
def test_what_we_never_write_is_refused(tmp_path: Path, entries: list[tarfile.TarInfo], words: str) -> None:
    with pytest.raises(SandboxError, match=words):
        unpack(tmp_path, *entries)


@pytest.mark.parametrize("data", [b"", b"no archive" * 100, b"\xff" * 2000])
def test_bytes_that_are_no_archive_are_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(SandboxError):
        unpack_bytes(tmp_path, data)


def test_set_user_id_and_other_modes_are_not_taken_over(tmp_path: Path) -> None:
    tree = unpack(tmp_path, TOP, entry("tree/x", mode=0o6777), entry("tree/y", mode=0o666))
    assert (tree / "x").stat().st_mode & 0o7777 == 0o755
    assert (tree / "y").stat().st_mode & 0o7777 == 0o644
