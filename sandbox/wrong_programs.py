"""Wrong programs of a task and the tests that tell them from the reference.

Mutants of the reference and trivial solvers are run once on every test that may be kept; suite reduction, the
mutation score and the probes all read this one table. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.batches import Answer, BatchOutcome, BatchRunner
from sandbox.checkers import compare
from sandbox.trivial import ENTRY_POINT, TrivialSolver
from schemas.candidate import Candidate, TaskStyle

STEP_FACTOR = 10
STEP_FLOOR = 2_000
LIGHT_STEPS = 60_000
"""Tests on which the reference takes more steps aren't run on mutants."""
FIRST_TESTS = 40
"""Tests that every wrong program is run on: enough for most of them to fail several times."""
_ALL_STEPS = 300_000
"""Steps of the reference over all tests that a mutant is run on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceMutant:
    """A changed reference."""

    operator: str
    source: str
    diff: str
    """Unified diff reference -> mutant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTest:
    """An input and what it should lead to."""

    input: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPlan:
    """Which tests mutants are run on, and how many steps a call may take."""

    tests: tuple[int, ...]
    """Indices of the tests, in order."""
    limit: int


def plan_steps(runner: BatchRunner, tests: Sequence[KnownTest]) -> StepPlan:
    """Return the tests that are light for the reference and ten times what it takes on the heaviest of them.

    Raises:
        SandboxError: the sandbox failed.
    """
    reference = runner.candidate.reference
    steps = runner.count_steps(reference, [test.input for test in tests], limit=LIGHT_STEPS)
    counted = [(count, index) for index, count in enumerate(steps) if count is not None]
    chosen, total, heaviest = [], 0, 0
    for count, index in sorted(counted, key=lambda pair: (pair[0], len(tests[pair[1]].input), pair[1])):
        if total + count > _ALL_STEPS:
            break
        total, heaviest = total + count, count
        chosen.append(index)
    return StepPlan(tests=tuple(sorted(chosen)), limit=STEP_FACTOR * heaviest + STEP_FLOOR)


def find_kills(
    runner: BatchRunner,
    source: str,
    tests: Sequence[KnownTest],
    plan: StepPlan,
    *,
    entry_point: str = "",
    enough: int | None = None,
) -> frozenset[int]:
    """Return the indices of the planned tests that the program fails.

    Args:
        enough: when the first `FIRST_TESTS` give so many failures, the others aren't run; None runs all.

    Raises:
        SandboxError: the sandbox failed.
    """
    kills: set[int] = set()
    parts = [plan.tests] if enough is None else [plan.tests[:FIRST_TESTS], plan.tests[FIRST_TESTS:]]
    for part in parts:
        if enough is not None and len(kills) >= enough:
            break
        outcomes = runner.run(source, [tests[index].input for index in part], entry_point=entry_point, limit=plan.limit)
        kills.update(
            index
            for index, outcome in zip(part, outcomes, strict=True)
            if outcome.answer is not Answer.UNKNOWN and not agrees(runner.candidate, tests[index].expected, outcome)
        )
    return frozenset(kills)


def find_trivial_kills(runner: BatchRunner, solver: TrivialSolver, tests: Sequence[KnownTest]) -> frozenset[int]:
    """Return the indices of the tests that a trivial solver fails.

    Raises:
        SandboxError: the sandbox failed.
    """
    entry_point = "" if runner.candidate.style is TaskStyle.STDIN else ENTRY_POINT
    plan = StepPlan(tests=tuple(range(len(tests))), limit=LIGHT_STEPS)
    return find_kills(runner, solver.source, tests, plan, entry_point=entry_point)


def agrees(candidate: Candidate, expected: str, outcome: BatchOutcome) -> bool:
    """Return whether the task's checker takes the outcome for the expected output."""
    if outcome.answer not in {Answer.VALUE, Answer.RAISED}:
        return False
    return expected == outcome.output or compare(candidate.checker, candidate.style, expected, outcome.output)
