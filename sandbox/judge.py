"""The split judge: programs run inside, expected values stay outside, and nobody inside can say "passed".

Stands behind every verdict on function and stdin tasks. One record per case is counted; a case without one fails. A
sandbox that breaks is tried again on a fresh one and then raises: no verdict isn't a wrong answer. Method: own; the
forgeries that it withstands are in tests/sandbox/test_forgery.py.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sandbox.base import State
from sandbox.checkers import compare
from sandbox.judging import CaseOutcome, EvaluatorFactory, Perturbation, Program
from sandbox.retrying import try_twice
from schemas.candidate import Checker, TaskStyle, TestCase
from schemas.errors import ConfigError, SandboxError

OUTPUT_CHARS = 2**16
"""Characters that a verdict of `judge` keeps of each output, long compared by then."""
_PORTION = 8
_UNPERTURBED = Perturbation()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What one test case led to."""

    case_id: str
    passed: bool
    outcome: CaseOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The judgement of one program."""

    passed: bool
    """Whether every case passed."""
    results: tuple[CaseResult, ...]
    """In the order of the test cases."""
    toolchain: str = ""
    """Name and version of what built and ran the program; empty where outcomes came without it."""

    @property
    def pass_fraction(self) -> float:
        """Share of cases that passed, in [0, 1]."""
        return sum(result.passed for result in self.results) / len(self.results)


def judge(
    factory: EvaluatorFactory,
    program: Program,
    tests: Sequence[TestCase],
    checker: Checker,
    style: TaskStyle,
    *,
    perturbation: Perturbation = _UNPERTURBED,
    isolate: bool = True,
) -> Verdict:
    """Return the verdict on a program, from a sandbox of its own.

    Args:
        isolate: a fresh process per case; ``False`` is for programs that we made ourselves.

    Raises:
        ConfigError: no test cases, or a checker that means nothing for that style.
        SandboxError: the sandbox failed twice; nothing is said about the program.
        SchemaError: a test case isn't encoded.
    """
    if not tests:
        raise ConfigError("a program can't be judged without test cases")

    def attempt() -> Verdict:
        with factory.open(perturbation) as evaluator:
            results: list[CaseResult] = []
            for few in _divide(tests, whole=bool(perturbation.order_seed) or not isolate):
                outcomes = evaluator.evaluate(program, [case.input for case in few], isolate=isolate)
                results += map(_shorten, compare_outcomes(outcomes, few, checker, style).results)
            passed = all(result.passed for result in results)
            return Verdict(passed=passed, results=tuple(results), toolchain=evaluator.toolchain)

    return try_twice(attempt)


def _divide(tests: Sequence[TestCase], *, whole: bool) -> Iterator[Sequence[TestCase]]:
    """Yield the cases in the portions that are run before they are compared: what a program says in one case may be
    megabytes, and is held no longer than its portion."""
    size = len(tests) if whole else _PORTION
    for start in range(0, len(tests), size):
        yield tests[start : start + size]


def _shorten(result: CaseResult) -> CaseResult:
    outcome = result.outcome
    return replace(result, outcome=replace(outcome, output=outcome.output[:OUTPUT_CHARS]))


def compare_outcomes(
    outcomes: Sequence[CaseOutcome], tests: Sequence[TestCase], checker: Checker, style: TaskStyle
) -> Verdict:
    """Return the verdict on outcomes that are already there, one per test case and in their order.

    Raises:
        ConfigError: no test cases, or a checker that means nothing for that style.
        SandboxError: not one outcome per case, or one that isn't a verdict.
        SchemaError: an expected value isn't encoded.
    """
    if not tests:
        raise ConfigError("a program can't be judged without test cases")
    if len(outcomes) != len(tests):
        raise SandboxError(f"{len(outcomes)} outcomes for {len(tests)} test cases")
    results = []
    for case, outcome in zip(tests, outcomes, strict=True):
        if outcome.state is State.INFRA:
            raise SandboxError(f"test case {case.case_id}: {outcome.detail or 'no verdict'}")
        accepted = compare(checker, style, case.expected, outcome.output)
        passed = outcome.state is State.OK and accepted
        results.append(CaseResult(case_id=case.case_id, passed=passed, outcome=outcome))
    return Verdict(passed=all(result.passed for result in results), results=tuple(results))
