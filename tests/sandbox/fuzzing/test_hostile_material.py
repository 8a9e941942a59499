"""Material that nobody can draw from is refused in words, soon, and without a crash of the process that draws."""

import pytest

from sandbox.fuzzing.calls import draw_calls
from sandbox.fuzzing.streams import draw_streams
from schemas.candidate import Constraint, Parameter, Signature
from schemas.values import encode_call

HUGE = 10**400
pytestmark = pytest.mark.timeout(100)


def draw(annotation, *values, rules=(), reference=""):
    constraints = tuple(Constraint(path=path, rule=rule, value_json=bound) for path, rule, bound in rules)
    parameter = Parameter(name="x", annotation=annotation, constraints=constraints)
    examples = [encode_call((value,), {}) for value in values]
    return draw_calls(Signature(entry_point="f", parameters=(parameter,)), examples, reference, count=20, seed=1)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [("int", HUGE), ("int", 10**5000), ("float", HUGE), ("list[int]", [HUGE + i for i in range(20)])],
    ids=["int", "int of 5,000 digits", "float", "list"],  # pytest can't write the numbers
)
def test_integers_beyond_all_floats_are_drawn(annotation, value):
    assert len(draw(annotation, value, value, value).inputs) > 5


@pytest.mark.parametrize(
    ("annotation", "value", "rules"),
    [
        ("list[int]", [1], [("", "min_length", "1000000000")]),
        ("str", "a", [("", "min_length", "1000000000")]),
        ("bytes", b"a", [("", "min_length", "100000000")]),
        ("list[list[int]]", [[1]], [("", "min_length", "100"), ("[]", "min_length", "100")]),
    ],
)
def test_bounds_that_ask_for_huge_values_are_refused(annotation, value, rules):
    drawn = draw(annotation, value, rules=rules)
    assert (drawn.inputs, "too large to be drawn" in drawn.why) == ((), True)


@pytest.mark.parametrize(
    "annotation", ["Literal[1.5, ...]", "Literal[()]", "Union[()]", "Annotated[()]", "Optional[()]", "list[()]"]
)
def test_annotations_without_a_meaning_do_no_harm(annotation):
    draw(annotation, 1.5, 2.5, 3.5)


def test_contradicting_bounds_give_no_draws():
    assert not draw("int", 5, rules=[("", "min", "10"), ("", "max", "1")]).inputs
    assert not draw("float", 0.5, rules=[("", "choices", "[0.5]")]).inputs  # not encoded


def test_deeply_nested_lists_stay_small():
    drawn = draw("list[list[list[list[list[list[list[int]]]]]]]", [[[[[[[1]]]]]]])
    assert drawn.inputs


@pytest.mark.parametrize("size", [1_000, 200_000])
def test_long_examples_are_cheap(size):
    draw("list[int]", *[list(range(size))] * 3)
    draw("list[int]", *[list(range(size, 0, -1))] * 3)


def test_hundreds_of_parameters_are_refused():
    parameters = tuple(Parameter(name=f"p{i}", annotation="int") for i in range(400))
    examples = [encode_call(tuple(range(i, i + 400)), {}) for i in range(9)]
    drawn = draw_calls(Signature(entry_point="f", parameters=parameters), examples, "", count=9, seed=1)
    assert "more than 32 parameters" in drawn.why


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["2\n" * 40 + "x", "2\n" * 40 + "x y"], id="each number may count"),
        pytest.param(["2 2 2\n" * 14 + "x", "2 2 2\n" * 14 + "x y z"], id="three each line"),
        pytest.param(["a\n" * 30_000 + "b", "a\n" * 30_000 + "c"], id="many lines"),
        pytest.param(["x\n" + " ".join(map(str, range(100_000))), "x y\n1 2 3"], id="a long row"),
        pytest.param(["x\n" + "1 2\n" * 50_000, "x y\n1 2 3"], id="a high table"),
        pytest.param(["5\n1 2 3 4 1000000000000\n", "6\n1 2 3 4 5 1000000000000\n", "4\n9 8 7 6\n"], id="a wide range"),
        pytest.param(["900000\n" + "7 " * 900, "900000\n" + "8 " * 900, *["900000\n8"] * 6], id="a large count"),
        pytest.param(["9" * 5000 + "\n", "8" * 6000 + "\n"], id="digits"),
        pytest.param(["\udcff\x00 a\n", "²٣ b\n"], id="odd characters"),
    ],
)
def test_hostile_standard_inputs_are_cheap(texts):
    draw_streams(texts, "", count=20, seed=1)
