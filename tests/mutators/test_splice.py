import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutators.splice import Edit, normalize, shared_prefix, splice
from schemas.candidate import FileEdit
from schemas.errors import MutationError


def edit(start: int, end: int, text: bytes) -> Edit:
    return Edit(start=start, end=end, replacement=text)


@st.composite
def sources_with_edits(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    source = draw(st.text("ab\r\n\x0c", max_size=40)).encode()
    cuts = sorted(draw(st.lists(st.integers(0, len(source)), max_size=6)))
    texts = draw(st.lists(st.text("ab\n", max_size=4), min_size=3, max_size=3))
    return source, [
        edit(start, end, text.encode()) for start, end, text in zip(cuts[::2], cuts[1::2], texts, strict=False)
    ]


def test_edits_are_made_in_any_order():
    edits = [edit(4, 5, b"Y"), edit(0, 1, b"XX"), edit(2, 2, b"-")]
    assert splice(b"abcdef", edits) == b"XXb-cdYf"


def test_insertions_at_one_place_keep_their_order():
    assert splice(b"ab", [edit(1, 1, b"1"), edit(1, 1, b"2")]) == b"a12b"


def test_a_record_edit_is_taken_like_a_plain_one():
    plain = edit(1, 2, b"\xff\r")
    assert splice(b"abc", [plain.to_file_edit("a.py")]) == splice(b"abc", [plain]) == b"a\xff\rc"
    assert Edit.from_file_edit(plain.to_file_edit("a.py")) == plain


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([edit(0, 9, b"")], r"edit 0:9 doesn't fit into a source of 3 bytes"),
        ([edit(2, 1, b"")], r"edit 2:1 doesn't fit"),
        ([edit(-1, 1, b"")], r"edit -1:1 doesn't fit"),
        ([edit(0, 2, b""), edit(1, 3, b"")], r"edit 1:3 overlaps one that ends at byte 2"),
        ([FileEdit(path="a.py", start=0, end=1, replacement_hex="zz")], r"a\.py: replacement 'zz' isn't hex"),
    ],
)
def test_an_edit_that_cannot_be_made_is_refused(edits, message):
    with pytest.raises(MutationError, match=message):
        splice(b"abc", edits)


@given(sources_with_edits())
def test_the_normal_form_gives_the_same_bytes(case):
    source, edits = case
    assert splice(source, [normalize(source, edits)]) == splice(source, edits)


@given(sources_with_edits())
def test_equal_results_have_equal_normal_forms(case):
    source, edits = case
    whole = edit(0, len(source), splice(source, edits))
    assert normalize(source, edits) == normalize(source, [whole])


@given(sources_with_edits())
def test_an_edit_that_changes_nothing_is_recognised(case):
    source, edits = case
    unchanged = splice(source, edits) == source
    assert (normalize(source, edits) == normalize(source, ())) is unchanged


@given(st.text("ab", max_size=200), st.text("ab", max_size=9), st.text("ab", max_size=9))
def test_the_shared_prefix_is_the_longest(common, left, right):
    size = shared_prefix(common + left, common + right)
    assert (common + left)[:size] == (common + right)[:size]
    assert size >= len(common)
    assert (common + left)[size : size + 1] != (common + right)[size : size + 1] or size == min(
        len(common + left), len(common + right)
    )
