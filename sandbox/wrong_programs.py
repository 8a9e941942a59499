"""Wrong programs of a task and the tests that tell them from the reference.

Mutants of the reference and trivial solvers are run once on every test that may be kept; suite reduction, the
mutation score and the probes all read this one table. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

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
_SHORT = 1000
"""Characters of comparisons that are remembered, since wrong programs often give the same wrong answers."""
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
    sources: Sequence[str],
    tests: Sequence[KnownTest],
    plan: StepPlan,
    *,
    entry_point: str = "",
    enough: int | None = None,
) -> tuple[frozenset[int], ...]:
    """Return for each program the indices of the planned tests that it fails.

    Args:
        sources: programs that we made, or that were found right before.
        enough: when the first `FIRST_TESTS` give so many failures, the others aren't run; None runs all.

    Raises:
        SandboxError: the sandbox failed.
    """
    kills: list[set[int]] = [set() for _ in sources]
    parts = [plan.tests] if enough is None else [plan.tests[:FIRST_TESTS], plan.tests[FIRST_TESTS:]]
    for part in parts:
        places = [place for place, found in enumerate(kills) if enough is None or len(found) < enough]
        texts = [tests[index].input for index in part]
        answers = runner.run_many(
            [sources[place] for place in places], texts, entry_point=entry_point, limit=plan.limit
        )
        for place, outcomes in zip(places, answers, strict=True):
            kills[place].update(
                index
                for index, outcome in zip(part, outcomes, strict=True)
                if outcome.answer is not Answer.UNKNOWN and not agrees(runner.candidate, tests[index].expected, outcome)
            )
    return tuple(map(frozenset, kills))


def find_trivial_kills(
    runner: BatchRunner, solvers: Sequence[TrivialSolver], tests: Sequence[KnownTest]
) -> tuple[frozenset[int], ...]:
    """Return for each trivial solver the indices of the tests that it fails.

    Raises:
        SandboxError: the sandbox failed.
    """
    entry_point = "" if runner.candidate.style is TaskStyle.STDIN else ENTRY_POINT
    plan = StepPlan(tests=tuple(range(len(tests))), limit=LIGHT_STEPS)
    return find_kills(runner, [solver.source for solver in solvers], tests, plan, entry_point=entry_point)


def agrees(candidate: Candidate, expected: str, outcome: BatchOutcome) -> bool:
    """Return whether the task's checker takes the outcome for the expected output."""
    if outcome.answer not in {Answer.VALUE, Answer.RAISED}:
        return False
    if expected == outcome.output:
        return True
    is_short = len(expected) + len(outcome.output) <= _SHORT
    accepts = _compare_short if is_short else compare
    return accepts(candidate.checker, candidate.style, expected, outcome.output)


_compare_short = lru_cache(maxsize=4096)(compare)
