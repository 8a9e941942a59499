"""Splices and patches of a tree."""

import io
import tarfile
from pathlib import Path

import pytest

from sandbox.tree_patches import apply_edits, apply_patch, pack_files, repack
from schemas.candidate import FileEdit
from schemas.errors import MutationError

PATCH = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"


def edit(start: int, end: int, new: bytes, path: str = "a.py") -> FileEdit:
    return FileEdit(path=path, start=start, end=end, replacement_hex=new.hex())


def test_edits_are_spliced_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"one\r\ntwo\xe9")
    assert apply_edits(tmp_path, (edit(0, 3, b"1"), edit(5, 8, b"2"))) == {"a.py": b"1\r\n2\xe9"}
    assert apply_edits(tmp_path, (edit(5, 8, b"2"), edit(0, 3, b"1"))) == {"a.py": b"1\r\n2\xe9"}


@pytest.mark.parametrize(
    "edits",
    [
        (edit(0, 3, b""), edit(2, 4, b"")),
        (edit(3, 99, b""),),
        (edit(2, 1, b""),),
        (edit(0, 1, b"", path="../a.py"),),
        (edit(0, 1, b"", path="b.py"),),
    ],
)
def test_splices_that_do_not_fit_are_refused(edits: tuple[FileEdit, ...], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_bytes(b"one two")
    (tmp_path / "a.py").write_bytes(b"one two")
    with pytest.raises(MutationError):
        apply_edits(tree, edits)


def test_patch_tells_what_it_changes_adds_and_removes() -> None:
    assert apply_patch({"a.py": b"x\ny\n", "b.py": b""}, PATCH) == {"a.py": b"x\nz\n"}
    added = "diff --git a/c.py b/c.py\nnew file mode 100644\n--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+new\n"
    assert apply_patch({"a.py": b"x\n"}, added) == {"c.py": b"new\n"}
    removed = "diff --git a/a.py b/a.py\ndeleted file mode 100644\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert apply_patch({"a.py": b"x\n"}, removed) == {"a.py": None}


def test_repacked_tree_keeps_links_and_modes_and_takes_other_files(tmp_path: Path) -> None:
    packed = tmp_path / "tree.tar"
    with tarfile.open(packed, "w") as tar:
        for name, mode in (("run.sh", 0o755), ("gone.py", 0o644), ("test_a.py", 0o644)):
            member = tarfile.TarInfo(name)
            member.size, member.mode = 2, mode
            tar.addfile(member, io.BytesIO(b"x\n"))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "run.sh"
        tar.addfile(link)
    changed = {"run.sh": b"new", "gone.py": None, "more/b.py": b"y", "test_a.py": b"forged"}
    again = repack(packed, changed, without={"test_a.py"})
    with tarfile.open(fileobj=io.BytesIO(again)) as tar:
        found = {member.name: (member.mode, member.linkname, member.size) for member in tar}
    assert found == {"run.sh": (0o755, "", 3), "link": (0o644, "run.sh", 0), "more/b.py": (0o644, "", 1)}
    assert pack_files({"b": b"", "a": b"1"}) == pack_files({"a": b"1", "b": b""})


@pytest.mark.parametrize(
    "patch",
    [
        "",
        "no patch",
        PATCH.replace("-y", "-q"),
        PATCH.replace("a/a.py", "a/../../etc/x").replace("b/a.py", "b/../../etc/x"),
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n"
        + PATCH.replace("-y", "-q"),
    ],
)
def test_patches_that_do_not_apply_are_refused(patch: str) -> None:
    with pytest.raises(MutationError, match="git apply"):
        apply_patch({"a.py": b"x\ny\n"}, patch)


def test_patches_that_grow_are_refused():
    big = {"big": b"x" * 2**20}
    copies = "".join(
        f"diff --git a/big b/n{n}\nsimilarity index 100%\ncopy from big\ncopy to n{n}\n" for n in range(40)
    )
    with pytest.raises(MutationError, match="copies files of 41,943,040 bytes"):
        apply_patch(big, copies)
    with pytest.raises(MutationError, match="binary content"):
        apply_patch({}, "diff --git a/x b/x\nnew file mode 100644\nGIT binary patch\nliteral 9000000000\nzcmV\n\n")
    hidden = copies.replace("copy from big", 'copy from "b\\151g"')
    with pytest.raises(MutationError, match="copies files of 41,943,040 bytes"):
        apply_patch(big, hidden)
    few = "diff --git a/big b/n\nsimilarity index 100%\ncopy from big\ncopy to n\n"
    assert apply_patch(big, few) == {"n": big["big"]}
