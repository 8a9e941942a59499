"""Languages that solutions are written in, by name: one file and one line here for each."""

from importlib import import_module
from typing import Protocol

from sandbox.base import Backend
from sandbox.judging import EvaluatorFactory
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from schemas.registry import Registry


class EvaluatorMaker(Protocol):
    """Makes the evaluators of one language."""

    def __call__(self, backend: Backend, limits: Limits, *, style: TaskStyle) -> EvaluatorFactory:
        """Return a factory of evaluators on that backend.

        Raises:
            ConfigError: the language's toolchain isn't on this machine; the message names the package to install.
        """
        ...


def _make_python(backend: Backend, limits: Limits, *, style: TaskStyle) -> EvaluatorFactory:
    from sandbox.languages.python import PythonEvaluators  # noqa: PLC0415

    return PythonEvaluators(backend, limits, style=style)


def _built(module: str) -> EvaluatorMaker:
    """Return the maker of a language that is built first; its module is imported at first use."""

    def make(backend: Backend, limits: Limits, *, style: TaskStyle) -> EvaluatorFactory:
        from sandbox.languages.compiled import CompiledEvaluators  # noqa: PLC0415

        language = import_module(f"sandbox.languages.{module}").LANGUAGE
        return CompiledEvaluators(language, backend, limits, style=style)

    return make


LANGUAGES: Registry[EvaluatorMaker] = Registry("language")
LANGUAGES.register("python", _make_python)
LANGUAGES.register("cpp", _built("cpp"))
LANGUAGES.register("java", _built("java"))
LANGUAGES.register("rust", _built("rust"))
LANGUAGES.register("go", _built("go"))
LANGUAGES.register("javascript", _built("javascript"))
LANGUAGES.register("typescript", _built("typescript"))

PROVABLE = ("python",)
"""Languages whose tasks can be proven: their inputs are drawn and their references mutated. All can be judged."""
