"""Values as Python source."""

import ast

from hypothesis import given
from hypothesis import strategies as st

from schemas.python_text import show_value, write_value
from schemas.values import encode_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(VALUES)
def test_every_value_survives_being_written_parsed_and_written_again(value):
    source = ast.unparse(ast.parse(write_value(value), mode="eval"))
    assert encode_text(eval(source, {"inf": float("inf"), "nan": float("nan")})) == encode_text(value)


def test_integers_that_python_does_not_write_are_shown_in_hexadecimal():
    assert eval(show_value([7**6000])) == [7**6000]
    assert show_value([1, "a"]) == repr([1, "a"])
