import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mutators.patches import changed_lines, split_lines, unified_diff

PIECES = [
    *(b"a", b"b\n", b"\n", b"\r\n", b"\r", b"\x0c", b"\x0b", b"\x1c", b"\x85", b"\t", b" ", b"\0"),
    *("\u2028".encode(), "\u0085".encode(), "é".encode(), b"\xe9", b"\xff", b"\xef\xbb\xbf"),
    *(b"-- \n", b"--- a\n", b"+++ b\n", b"@@ -1 +1 @@\n", b"diff --git a/x b/x\n", b"\\ No newline\n"),
]
PATHS = ["a.py", "d/b c.py", "ü.py", 'q"uo.py', "tab\tx.py", "new\nline.py", "back\\s.py", " lead.py", "日 本.py"]

texts = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)


@st.composite
def changes(draw: st.DrawFn) -> tuple[bytes, bytes]:
    before = draw(texts)
    start = draw(st.integers(0, len(before)))
    end = draw(st.integers(start, min(len(before), start + 12)))
    return before, before[:start] + draw(texts) + before[end:]


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes(), st.sampled_from(PATHS))
def test_git_applies_the_patch_and_its_reverse_to_any_bytes(tree, change, path):
    before, after = change
    bug, fix = unified_diff(path, before, after), unified_diff(path, after, before)
    if before == after:
        assert bug == fix == ""
        return
    tree.write(path, before)
    tree.apply(bug)
    assert tree.read(path) == after
    tree.apply(bug, "-R")
    assert tree.read(path) == before
    tree.apply(bug)
    tree.apply(fix)
    assert tree.read(path) == before


def test_git_applies_patches_of_many_files_at_once(tree):
    rng = random.Random(5)
    files = {}
    for path in PATHS:
        before = b"".join(rng.choice(PIECES) for _ in range(200))
        files[path] = before, before[:50] + b"changed\n" + before[60:]
        tree.write(path, before)
    tree.apply("".join(unified_diff(path, *change) for path, change in files.items()))
    assert {path: tree.read(path) for path in files} == {path: after for path, (_, after) in files.items()}


@pytest.mark.parametrize("size", [130, 70_000, 200_000])
def test_a_long_binary_change_is_applied(tree, size):
    rng = random.Random(size)
    before = rng.randbytes(size)
    after = before[:100] + rng.randbytes(size // 2) + before[-20:]
    tree.write("a.py", before)
    tree.apply(unified_diff("a.py", before, after))
    assert tree.read("a.py") == after
    tree.apply(unified_diff("a.py", after, before))
    assert tree.read("a.py") == before


def test_a_patch_is_plain_text_as_git_writes_it():
    before, after = b"a\nb\nc\nd\ne\n", b"a\nb\nX\nd\ne"
    assert unified_diff("m.py", before, after) == (
        "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1,5 +1,5 @@\n a\n b\n-c\n+X\n d\n-e\n+e\n"
        "\\ No newline at end of file\n"
    )


def test_distant_changes_get_hunks_of_their_own():
    before = b"".join(b"%d\n" % number for number in range(40))
    after = before.replace(b"\n5\n", b"\nfive\n").replace(b"\n30\n", b"\nthirty\n")
    patch = unified_diff("m.py", before, after)
    assert patch.count("@@ -") == 2
    assert "@@ -3,7 +3,7 @@" in patch
    assert "@@ -28,7 +28,7 @@" in patch


def test_bytes_that_are_no_utf8_far_from_the_change_leave_the_patch_readable():
    before = b"# caf\xe9\n" + b"x = 1\n" * 9
    assert "GIT binary patch" not in unified_diff("m.py", before, before + b"y = 2\n")


def test_bytes_that_are_no_utf8_in_the_context_only_shrink_the_context(tree):
    before = b"# caf\xe9\nx = 1\ny = 2\nz = 3\n"
    after = before.replace(b"y = 2", b"y = 4")
    patch = unified_diff("m.py", before, after)
    assert "GIT binary patch" not in patch
    tree.write("m.py", before)
    tree.apply(patch)
    assert tree.read("m.py") == after


def test_bytes_that_are_no_utf8_in_the_change_make_a_small_binary_patch():
    before = b"# filler\n" * 5000 + b"x = 'caf\xe9'\n" + b"# filler\n" * 5000
    patch = unified_diff("m.py", before, before.replace(b"caf\xe9", b"caf\xe8"))
    assert "GIT binary patch" in patch
    assert len(patch) < 600


def test_a_changed_middle_of_many_lines_is_replaced_in_one_piece(tree):
    before = b"".join(b"%d\n" % number for number in range(9000))
    after = b"".join(b"%d\n" % (number * 7 % 9001) for number in range(9000))
    tree.write("m.py", before)
    tree.apply(unified_diff("m.py", before, after))
    assert tree.read("m.py") == after


@given(texts)
def test_lines_end_at_the_line_feed_only(data):
    lines = split_lines(data)
    assert b"".join(lines) == data
    assert all(line.count(b"\n") == 1 and line.endswith(b"\n") for line in lines[:-1])


def test_changed_lines_show_nothing_else():
    assert changed_lines(b"a\r\nb\r\nc\r\n", b"a\r\nX\r\nc\r\n") == "-b\n+X"
