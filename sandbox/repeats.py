"""Repeats of a reference under another hash seed, order and time zone: luck doesn't prove a task.

Each repeat has a sandbox of its own, open as long as the proof. Method: own; the flakiness gate that public sets lack.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from sandbox.base import State
from sandbox.checkers import compare
from sandbox.closing import Closing
from sandbox.judging import CaseOutcome, Evaluator, EvaluatorFactory, Perturbation, Program
from schemas.candidate import Candidate, TestCase

_TIME_ZONES = ("UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Chatham", "Pacific/Marquesas")


def list_perturbations(repeats: int) -> tuple[Perturbation, ...]:
    """Return that many perturbations; the first one perturbs nothing."""
    return tuple(
        Perturbation(hash_seed=index, time_zone=_TIME_ZONES[index % len(_TIME_ZONES)], order_seed=index)
        for index in range(repeats)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedTest:
    """What the reference did with one test in every repeat."""

    test: TestCase
    outcomes: tuple[CaseOutcome, ...]

    @property
    def first(self) -> CaseOutcome:
        """The unperturbed outcome."""
        return self.outcomes[0]

    def is_stable(self, candidate: Candidate) -> bool:
        """Return whether the checker takes all repeats' outputs for the same."""
        return all(
            outcome.state is self.first.state
            and (outcome.state is not State.OK or _same(candidate, self.first.output, outcome.output))
            for outcome in self.outcomes[1:]
        )


def _same(candidate: Candidate, left: str, right: str) -> bool:
    return left == right or compare(candidate.checker, candidate.style, left, right)


class Repeater(Closing):
    """Runs the reference of one task in all its repeats; close it to end the sandboxes.

    Args:
        factory: opens evaluators of the task's own style.
    """

    def __init__(self, candidate: Candidate, factory: EvaluatorFactory, repeats: int) -> None:
        self.candidate = candidate
        self._factory = factory
        self._perturbations = list_perturbations(repeats)
        self._stack = ExitStack()
        self._evaluators: list[Evaluator] = []

    def evaluator(self, index: int) -> Evaluator:
        """Return the evaluator of a repeat, opened when it's first asked for.

        Raises:
            SandboxError: no sandbox can be had.
        """
        while len(self._evaluators) <= index:
            perturbation = self._perturbations[len(self._evaluators)]
            self._evaluators.append(self._stack.enter_context(self._factory.open(perturbation)))
        return self._evaluators[index]

    def program(self, source: str) -> Program:
        """Return a source text as a program of this task."""
        signature = self.candidate.signature
        if signature is None:
            return Program(source=source)
        return Program(source=source, entry_point=signature.entry_point, preamble=signature.preamble)

    def run_once(self, source: str, inputs: Sequence[str]) -> tuple[CaseOutcome, ...]:
        """Return the unperturbed outcomes of a program, a fresh process per input.

        Raises:
            SandboxError: the sandbox failed.
        """
        return self.evaluator(0).evaluate(self.program(source), inputs)

    def repeat(self, tests: Sequence[TestCase], known: Mapping[str, CaseOutcome]) -> tuple[RepeatedTest, ...]:
        """Return what the reference does with each test in every repeat.

        Args:
            known: unperturbed outcomes by input, as far as the tests were run before.

        Raises:
            SandboxError: the sandbox failed.
        """
        inputs = [test.input for test in tests]
        new = [text for text in inputs if text not in known]
        first = {**known, **dict(zip(new, self.run_once(self.candidate.reference, new), strict=True))}
        program = self.program(self.candidate.reference)
        rounds = [self.evaluator(index).evaluate(program, inputs) for index in range(1, len(self._perturbations))]
        return tuple(
            RepeatedTest(test=test, outcomes=(first[test.input], *(outcomes[place] for outcomes in rounds)))
            for place, test in enumerate(tests)
        )

    def close(self) -> None:
        """End all sandboxes; idempotent."""
        self._stack.close()
        self._evaluators = []
