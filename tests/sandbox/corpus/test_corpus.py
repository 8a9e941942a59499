"""The differential corpus: what every program leads to, in every language that has one and on every backend.

The process level judges all of it. The other backends judge `SAMPLE`; all of it on them is a command,
``python -m benchmarks.corpus``.
"""

from contextlib import ExitStack

import pytest

from sandbox.base import Backend
from tests.sandbox.corpus.behaviours import BEHAVIOURS, EXTENSIONS, PROGRAMS
from tests.sandbox.corpus.differences import DIFFERENCES, list_verdicts
from tests.sandbox.corpus.product import (
    GUESTS,
    NAMES,
    SKIPPED,
    BackendMissing,
    find_behaviour,
    judge_behaviour,
    opened_backend,
)

FAST = frozenset({"add", "echo_text", "count_words", "broken_syntax", "exits_well", "sum_numbers"})
"""Behaviours that the fast suite runs in every language."""
TAKES_LONG = frozenset({"sleeper", "endless_work"})
"""Behaviours that the fast suite leaves out in Python too."""
SAMPLE = (
    "add",
    "sum_wrong",
    "exits_badly",
    "broken_syntax",
    "endless_work",
    "sleeper",
    "memory_hog",
    "flood",
    "fills_the_disk",
)
"""One behaviour for each verdict; the first in every language, on every backend."""
SHARE = 3
"""Every language judges the first behaviour of the sample on every backend and every third of the others, in turns, so
that each backend gives every verdict."""
GUEST_SAMPLE = {
    "qemu-microvm": (
        ("python", "add"),
        ("python", "sum_wrong"),
        ("python", "exits_badly"),
        ("python", "flood"),
        ("cpp", "add"),
        ("go", "add"),
        ("go", "sum_wrong"),
        ("java", "add"),
        ("javascript", "add"),
        ("javascript", "sum_wrong"),
        ("rust", "add"),
        ("typescript", "add"),
    ),
    "qemu": (("python", "add"),),
}
"""What virtual machines judge here, which may be emulated; ``tests/sandbox/backends/test_vm.py`` has every state."""


def _list_cases():
    for language in EXTENSIONS:
        for behaviour in BEHAVIOURS:
            is_fast = behaviour.name in FAST or (language == "python" and behaviour.name not in TAKES_LONG)
            marks = () if is_fast else (pytest.mark.slow,)
            yield pytest.param("process", language, behaviour.name, marks=marks)
    for number, backend in enumerate(NAMES):
        for language, name in _list_sampled(number, backend):
            marks = [pytest.mark.slow, *([pytest.mark.timeout(2400)] if backend in GUESTS else [])]
            yield pytest.param(backend, language, name, marks=marks)


def _list_sampled(number: int, backend: str) -> list[tuple[str, str]]:
    if backend == "process":
        return []
    if backend in GUESTS:
        return list(GUEST_SAMPLE.get(backend, (("python", "add"),)))
    return [
        (language, name)
        for place, language in enumerate(EXTENSIONS)
        for turn, name in enumerate(SAMPLE)
        if name == SAMPLE[0] or (number + place + turn) % SHARE == 0
    ]


@pytest.fixture(scope="module")
def find_level():
    """Gives backends that work here, by name; their engines are started once and run until the module ends."""
    with ExitStack() as stack:
        found: dict[str, Backend | BackendMissing] = {}

        def find(name: str) -> Backend:
            if name not in found:
                try:
                    found[name] = stack.enter_context(opened_backend(name))
                except BackendMissing as missing:
                    found[name] = missing
            backend = found[name]
            if isinstance(backend, BackendMissing):
                pytest.skip(str(backend))
            return backend

        yield find


@pytest.mark.parametrize(("backend", "language", "name"), _list_cases())
def test_every_program_gets_the_verdict_of_its_behaviour(find_level, backend: str, language: str, name: str) -> None:
    behaviour = find_behaviour(name)
    judged = judge_behaviour(behaviour, language, find_level(backend))
    if judged.verdict == SKIPPED:
        pytest.skip(judged.detail)
    assert judged.verdict in list_verdicts(behaviour, language, backend), judged.detail


def test_every_language_has_either_no_program_or_one_for_each_behaviour():
    wanted = {behaviour.name for behaviour in BEHAVIOURS}
    for extension in EXTENSIONS.values():
        found = {path.stem for path in PROGRAMS.glob(f"*.{extension}")}
        assert found in (set(), wanted), sorted(found ^ wanted)


def test_the_sample_has_every_verdict_in_every_language_and_on_every_backend():
    wanted = {behaviour.verdict for behaviour in BEHAVIOURS}
    assert {find_behaviour(name).verdict for name in SAMPLE} == wanted
    for number, backend in enumerate(NAMES):
        if backend not in ("process", *GUESTS):
            sampled = _list_sampled(number, backend)
            assert {language for language, _ in sampled} == set(EXTENSIONS)
            assert {find_behaviour(name).verdict for _, name in sampled} == wanted


def test_differences_name_what_there_is():
    for one in DIFFERENCES:
        assert set(one.backends) <= set(NAMES)
        assert set(one.languages) <= set(EXTENSIONS)
        assert one.reason
        assert not one.verdicts <= {find_behaviour(one.behaviour).verdict_in(each) for each in one.languages}
