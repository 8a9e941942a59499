import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.fuzzing.shapes import UNKNOWN, Kind, Shape, complete_shape, infer_shape, is_hashable, parse_annotation

INT, STR, NONE = Shape(kind=Kind.INT), Shape(kind=Kind.STR), Shape(kind=Kind.NONE)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("int", INT),
        ("'int'", INT),
        ("list[int]", Shape(kind=Kind.LIST, parts=(INT,))),
        ("typing.List[str]", Shape(kind=Kind.LIST, parts=(STR,))),
        ("Optional[int]", Shape(kind=Kind.UNION, parts=(INT, NONE))),
        ("int | None", Shape(kind=Kind.UNION, parts=(INT, NONE))),
        ("tuple[int, str]", Shape(kind=Kind.TUPLE, parts=(INT, STR))),
        ("tuple[int, ...]", Shape(kind=Kind.ROW, parts=(INT,))),
        ("dict[str, int]", Shape(kind=Kind.DICT, parts=(STR, INT))),
        ("Literal['a', 2]", Shape(kind=Kind.LITERAL, literals=("a", 2))),
        ("Annotated[int, 3]", INT),
        ("TreeNode", UNKNOWN),
        ("Any", UNKNOWN),
        ("", UNKNOWN),
        ("list[", UNKNOWN),
        ("__import__('os').abort()", UNKNOWN),
    ],
)
def test_annotations_are_read_as_expressions(text, shape):
    assert parse_annotation(text) == shape


def test_a_bare_list_is_not_known():
    assert not parse_annotation("list").is_known()
    assert not parse_annotation("list[list]").is_known()


def test_a_deeply_nested_annotation_is_unknown_and_no_crash():
    assert not parse_annotation("list[" * 60 + "int" + "]" * 60).is_known()
    assert parse_annotation("(" * 5000 + "int") == UNKNOWN


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        ([1, 2], INT),
        ([True], Shape(kind=Kind.BOOL)),
        ([1, 2.5], Shape(kind=Kind.FLOAT)),
        ([None, 3], Shape(kind=Kind.UNION, parts=(INT, NONE))),
        ([[1], []], Shape(kind=Kind.LIST, parts=(INT,))),
        ([(1, "a"), (2, "b")], Shape(kind=Kind.TUPLE, parts=(INT, STR))),
        ([(1,), (2, 3)], Shape(kind=Kind.ROW, parts=(INT,))),
        ([{"a": 1}], Shape(kind=Kind.DICT, parts=(STR, INT))),
        ([{1, 2}], Shape(kind=Kind.SET, parts=(INT,))),
        ([], UNKNOWN),
    ],
)
def test_shapes_are_inferred_from_values(values, shape):
    assert infer_shape(values) == shape


def test_an_empty_list_alone_leaves_its_items_open():
    assert not infer_shape([[]]).is_known()


def test_examples_fill_what_an_annotation_leaves_open():
    assert complete_shape(parse_annotation("list"), [[1]]) == Shape(kind=Kind.LIST, parts=(INT,))
    assert complete_shape(parse_annotation("dict[str, Any]"), [{"a": 2}]).parts == (STR, INT)
    assert complete_shape(UNKNOWN, [3]) == INT


def test_a_known_annotation_wins_over_examples():
    assert complete_shape(INT, [2.5]) == INT


def test_lists_cannot_be_keys():
    assert is_hashable(parse_annotation("tuple[int, str]"))
    assert not is_hashable(parse_annotation("tuple[list[int], str]"))


@given(
    st.recursive(
        st.integers() | st.text() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_inference_never_fails(value):
    assert isinstance(infer_shape([value]), Shape)
