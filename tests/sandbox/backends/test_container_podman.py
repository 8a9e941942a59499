"""Containers of a Podman service that the tests start for themselves."""

import pytest

from sandbox.backends.container.backend import ContainerBackend
from sandbox.backends.container.engine import Engine
from sandbox.backends.container.settings import LABEL
from sandbox.base import Job, Run, State
from sandbox.languages.python import PythonEvaluators
from schemas.candidate import TaskStyle
from schemas.errors import SandboxError
from tests.engines import EngineMissing, running_podman
from tests.level_checks import (
    AROUND,
    ENDING_NAMES,
    ENDINGS,
    LIMITS,
    QUICK,
    SECRET,
    check_numpy,
    end_of,
    evaluate_in,
    look_around,
    skip_unless_available,
)


@pytest.fixture(scope="module")
def podman_url():
    try:
        with running_podman() as url:
            yield url
    except EngineMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def podman(podman_url):
    return skip_unless_available(ContainerBackend(engine="podman", base_url=podman_url))


@pytest.fixture(scope="module")
def evaluator(podman):
    with PythonEvaluators(podman, LIMITS, style=TaskStyle.FUNCTION).open() as opened:
        yield opened


def test_podman_is_known_by_its_answer(podman_url, podman):
    assert Engine(podman_url).is_podman
    assert (podman.name, podman.isolation) == ("podman", "container")


@pytest.mark.parametrize(("source", "state"), QUICK)
def test_programs_that_end_quickly_end_as_on_every_level(evaluator, source, state):
    assert evaluate_in(evaluator, source).state is state


@pytest.mark.slow
@pytest.mark.parametrize(("source", "state"), ENDINGS, ids=ENDING_NAMES)
def test_programs_end_as_on_every_level(podman, evaluator, source, state):
    assert end_of(podman, evaluator, source, state) is state


def test_a_program_sees_nothing_of_the_host_and_may_nothing(podman, monkeypatch):
    monkeypatch.setenv("TASKFOUNDRY_TEST_KEY", SECRET)
    assert look_around(podman) == AROUND


def test_packages_can_be_imported(podman, numpy_site):
    check_numpy(podman, numpy_site)


def test_a_killed_container_says_nothing_about_the_program(podman, podman_url):
    with PythonEvaluators(podman, LIMITS, style=TaskStyle.FUNCTION).open() as opened:
        opened._server._channel._partner._process.kill()
        with pytest.raises(SandboxError, match="the fork server is gone"):
            evaluate_in(opened, "def f(): return 1")
        assert evaluate_in(opened, "def f(): return 1").state is State.OK


def test_nothing_is_left_when_a_session_is_closed(podman, podman_url):
    with podman.open(Job(limits=LIMITS)) as session:
        channel = session.converse(Run(argv=("/bin/cat",)))
        container = channel._partner._container
        assert container in Engine(podman_url).list_labelled(LABEL)
    assert container not in Engine(podman_url).list_labelled(LABEL)
