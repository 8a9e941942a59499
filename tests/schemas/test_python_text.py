"""Values as Python source."""

import ast
import os
import subprocess
import sys

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


@given(VALUES)
def test_values_without_sets_are_shown_as_repr_writes_them(value):
    assert show_value(value) == repr(value)


def test_sets_are_shown_and_written_alike_whatever_the_hash_seed():
    code = (
        "from schemas.python_text import show_value, write_value\n"
        "value = [({'ada', 'ben', 'cleo'}, {'k': frozenset({'p', 'q', 'r'})}), set(), frozenset()]\n"
        "print(show_value(value), write_value(value))"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3", "4")
    }
    assert len(shown) == 1
    assert shown.pop().startswith(
        "[({'ada', 'ben', 'cleo'}, {'k': frozenset({'p', 'q', 'r'})}), set(), frozenset()] [tuple([set(["
    )
