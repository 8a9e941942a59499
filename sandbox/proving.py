"""Proof of function and stdin tasks: a `Candidate` becomes `Proven`, or a `Rejection` that says why.

The reference must pass every given test, in every repeat; the stub and all trivial solvers must fail the hidden tests;
the final suite must notice the reference's mutants. Suites and repositories are proven elsewhere. Method: own, in the
order of cost; each reason word is listed in docs/evidence.md.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from sandbox.admission import check_candidate, quote_input, show_test
from sandbox.base import State
from sandbox.batches import BatchRunner
from sandbox.checker_proof import checker_self_test
from sandbox.checkers import compare
from sandbox.hardening import Hardened, MutantsOf, harden, is_faithful
from sandbox.judging import CaseOutcome, EvaluatorFactory
from sandbox.likeness import describe_likeness
from sandbox.refusal import Refusal, conclude
from sandbox.repeats import Repeater, list_perturbations
from schemas.candidate import Candidate, Checker, TaskStyle, TestCase, TestOrigin
from schemas.config import Prove
from schemas.limits import Limits
from schemas.proven import Evidence, Proven, VerdictStrength
from schemas.rejection import Rejection, Stage

MAX_FLAKY_SHARE = 0.1
"""A larger share of tests with varying results means that the reference is flaky, not the test."""
MAX_ALTERNATIVES = 3
"""Tries before a failing sandbox rejects a record as retriable."""

_ISOLATED_SETTINGS = {"fuzz_inputs": 24, "max_mutants": 12}
"""Work on a reference that can't be run in batches, where each run needs a process of its own."""

FactoryOf = Callable[[TaskStyle], EvaluatorFactory]


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxFacts:
    """What the evidence says about the sandbox."""

    backend: str
    isolation: str
    limits: Limits
    limits_enforced: tuple[str, ...]
    toolchain: str = ""


def prove(
    candidate: Candidate,
    factory_of: FactoryOf,
    settings: Prove,
    *,
    run_seed: int,
    facts: SandboxFacts,
    mutants_of: MutantsOf,
) -> Proven | Rejection:
    """Return the proven task or why it isn't one; a failing sandbox gives a retriable ``sandbox_infra``.

    Args:
        factory_of: evaluators by style; stdin tasks use those of function style for our own programs.
        mutants_of: makes mutants of a source text, at most as many as wanted.

    Cost: about one CPU second for a small function task.
    """
    return conclude(candidate, lambda: _Proof(candidate, factory_of, settings, run_seed, facts, mutants_of).run())


class _Proof:
    """One attempt at proving one candidate; every step raises `Refusal` or lets the next one run."""

    def __init__(
        self,
        candidate: Candidate,
        factory_of: FactoryOf,
        settings: Prove,
        run_seed: int,
        facts: SandboxFacts,
        mutants_of: MutantsOf,
    ) -> None:
        self._candidate = replace(candidate, alternatives=candidate.alternatives[:MAX_ALTERNATIVES])
        self._original = candidate
        self._factory_of = factory_of
        self._settings = settings
        self._run_seed = run_seed
        self._facts = facts
        self._mutants_of = mutants_of
        self._flaky: list[str] = []

    def run(self) -> Proven:
        """Return the proven task."""
        given = check_candidate(self._candidate, self._facts.limits)
        factory = self._factory_of(self._candidate.style)
        with Repeater(self._candidate, factory, self._settings.repeats) as repeater:
            first = repeater.run_once(self._candidate.reference, [test.input for test in given])
            self._check_reference(given, first)
            failed = self._check_alternatives(repeater, given)
            hardened = self._harden(repeater, given)
            known = {test.input: outcome for test, outcome in zip(given, first, strict=True)}
            tests = self._drop_flaky(repeater, hardened.tests, known)
        self._check_suite(hardened, tests)
        failed += tuple(self._name_alternative(source) for source in hardened.outvoted)
        evidence = self._evidence(hardened, tests, tuple(sorted(failed)))
        return Proven(candidate=self._original, tests=tests, evidence=evidence)

    def _name_alternative(self, source: str) -> str:
        return f"alternative_{self._original.alternatives.index(source)}"

    def _check_reference(self, given: Sequence[TestCase], outcomes: Sequence[CaseOutcome]) -> None:
        for test, outcome in zip(given, outcomes, strict=True):
            if outcome.state is not State.OK:
                reason = _REASON_OF_STATE.get(outcome.state, "reference_exceeds_limits")
                raise Refusal(Stage.PROVE, reason, f"{show_test(test)}: {outcome.state.value} {outcome.detail}")
        wrong = [
            (test, outcome)
            for test, outcome in zip(given, outcomes, strict=True)
            if not _accepts(self._candidate, test.expected, outcome.output)
        ]
        if wrong:
            test, outcome = wrong[0]
            raise Refusal(Stage.PROVE, _reason_of_wrong(test), self._describe_wrong(wrong, len(given)))

    def _describe_wrong(self, wrong: Sequence[tuple[TestCase, CaseOutcome]], total: int) -> str:
        test, outcome = wrong[0]
        likeness = describe_likeness(self._candidate.style, test.expected, outcome.output)
        lines = [
            f"{len(wrong)} of {total} tests disagree with the reference, first {show_test(test)}",
            f"expected {test.expected[:300]}",
            f"reference {outcome.output[:300]}",
            f"{likeness} {outcome.detail}".strip(),
        ]
        return "\n".join(line for line in lines if line)

    def _drop_flaky(
        self, repeater: Repeater, tests: Sequence[TestCase], known: Mapping[str, CaseOutcome]
    ) -> tuple[TestCase, ...]:
        """Return the tests whose result is the same in all repeats; drawn ones expect the isolated output.

        Args:
            known: unperturbed outcomes by input, as far as the tests were run before.
        """
        repeated = repeater.repeat(tests, known)
        flaky = [one for one in repeated if not one.is_stable(self._candidate) or one.first.state is not State.OK]
        if _too_many(len(flaky), len(tests)):
            one = flaky[0]
            outputs = " | ".join(f"{outcome.state.value} {outcome.output[:120]}" for outcome in one.outcomes)
            likeness = describe_likeness(self._candidate.style, one.first.output, one.outcomes[-1].output)
            detail = f"{len(flaky)} of {len(tests)} tests vary between repeats, first {show_test(one.test)}: {outputs}"
            raise Refusal(Stage.PROVE, "flaky_reference", f"{detail}\n{likeness}".strip())
        self._flaky += [one.test.case_id for one in flaky]
        dropped = {one.test.case_id for one in flaky}
        return tuple(
            replace(one.test, expected=one.first.output) if one.test.origin is TestOrigin.FUZZED else one.test
            for one in repeated
            if one.test.case_id not in dropped
        )

    def _check_alternatives(self, repeater: Repeater, given: Sequence[TestCase]) -> tuple[str, ...]:
        """Return what the failing alternatives did; refuse a task whose checker is too strict for one of them."""
        failed: list[str] = []
        for source in self._candidate.alternatives:
            outcomes = repeater.run_once(source, [test.input for test in given])
            for test, outcome in zip(given, outcomes, strict=True):
                if outcome.state is State.OK and _accepts(self._candidate, test.expected, outcome.output):
                    continue
                likeness = describe_likeness(self._candidate.style, test.expected, outcome.output)
                if likeness:
                    detail = f"{show_test(test)}: {test.expected[:200]} or {outcome.output[:200]}: {likeness}"
                    raise Refusal(Stage.PROVE, "ambiguous_output", detail)
                failed.append(source)
                break
        kept = [source for source in self._candidate.alternatives if source not in failed]
        self._candidate = replace(self._candidate, alternatives=tuple(kept))
        return tuple(self._name_alternative(source) for source in failed)

    def _harden(self, repeater: Repeater, given: Sequence[TestCase]) -> Hardened:
        settings = self._settings
        with ExitStack() as stack:
            if self._candidate.style is TaskStyle.STDIN:
                functions = self._factory_of(TaskStyle.FUNCTION)
                evaluators = [stack.enter_context(functions.open(one)) for one in list_perturbations(2)]
            else:
                evaluators = [repeater.evaluator(0), repeater.evaluator(1)]
            runners = [
                BatchRunner(candidate=self._candidate, evaluator=one, shuffled=place > 0)
                for place, one in enumerate(evaluators)
            ]
            if not is_faithful(runners[0], given):
                settings = settings.model_copy(update=_ISOLATED_SETTINGS)
                runners = [
                    BatchRunner(candidate=self._candidate, evaluator=repeater.evaluator(place), isolated=True)
                    for place in range(2)
                ]
            runner, perturbed = runners
            hardened = harden(runner, perturbed, given, settings, run_seed=self._run_seed, mutants_of=self._mutants_of)
        drawn = len(hardened.labels.valid) + len(hardened.unstable)
        if _too_many(len(hardened.unstable), drawn):
            detail = f"{len(hardened.unstable)} of {drawn} drawn inputs give varying results"
            raise Refusal(Stage.PROVE, "flaky_reference", f"{detail}, first {quote_input(hardened.unstable[0])}")
        if hardened.labels.refused:
            detail = f"inside the declared constraints: {hardened.labels.refused}"
            raise Refusal(Stage.HARDEN, "reference_rejects_valid_input", detail)
        return hardened

    def _check_suite(self, hardened: Hardened, tests: Sequence[TestCase]) -> None:
        hidden = [test for test in tests if not test.public]
        if len(hidden) < self._settings.min_hidden_tests:
            drawn = f"{len(hardened.labels.valid)} of {len(hardened.drawn.inputs)} drawn inputs are fit"
            why = hardened.drawn.why or hardened.labels.why or drawn
            detail = f"{len(hidden)} hidden tests, {self._settings.min_hidden_tests} needed; {why}"
            raise Refusal(Stage.HARDEN, "too_few_hidden_tests", detail)
        faults = checker_self_test(self._candidate.checker, self._candidate.style, tests)
        if faults:
            raise Refusal(Stage.HARDEN, "checker_unsound", f"{_name(self._candidate.checker)}: {', '.join(faults)}")
        if not hardened.baseline_failures(tests):
            raise Refusal(Stage.HARDEN, "baseline_passes", "the stub passes every hidden test")
        accepted = [probe.name for probe in hardened.probes(tests) if probe.accepted]
        if accepted:
            detail = f"{', '.join(accepted)} passes all {len(hidden)} hidden tests"
            raise Refusal(Stage.HARDEN, "trivial_solver_accepted", detail)
        score = hardened.score(tests)
        if score < self._settings.min_mutation_score:
            diffs = "\n".join(one.diff for one in hardened.survivors(tests))
            detail = f"mutation score {score:.2f}, {self._settings.min_mutation_score:.2f} needed\n{diffs}"
            raise Refusal(Stage.HARDEN, "weak_tests", detail)

    def _evidence(self, hardened: Hardened, tests: Sequence[TestCase], failed: tuple[str, ...]) -> Evidence:
        verdicts = hardened.killed_by(tests, trivial=False)
        return Evidence(
            verdict_strength=VerdictStrength.SPLIT,
            backend=self._facts.backend,
            isolation=self._facts.isolation,
            limits=self._facts.limits,
            limits_enforced=tuple(sorted(self._facts.limits_enforced)),
            repeats=self._settings.repeats,
            baseline="stub",
            baseline_failed=hardened.baseline_failures(tests),
            flaky_tests=tuple(sorted(self._flaky)),
            mutants=len(verdicts),
            mutants_killed=sum(1 for _, killed in verdicts if killed),
            survivors=hardened.survivors(tests),
            probes=hardened.probes(tests),
            fuzz_inputs=len(hardened.drawn.inputs),
            fuzz_valid=len(hardened.labels.valid),
            toolchain=self._facts.toolchain,
            failed_alternatives=failed,
        )


_REASON_OF_STATE = {
    State.RE: "reference_crashes",
    State.CE: "reference_crashes",
    State.TLE_CPU: "reference_too_slow",
    State.TLE_WALL: "reference_too_slow",
    State.POLICY: "reference_breaks_policy",
}


def _accepts(candidate: Candidate, expected: str, output: str) -> bool:
    return expected == output or compare(candidate.checker, candidate.style, expected, output)


def _reason_of_wrong(test: TestCase) -> str:
    if test.origin is not TestOrigin.MODEL:
        return "reference_fails_tests"
    return "example_disagrees" if test.public else "model_test_disagrees"


def _too_many(flaky: int, total: int) -> bool:
    """Return whether so many varying results speak against the reference and not against single tests."""
    return flaky == total > 0 or flaky > max(1, MAX_FLAKY_SHARE * total)


def _name(checker: Checker) -> str:
    return f"checker {checker.name.value}"
