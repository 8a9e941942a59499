"""Fixtures of every test module of a built language, which names its ``LANGUAGE`` and ``LIMITS``."""

import pytest

from sandbox.base import State
from sandbox.judging import Program
from schemas.candidate import TaskStyle
from schemas.values import decode_text
from tests.sandbox.languages.solving import call_function, make_factory


def _make(request, style):
    return make_factory(request.module.LANGUAGE, style, request.module.LIMITS)


@pytest.fixture(scope="module")
def functions(request):
    return _make(request, TaskStyle.FUNCTION)


@pytest.fixture(scope="module")
def programs(request):
    return _make(request, TaskStyle.STDIN)


@pytest.fixture
def call(functions):
    def run(source, types="int -> int", args=(1,), *, entry_point="f"):
        (outcome,) = call_function(functions, source, types, args, entry_point=entry_point)
        return outcome

    return run


@pytest.fixture
def value_of(call):
    def run(source, types="int -> int", args=(1,), **options):
        outcome = call(source, types, args, **options)
        assert outcome.state is State.OK, outcome
        return decode_text(outcome.output)

    return run


@pytest.fixture
def stream(programs):
    def run(source, text=""):
        with programs.open() as evaluator:
            (outcome,) = evaluator.evaluate(Program(source=source), [text])
        return outcome

    return run
