"""The differential corpus: what every program leads to, in every language that has one and on every backend."""

from functools import cache

import pytest

from sandbox.backends import select_backend
from sandbox.base import Backend, State
from sandbox.judge import judge
from sandbox.judging import EvaluatorFactory, Program
from sandbox.languages import LANGUAGES
from schemas.candidate import Checker, CheckerName, TaskStyle
from schemas.errors import ConfigError, SandboxError
from tests.sandbox.corpus.behaviours import BEHAVIOURS, EXTENSIONS, LIMITS, PROGRAMS, WRONG, Behaviour

BACKENDS = ("process",)
FAST = frozenset({"add", "echo_text", "count_words", "broken_syntax", "exits_well", "sum_numbers"})
"""Behaviours that the fast suite runs in every language."""
TAKES_LONG = frozenset({"sleeper", "endless_work"})
"""Behaviours that the fast suite leaves out in Python too."""
CHECKERS = {TaskStyle.FUNCTION: Checker(), TaskStyle.STDIN: Checker(name=CheckerName.LINES)}


@pytest.fixture(scope="module", params=BACKENDS)
def level(request: pytest.FixtureRequest) -> Backend:
    """One backend that works here."""
    try:
        return select_backend(request.param)
    except (ConfigError, SandboxError) as error:
        pytest.skip(str(error))


@cache
def make_factory(language: str, style: TaskStyle, backend: Backend) -> EvaluatorFactory:
    """Return the evaluators of a language; its builds are kept for as long as the tests run."""
    return LANGUAGES.get(language)(backend, LIMITS, style=style)


def judge_behaviour(behaviour: Behaviour, language: str, backend: Backend) -> tuple[str, str]:
    """Return the verdict, and words for a person."""
    factory = make_factory(language, behaviour.style, backend)
    program = Program(
        source=behaviour.source(language),
        entry_point=behaviour.signature.entry_point if behaviour.signature else "",
        signature=behaviour.signature,
    )
    verdict = judge(factory, program, behaviour.tests, CHECKERS[behaviour.style], behaviour.style)
    for result in verdict.results:
        if not result.passed:
            state = result.outcome.state
            detail = result.outcome.detail or result.outcome.output[:300]
            return WRONG if state is State.OK else state.value, detail
    return State.OK.value, ""


def _list_cases():
    for language in EXTENSIONS:
        for behaviour in BEHAVIOURS:
            is_fast = behaviour.name in FAST or (language == "python" and behaviour.name not in TAKES_LONG)
            marks = () if is_fast else (pytest.mark.slow,)
            yield pytest.param(behaviour, language, marks=marks, id=f"{language}-{behaviour.name}")


@pytest.mark.parametrize(("behaviour", "language"), _list_cases())
def test_every_program_gets_the_verdict_of_its_behaviour(behaviour, language, level):
    if not (PROGRAMS / f"{behaviour.name}.{EXTENSIONS[language]}").exists():
        pytest.skip(f"no program in {language} yet")
    try:
        verdict, detail = judge_behaviour(behaviour, language, level)
    except ConfigError as error:
        pytest.skip(str(error))
    assert verdict == behaviour.verdict_in(language), detail


def test_every_language_has_either_no_program_or_one_for_each_behaviour():
    wanted = {behaviour.name for behaviour in BEHAVIOURS}
    for extension in EXTENSIONS.values():
        found = {path.stem for path in PROGRAMS.glob(f"*.{extension}")}
        assert found in (set(), wanted), sorted(found ^ wanted)
