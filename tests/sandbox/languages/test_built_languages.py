"""What holds for every language that is built first, on the tables of ``cases/``."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.base import State
from sandbox.judging import Program
from sandbox.languages.compiled import SOURCE_CHARS
from sandbox.languages.types import read_call_type
from schemas.candidate import TaskStyle
from schemas.errors import ConfigError
from schemas.values import decode_text, encode_call, encode_text
from tests.sandbox.languages.cases import cpp, go, java, javascript, rust, typescript
from tests.sandbox.languages.solving import (
    EVERYTHING,
    EVERYTHING_ARGUMENTS,
    call_function,
    gather,
    make_factory,
    read_signature,
)

ALL = {module.CASES.language.name: module.CASES for module in (cpp, go, java, javascript, rust, typescript)}
FAST = 2
"""So many programs of each language that the compiler must refuse are in the fast suite."""
ONE = "n: int -> int"


def rows(table, fast=0):
    """Return the rows of a table of all languages, the language's name first; all but the first ones are slow."""
    return [
        pytest.param(name, *row, id=f"{name}-{number}", marks=() if number < fast else pytest.mark.slow)
        for name, cases in ALL.items()
        for number, row in enumerate(getattr(cases, table))
    ]


@pytest.fixture(scope="module")
def factory_of():
    made = {}

    def find(name, style=TaskStyle.FUNCTION):
        if (name, style) not in made:
            made[name, style] = make_factory(ALL[name].language, style, ALL[name].limits)
        return made[name, style]

    return find


def call(factory, source, types=ONE, args=(1,), entry_point="f"):
    (outcome,) = call_function(factory, source, types, args, entry_point=entry_point)
    return outcome


@pytest.mark.parametrize("name", ALL)
def test_values_of_every_type_come_back_unchanged(factory_of, name):
    @settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(calls=st.lists(EVERYTHING_ARGUMENTS, min_size=20, max_size=60))
    def check(calls):
        outcomes = call_function(factory_of(name), ALL[name].echo, EVERYTHING, *calls, isolate=False)
        assert [outcome.output for outcome in outcomes] == [encode_text(gather(each)) for each in calls], outcomes[0]

    check()


@pytest.mark.parametrize("name", ALL)
def test_the_toolchain_is_named_with_its_version(factory_of, name):
    assert re.match(ALL[name].toolchain, factory_of(name).toolchain)


@pytest.mark.parametrize("name", ALL)
def test_the_preamble_comes_first(factory_of, name):
    preamble, source = ALL[name].preamble
    program = Program(source=source, preamble=preamble, entry_point="f", signature=read_signature(ONE))
    with factory_of(name).open() as evaluator:
        (outcome,) = evaluator.evaluate(program, [encode_call((1,), {})])
    assert outcome.output == "2", outcome


@pytest.mark.parametrize(("name", "entry_point"), [(name, each) for name in ALL for each in ALL[name].entry_points])
def test_entry_points_that_no_program_has_are_refused(name, entry_point):
    types = read_call_type(read_signature(ONE))
    with pytest.raises(ConfigError, match=ALL[name].refused):
        ALL[name].language.write_recipe(Program(source="", entry_point=entry_point), types, ALL[name].limits)


@pytest.mark.parametrize(("name", "source", "types", "args", "value"), rows("natural"))
def test_solutions_may_use_the_types_that_are_natural(factory_of, name, source, types, args, value):
    outcome = call(factory_of(name), source, types, args)
    assert outcome.state is State.OK, outcome
    assert decode_text(outcome.output) == value


@pytest.mark.parametrize(("name", "source", "types", "args", "said"), rows("misfits"))
def test_values_that_do_not_fit_end_the_case_with_the_reason(factory_of, name, source, types, args, said):
    outcome = call(factory_of(name), source, types, args)
    assert outcome.state is State.RE
    assert said in outcome.detail


@pytest.mark.parametrize(("name", "source", "said"), rows("no_programs", FAST))
def test_what_is_no_program_is_a_compile_error_that_says_why(factory_of, name, source, said):
    outcome = call(factory_of(name), source, entry_point="Solution().f" if "Solution" in source else "f")
    assert outcome.state is State.CE
    assert said in outcome.detail
    assert "/tmp" not in outcome.detail
    assert "cache" not in outcome.detail
    assert len(outcome.detail) <= 1000


@pytest.mark.parametrize("name", ALL)
def test_a_source_that_is_too_long_is_refused_with_its_size(factory_of, name):
    outcome = call(factory_of(name), "/" * (SOURCE_CHARS + 1))
    assert outcome.state is State.CE
    assert str(SOURCE_CHARS + 1) in outcome.detail


@pytest.mark.parametrize("name", [name for name in ALL if ALL[name].without_main])
def test_a_program_without_main_is_a_compile_error(factory_of, name):
    with factory_of(name, TaskStyle.STDIN).open() as evaluator:
        (outcome,) = evaluator.evaluate(Program(source=ALL[name].without_main), ["x"])
    assert outcome.state is State.CE
    assert "main" in outcome.detail
