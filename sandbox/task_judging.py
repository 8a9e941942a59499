"""One door to the verdict on a solution of any style of task: function, stdin, suite, repository.

Stands between a task (from a row or its ground truth) and the judges of each style; rewards and exploit batteries go
through it. Method: own.
"""

from dataclasses import dataclass
from pathlib import Path

from sandbox.base import Backend
from sandbox.closing import Closing
from sandbox.dataset_trees import DatasetTrees
from sandbox.judge import Verdict, judge
from sandbox.judging import EvaluatorFactory, Program
from sandbox.languages import LANGUAGES
from sandbox.packages import Packages, require_packages
from sandbox.retrying import try_twice
from sandbox.suite_proving import judge_suite
from schemas.candidate import Candidate, Checker, TaskStyle, TestCase
from schemas.errors import ConfigError
from schemas.limits import Limits
from schemas.proven import Proven

_EXACT = Checker()


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskVerdict:
    """Whether a solution solves a task, and how much of it."""

    passed: bool
    share: float
    """Share of the tests that passed, in [0, 1]; of repository tasks that of FAIL_TO_PASS, see `RepositoryVerdict`."""
    floor: float = 0.0
    """Share that the task's baseline passes, in [0, 1]."""
    cases: Verdict | None = None
    """Case by case, of function and stdin tasks."""
    tests: tuple[TestCase, ...] = ()
    checker: Checker = _EXACT
    """What the cases were compared with, and in which style."""
    style: TaskStyle = TaskStyle.FUNCTION
    detail: str = ""


def make_program(candidate: Candidate, source: str) -> Program:
    """Return a solution's source as the program that a task calls."""
    signature = candidate.signature
    is_function = candidate.style is TaskStyle.FUNCTION
    return Program(
        source=source,
        entry_point=signature.entry_point if signature and is_function else "",
        preamble=signature.preamble if signature else "",
        signature=signature if is_function else None,
    )


def make_factory(
    candidate: Candidate, backend: Backend, limits: Limits, *, packages: Packages | None = None
) -> EvaluatorFactory:
    """Return evaluators of a function or stdin task.

    Args:
        packages: what Python programs may import beside the standard library.

    Raises:
        ConfigError: the language isn't known.
    """
    return LANGUAGES.get(candidate.language)(backend, limits, style=candidate.style, packages=packages)


class TaskJudge(Closing):
    """Judges solutions of tasks of any style, each in a sandbox of its own; safe from several threads.

    Args:
        cache: folder of environments, for suite and repository tasks.
        dataset: folder that holds the trees of repository tasks.
        packages: what Python solutions of function and stdin tasks may import beside the standard library.
    """

    def __init__(
        self, backend: Backend, cache: Path, *, dataset: Path | None = None, packages: Packages | None = None
    ) -> None:
        self._backend, self._packages = backend, packages
        self._cache = cache
        self._trees = DatasetTrees(dataset, backend, cache) if dataset else None

    def close(self) -> None:
        """Close what stayed open between tasks; idempotent."""
        if self._trees:
            self._trees.close()

    def judge(self, task: Proven, solution: str) -> TaskVerdict:
        """Return the verdict on a program, a module (suite) or a unified diff against the broken tree (repository).

        Raises:
            SandboxError: the sandbox failed twice; nothing is said about the solution.
            ConfigError: the task can't be judged here: its language or its dataset folder isn't known, or it was proven
                with packages and there are none.
            SeedError: the environment or the tree of a repository task can't be had.
        """
        match task.candidate.style:
            case TaskStyle.REPOSITORY:
                return self._judge_patch(task, solution)
            case TaskStyle.SUITE:
                return self._judge_suite(task, solution)
            case _:
                return self._judge_cases(task, solution)

    def _judge_suite(self, task: Proven, solution: str) -> TaskVerdict:
        limits = task.evidence.limits
        verdict = try_twice(lambda: judge_suite(task, solution, self._backend, self._cache, limits=limits))
        return TaskVerdict(
            passed=verdict.passed,
            share=verdict.tests_passed / verdict.tests,
            floor=max(0.0, 1 - task.evidence.baseline_failed / verdict.tests),
            detail=verdict.detail,
        )

    def _judge_cases(self, task: Proven, solution: str) -> TaskVerdict:
        candidate = task.candidate
        require_packages(task, self._packages)
        factory = make_factory(candidate, self._backend, task.evidence.limits, packages=self._packages)
        verdict = judge(factory, make_program(candidate, solution), task.tests, candidate.checker, candidate.style)
        hidden = sum(not case.public for case in task.tests) or len(task.tests)
        floor = max(0.0, 1 - task.evidence.baseline_failed / hidden)
        return TaskVerdict(
            passed=verdict.passed,
            share=verdict.pass_fraction,
            floor=floor,
            cases=verdict,
            tests=task.tests,
            checker=candidate.checker,
            style=candidate.style,
        )

    def _judge_patch(self, task: Proven, solution: str) -> TaskVerdict:
        if self._trees is None:
            raise ConfigError(
                "repository tasks need the dataset's folder, which holds their trees: --dataset, dataset= or the "
                "variable TASKFOUNDRY_DATASET, set before the first reward"
            )
        trees = self._trees
        verdict = try_twice(lambda: trees.judge_of(task).judge_patch(task, solution))
        detail = f"{verdict.reason} {verdict.detail}".strip()
        return TaskVerdict(passed=verdict.passed, share=verdict.share, detail="" if verdict.passed else detail)
