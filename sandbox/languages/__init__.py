"""Languages that solutions are written in, by name: one file and one line here for each."""

from typing import Protocol

from sandbox.base import Backend
from sandbox.judging import EvaluatorFactory
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from schemas.registry import Registry


class EvaluatorMaker(Protocol):
    """Makes the evaluators of one language."""

    def __call__(self, backend: Backend, limits: Limits, *, style: TaskStyle) -> EvaluatorFactory:
        """Return a factory of evaluators on that backend."""
        ...


def _make_python(backend: Backend, limits: Limits, *, style: TaskStyle) -> EvaluatorFactory:
    from sandbox.languages.python import PythonEvaluators  # noqa: PLC0415

    return PythonEvaluators(backend, limits, style=style)


LANGUAGES: Registry[EvaluatorMaker] = Registry("language")
LANGUAGES.register("python", _make_python)
