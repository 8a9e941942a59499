"""The product of behaviours, languages and backends: judges one cell of it, and starts the engines that cells need.

Shared by the tests and by ``python -m benchmarks.corpus``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

from sandbox.backends import BACKENDS, select_backend
from sandbox.backends.container.backend import ContainerBackend
from sandbox.base import Backend, State
from sandbox.judge import judge
from sandbox.judging import EvaluatorFactory, Program
from sandbox.languages import LANGUAGES
from schemas.candidate import Checker, CheckerName, TaskStyle
from schemas.errors import ConfigError, SandboxError
from schemas.limits import Limits
from tests.engines import EngineMissing, running_docker, running_podman
from tests.sandbox.corpus.behaviours import BEHAVIOURS, EXTENSIONS, LIMITS, PROGRAMS, WRONG, Behaviour

NAMES = tuple(name for name, _ in BACKENDS)
"""Backends that the corpus is judged on, one of them at a time."""
GUESTS = tuple(name for name, entry in BACKENDS if entry.level in {"microvm", "vm"})
"""Those of them that are virtual machines."""
INFRA = State.INFRA.value
SKIPPED = "skipped"
"""Stands where a verdict would, for a cell that can't be judged here; the detail says why."""
EMULATED_LIMITS = replace(LIMITS, cpu_s=0.5, wall_s=2)
"""Where the processor is emulated, and time limits are multiplied: programs without end would take minutes each."""
CHECKERS = {TaskStyle.FUNCTION: Checker(), TaskStyle.STDIN: Checker(name=CheckerName.LINES)}


class BackendMissing(Exception):
    """The backend can't be had here; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one cell came to."""

    verdict: str
    detail: str = ""


@contextmanager
def opened_backend(name: str) -> Iterator[Backend]:
    """Yield a backend that works, with an engine of its own for as long as that takes where it needs one.

    Raises:
        BackendMissing: it doesn't work here.
    """
    try:
        if name in {"container", "gvisor-docker"}:
            with running_docker() as url:
                runtime = "runsc" if name == "gvisor-docker" else ""
                yield _require(ContainerBackend(base_url=url, runtime=runtime))
        elif name == "podman":
            with running_podman() as url:
                yield _require(ContainerBackend(engine="podman", base_url=url))
        else:
            yield select_backend(name)
    except (EngineMissing, ConfigError) as missing:
        raise BackendMissing(str(missing)) from missing


def _require(backend: Backend) -> Backend:
    capability = backend.probe()
    if not capability.available:
        raise BackendMissing(capability.reason)
    return backend


@cache
def make_factory(language: str, style: TaskStyle, backend: Backend) -> EvaluatorFactory:
    """Return the evaluators of a language; its builds are kept for as long as the process lives."""
    return LANGUAGES.get(language)(backend, choose_limits(backend), style=style)


def choose_limits(backend: Backend) -> Limits:
    """Return what programs get on a backend: the same everywhere, but for the time in emulated machines."""
    return EMULATED_LIMITS if backend.name in GUESTS and backend.probe().slowdown > 1 else LIMITS


def judge_behaviour(behaviour: Behaviour, language: str, backend: Backend) -> Judged:
    """Return the verdict of one cell."""
    if not (PROGRAMS / f"{behaviour.name}.{EXTENSIONS[language]}").exists():
        return Judged(verdict=SKIPPED, detail=f"no program in {language} yet")
    program = Program(
        source=behaviour.source(language),
        entry_point=behaviour.signature.entry_point if behaviour.signature else "",
        signature=behaviour.signature,
    )
    try:
        factory = make_factory(language, behaviour.style, backend)
        verdict = judge(factory, program, behaviour.tests, CHECKERS[behaviour.style], behaviour.style)
    except ConfigError as error:
        return Judged(verdict=SKIPPED, detail=str(error))
    except SandboxError as error:
        return Judged(verdict=INFRA, detail=str(error))
    for result in verdict.results:
        if not result.passed:
            state = result.outcome.state
            detail = result.outcome.detail or result.outcome.output[:300]
            return Judged(verdict=WRONG if state is State.OK else state.value, detail=detail)
    return Judged(verdict=State.OK.value)


@cache
def find_behaviour(name: str) -> Behaviour:
    """Return the behaviour of that name."""
    return next(behaviour for behaviour in BEHAVIOURS if behaviour.name == name)
