"""Splices and patches of a tree."""

from pathlib import Path

import pytest

from sandbox.tree_patches import apply_edits, apply_patch
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
