"""Languages that solutions are written in, by name: one file and one line here for each."""

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from sandbox.base import Backend
from sandbox.judging import EvaluatorFactory
from sandbox.packages import Packages
from schemas.candidate import TaskStyle
from schemas.limits import Limits
from schemas.registry import Registry

if TYPE_CHECKING:
    from sandbox.languages.recipes import Language


class EvaluatorMaker(Protocol):
    """Makes the evaluators of one language."""

    def __call__(
        self, backend: Backend, limits: Limits, *, style: TaskStyle, packages: Packages | None = None
    ) -> EvaluatorFactory:
        """Return a factory of evaluators on that backend.

        Args:
            packages: what Python programs may import beside the standard library; no other language looks at it.

        Raises:
            ConfigError: the language's toolchain isn't on this machine; the message names the package to install.
        """
        ...


def _make_python(
    backend: Backend, limits: Limits, *, style: TaskStyle, packages: Packages | None = None
) -> EvaluatorFactory:
    from sandbox.languages.python import PythonEvaluators  # noqa: PLC0415

    return PythonEvaluators(backend, limits, style=style, packages=packages)


def _built(name: str) -> EvaluatorMaker:
    """Return the maker of a language that is built first; its module is imported at first use."""

    def make(
        backend: Backend,
        limits: Limits,
        *,
        style: TaskStyle,
        packages: Packages | None = None,  # noqa: ARG001  # Python's
    ) -> EvaluatorFactory:
        from sandbox.languages.compiled import CompiledEvaluators  # noqa: PLC0415

        return CompiledEvaluators(find_language(name), backend, limits, style=style)

    return make


def find_language(name: str) -> "Language":
    """Return a language that is built first, by name."""
    language: Language = import_module(f"sandbox.languages.{name}").LANGUAGE
    return language


ENDINGS = {
    "python": "py",
    "cpp": "cpp",
    "java": "java",
    "rust": "rs",
    "go": "go",
    "javascript": "js",
    "typescript": "ts",
}
"""How the names of source files end."""
BUILT = ("cpp", "go", "java", "javascript", "rust", "typescript")
"""Languages that are built first."""
LANGUAGES: Registry[EvaluatorMaker] = Registry("language")
LANGUAGES.register("python", _make_python)
for _name in BUILT:
    LANGUAGES.register(_name, _built(_name))

PROVABLE = ("python",)
"""Languages whose tasks can be proven: their inputs are drawn and their references mutated. All can be judged."""
