"""Trees and their tar."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeds.repository_trees import FileTree, TreeFile, pack_tree, stays_inside

_NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=30).filter(
    lambda name: name not in {".", ".."}
)


@given(st.dictionaries(_NAMES, st.binary(max_size=200), max_size=6), st.randoms())
def test_tar_depends_on_content_only_and_gives_it_back(files: dict[str, bytes], rng: object) -> None:
    names = list(files)
    rng.shuffle(names)  # type: ignore[attr-defined]
    packed = pack_tree(FileTree(files={name: TreeFile(data=files[name]) for name in names}))
    assert packed == pack_tree(FileTree(files={name: TreeFile(data=files[name]) for name in sorted(files)}))
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        found = {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
    assert found == files


@pytest.mark.parametrize(
    ("path", "target", "expected"),
    [
        ("link", "a/b", True),
        ("a/link", "../b", True),
        ("a/link", "../../b", False),
        ("link", "..", False),
        ("link", "/etc/passwd", False),
        ("a/b/link", "../../x/../y", True),
    ],
)
def test_links_that_stay_inside(path: str, target: str, expected: bool) -> None:
    assert stays_inside(path, target) is expected
