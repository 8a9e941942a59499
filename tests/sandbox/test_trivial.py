import ast
import contextlib
import io
import sys

import pytest

from sandbox.trivial import ENTRY_POINT, list_trivial_solvers
from schemas.values import decode_call, encode_exception, encode_text
from tests.task_builders import function_task, stdin_task

TASK = function_task("def solve(xs, k):\n    return xs[:k]\n", {"xs": "list[int]", "k": "int"}, [(([1, 2], 1), [1])])
STREAM = stdin_task("print(input())\n", [("1 2\n", "3\n"), ("4 4\n", "8\n")])


def call(solver, *args, **kwargs):
    space = {}
    exec(solver.source, space)
    return space[ENTRY_POINT](*args, **kwargs)


def named(candidate, expected, public=None):
    public = candidate.tests[:1] if public is None else public
    return {solver.name: solver for solver in list_trivial_solvers(candidate, public, expected)}


def test_every_function_solver_is_a_program_that_defines_the_entry_point():
    for solver in named(TASK, ["[1]", "[]", '{"$float":"nan"}']).values():
        space = {}
        exec(solver.source, space)
        assert callable(space[ENTRY_POINT])


def test_constants_are_the_most_frequent_outputs_first():
    solvers = named(TASK, ["[1]", "[2]", "[2]"])
    assert call(solvers["constant_0"], [9], 1) == [2]
    assert call(solvers["constant_1"], [9], 1) == [1]


@pytest.mark.parametrize("value", [float("inf"), {"a": {1}}, (1, "x"), b"z", None, frozenset({2})])
def test_any_value_can_be_a_constant(value):
    solvers = named(TASK, [encode_text(value)] * 3 + ["[1]"], public=())
    assert any(call(solver, [1], 1) == value for solver in solvers.values() if solver.name in {"constant_0", "none"})


def test_echoes_return_each_argument_also_by_name():
    solvers = named(TASK, ["[1]"])
    assert call(solvers["echo_0"], [1, 2], 7) == [1, 2]
    assert call(solvers["echo_1"], xs=[1], k=7) == 7


def test_the_lookup_knows_the_public_tests_and_nothing_else():
    solver = named(TASK, ["[1]"])["public_lookup"]
    args, kwargs = decode_call(TASK.tests[0].input)
    assert call(solver, *args, **kwargs) == [1]
    assert call(solver, [5], 1) == []


def test_one_liners_work_on_the_first_argument():
    solvers = named(TASK, ["[1]"])
    assert call(solvers["sorted"], [2, 1], 0) == [1, 2]
    assert call(solvers["len"], [2, 1], 0) == 2
    assert call(solvers["reversed"], [2, 1], 0) == [1, 2]


def test_an_expected_exception_makes_a_raising_constant():
    with pytest.raises(Exception) as caught:
        call(named(TASK, [encode_exception("KeyError")])["constant_0"], [1], 1)
    assert type(caught.value).__name__ == "KeyError"


def test_no_two_solvers_have_one_source():
    sources = [solver.source for solver in list_trivial_solvers(TASK, TASK.tests, ["null", "[]", "[1]"])]
    assert len(set(sources)) == len(sources)


def output_of(solver, text, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(solver.source, {})
    return out.getvalue()


def test_stream_solvers_print_nothing_an_echo_a_constant_and_what_they_saw(monkeypatch):
    solvers = named(STREAM, ["3\n", "8\n", "8\n"])
    assert output_of(solvers["none"], "5 5\n", monkeypatch) == ""
    assert output_of(solvers["echo"], "5 5\n", monkeypatch) == "5 5\n"
    assert output_of(solvers["constant_0"], "5 5\n", monkeypatch) == "8\n"
    assert output_of(solvers["public_lookup"], "1 2\n", monkeypatch) == "3\n"
    assert output_of(solvers["sum"], "5 5\n", monkeypatch) == "10\n"
    assert output_of(solvers["sorted"], "7 5\n", monkeypatch) == "5 7\n"


@pytest.mark.parametrize(
    "value",
    [7**6000, [{7**6000: (7**6000, {1})}], complex("inf"), complex("nan"), [-0.0], frozenset(), {(): b"x"}],
    ids=["huge", "nested", "infinite", "complex nan", "minus zero", "empty", "dict"],  # pytest can't write the first
)
def test_every_constant_is_a_program_that_also_survives_being_instrumented(value):
    solver = named(TASK, [encode_text(value)])["constant_0"]
    space = {}
    exec(ast.unparse(ast.parse(solver.source)), space)
    assert encode_text(space[ENTRY_POINT](1)) == encode_text(value)


def test_an_exception_of_any_name_is_raised():
    with pytest.raises(Exception) as caught:
        call(named(TASK, [encode_exception('A b"')])["constant_0"])
    assert type(caught.value).__name__ == 'A b"'


def test_public_values_that_nobody_can_write_are_left_out_of_the_table():
    task = function_task("def solve(n):\n    return n\n", {"n": "int"}, [((7**6000,), 1), ((3,), 7**6000)])
    lookup = named(task, [], task.tests)["public_lookup"]
    assert call(lookup, 3) == 7**6000
