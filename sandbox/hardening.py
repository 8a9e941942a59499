"""From a proven reference to a suite that tells right from wrong: drawn tests, killed mutants, few tests, probes.

Second half of proving function and stdin tasks. The table of which test notices which wrong program is computed once;
everything that evidence says about the final suite is read off it. Method: own; mutation score as a stored and gated
field, k-cover and trivial solvers after the measurements in docs/evidence.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sandbox.batches import BatchRunner
from sandbox.fuzzing.calls import draw_calls
from sandbox.fuzzing.draws import Drawn
from sandbox.fuzzing.preconditions import read_preconditions
from sandbox.fuzzing.streams import draw_streams
from sandbox.labelling import LABEL_STEPS, Labels, declares_bounds, label_inputs
from sandbox.reduction import COVER, Choice, reduce_suite
from sandbox.tiers import rank_tiers
from sandbox.trivial import list_trivial_solvers
from sandbox.wrong_programs import (
    KnownTest,
    ReferenceMutant,
    StepPlan,
    find_kills,
    find_trivial_kills,
    plan_steps,
)
from schemas.candidate import Candidate, TaskStyle, TestCase, TestOrigin
from schemas.canonical import rng_for
from schemas.config import Prove
from schemas.proven import Probe, Survivor

MIN_FUZZ_FOR_EQUIVALENCE = 20
"""Agreement on fewer drawn inputs doesn't make a mutant a suspected equivalent."""
MAX_EXCUSED_SHARE = 1 / 3
"""Share of the mutants that suspected equivalence may excuse."""
ENOUGH_KILLS = 2 * COVER
"""Failures after which a mutant isn't run on further tests."""
MAX_DISPUTED_SHARE = 0.1
"""A solution that disagrees on a larger share of the drawn inputs is outvoted when another one agrees."""
_PUBLIC_TESTS = 2
_PUBLIC_CHARS = 300
_BOUNDARIES_KEPT = 6
_HIDDEN_WANTED = 8

MutantsOf = Callable[[str], Sequence[ReferenceMutant]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongProgram:
    """A wrong program and the tests that it fails."""

    name: str
    kills: frozenset[str]
    """Inputs of the tests that notice it."""
    diff: str = ""
    trivial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardened:
    """A chosen suite and what is known of wrong programs."""

    tests: tuple[TestCase, ...]
    wrong: tuple[WrongProgram, ...]
    drawn: Drawn
    labels: Labels
    unstable: tuple[str, ...] = ()
    """Drawn inputs on which the reference answers otherwise under another hash seed and time zone."""
    outvoted: tuple[str, ...] = ()
    """Sources of alternatives that disagree with the reference and another solution on many drawn inputs."""

    def killed_by(self, tests: Sequence[TestCase], *, trivial: bool) -> list[tuple[WrongProgram, bool]]:
        """Return each mutant (or trivial solver) and whether some of the tests notices it."""
        inputs = {test.input for test in tests}
        return [(one, bool(one.kills & inputs)) for one in self.wrong if one.trivial is trivial]

    def survivors(self, tests: Sequence[TestCase]) -> tuple[Survivor, ...]:
        """Return the mutants that none of the tests notices."""
        enough = len(self.labels.valid) >= MIN_FUZZ_FOR_EQUIVALENCE
        return tuple(
            Survivor(operator=one.name, diff=one.diff, suspected_equivalent=enough and not one.kills)
            for one, killed in self.killed_by(tests, trivial=False)
            if not killed
        )

    def score(self, tests: Sequence[TestCase]) -> float:
        """Return the killed share of the mutants that aren't excused as suspected equivalents; 1 without mutants."""
        verdicts = self.killed_by(tests, trivial=False)
        suspected = sum(1 for one in self.survivors(tests) if one.suspected_equivalent)
        counted = len(verdicts) - min(suspected, int(len(verdicts) * MAX_EXCUSED_SHARE))
        return sum(1 for _, killed in verdicts if killed) / counted if counted else 1.0

    def probes(self, tests: Sequence[TestCase]) -> tuple[Probe, ...]:
        """Return every trivial solver and whether the hidden ones among the tests accept it."""
        hidden = [test for test in tests if not test.public]
        return tuple(Probe(name=one.name, accepted=not killed) for one, killed in self.killed_by(hidden, trivial=True))

    def baseline_failures(self, tests: Sequence[TestCase]) -> int:
        """Return how many hidden tests the stub fails."""
        stub = next(one for one in self.wrong if one.trivial and one.name == "none")
        return sum(1 for test in tests if not test.public and test.input in stub.kills)


def harden(
    runner: BatchRunner,
    perturbed: BatchRunner,
    given: Sequence[TestCase],
    settings: Prove,
    *,
    run_seed: int,
    mutants_of: MutantsOf,
) -> Hardened:
    """Return the suite of a task whose reference passes the given tests.

    Args:
        perturbed: runs programs of the task under another hash seed and time zone.
        given: the task's own tests that the reference passes, in source order.
        mutants_of: makes mutants of a source text.

    Raises:
        SandboxError: the sandbox failed.
    """
    candidate = runner.candidate
    public = choose_public(given)
    drawn = draw_inputs(candidate, given, settings, run_seed)
    labels = label_inputs(runner, drawn.inputs, given)
    labels, unstable = _drop_unstable(perturbed, labels)
    labels, outvoted = _drop_disputed(runner, labels)
    tests = [KnownTest(input=case.input, expected=case.expected) for case in given]
    tests += [KnownTest(input=one.input, expected=one.expected) for one in labels.valid]
    mutants = tuple(mutants_of(candidate.reference))[: settings.max_mutants]
    wrong = _list_wrong(runner, tests, [case for case in given if case.input in public], mutants)
    choices = _list_choices(tests, wrong, given, labels, public)
    kept = _fill(choices, reduce_suite(choices, most=settings.max_tests), settings.max_tests, len(given))
    return Hardened(
        tests=_make_cases(candidate, given, labels, kept, public),
        wrong=wrong,
        drawn=drawn,
        labels=labels,
        outvoted=outvoted,
        unstable=unstable,
    )


def is_faithful(runner: BatchRunner, given: Sequence[TestCase]) -> bool:
    """Return whether the reference, run in one process on all its light tests, answers as it does alone.

    Raises:
        SandboxError: the sandbox failed.
    """
    tests = [KnownTest(input=case.input, expected=case.expected) for case in given]
    plan = plan_steps(runner, tests)
    return bool(plan.tests) and not any(find_kills(runner, [runner.candidate.reference], tests, plan))


def draw_inputs(candidate: Candidate, given: Sequence[TestCase], settings: Prove, run_seed: int) -> Drawn:
    """Return drawn inputs for a task, the same ones for the same seed and task.

    None when the statement makes a promise that draws can't keep, unless the bounds are declared or another right
    solution can object to an input.
    """
    stated = read_preconditions(candidate.statement)
    if stated.promise and not declares_bounds(candidate) and not candidate.alternatives:
        return Drawn(why=f"the statement promises {stated.promise!r}, which drawn inputs can't be made to keep")
    seed = rng_for(run_seed, candidate.record_id, "fuzz").getrandbits(64)
    examples = [case.input for case in given]
    count = settings.fuzz_inputs
    if candidate.style is TaskStyle.STDIN:
        return draw_streams(examples, candidate.reference, count=count, seed=seed, stated=stated)
    assert candidate.signature is not None
    return draw_calls(candidate.signature, examples, candidate.reference, count=count, seed=seed, stated=stated)


def choose_public(given: Sequence[TestCase]) -> frozenset[str]:
    """Return the inputs of the public tests: those that the source shows, else the first two short ones of many."""
    shown = frozenset(case.input for case in given if case.public)
    if shown or len(given) <= _PUBLIC_TESTS:
        return shown
    short = [case.input for case in given if len(case.input) + len(case.expected) <= _PUBLIC_CHARS]
    return frozenset(short[:_PUBLIC_TESTS])


def _drop_unstable(perturbed: BatchRunner, labels: Labels) -> tuple[Labels, tuple[str, ...]]:
    """Return the labels that hold under the perturbation, and the inputs of the others."""
    tests = [KnownTest(input=one.input, expected=one.expected) for one in labels.valid]
    plan = StepPlan(tests=tuple(range(len(tests))), limit=LABEL_STEPS)
    (unstable,) = find_kills(perturbed, [perturbed.candidate.reference], tests, plan)
    valid = tuple(one for index, one in enumerate(labels.valid) if index not in unstable)
    return replace(labels, valid=valid), tuple(tests[index].input for index in sorted(unstable))


def _drop_disputed(runner: BatchRunner, labels: Labels) -> tuple[Labels, tuple[str, ...]]:
    """Return the labels without inputs on which right solutions disagree, and the solutions that are outvoted.

    A solution that the source calls right is outvoted when it disagrees on many inputs while another one agrees.
    """
    tests = [KnownTest(input=one.input, expected=one.expected) for one in labels.valid]
    alternatives = runner.candidate.alternatives
    if not tests or not alternatives:
        return labels, ()
    plan = plan_steps(runner, tests)
    disputes = dict(zip(alternatives, find_kills(runner, alternatives, tests, plan), strict=True))
    agreeing = {source for source, found in disputes.items() if len(found) <= MAX_DISPUTED_SHARE * len(tests)}
    trusted = agreeing or set(alternatives)
    disputed = {index for source in trusted for index in disputes[source]}
    valid = tuple(one for index, one in enumerate(labels.valid) if index not in disputed)
    outvoted = tuple(source for source in alternatives if source not in trusted)
    return replace(labels, valid=valid), outvoted


def _list_wrong(
    runner: BatchRunner,
    tests: Sequence[KnownTest],
    public: Sequence[TestCase],
    mutants: Sequence[ReferenceMutant],
) -> tuple[WrongProgram, ...]:
    candidate = runner.candidate
    solvers = list_trivial_solvers(candidate, public, [test.expected for test in tests])
    plan = plan_steps(runner, tests) if mutants else StepPlan(tests=(), limit=0)
    solver_kills = find_trivial_kills(runner, solvers, tests)
    mutant_kills = find_kills(runner, [mutant.source for mutant in mutants], tests, plan, enough=ENOUGH_KILLS)
    found = [
        WrongProgram(name=solver.name, kills=frozenset(tests[index].input for index in kills), trivial=True)
        for solver, kills in zip(solvers, solver_kills, strict=True)
    ]
    found += [
        WrongProgram(name=mutant.operator, diff=mutant.diff, kills=frozenset(tests[index].input for index in kills))
        for mutant, kills in zip(mutants, mutant_kills, strict=True)
    ]
    return tuple(found)


def _list_choices(
    tests: Sequence[KnownTest],
    wrong: Sequence[WrongProgram],
    given: Sequence[TestCase],
    labels: Labels,
    public: frozenset[str],
) -> list[Choice]:
    edges = [one.input for one in labels.valid if one.boundary][:_BOUNDARIES_KEPT]
    return [
        Choice(
            input=test.input,
            kills=frozenset(
                place for place, one in enumerate(wrong) if test.input in one.kills and test.input not in public
            ),
            given=index < len(given),
            required=test.input in public or test.input in edges,
        )
        for index, test in enumerate(tests)
    ]


def _fill(choices: Sequence[Choice], kept: Sequence[int], most: int, given: int) -> tuple[int, ...]:
    """Return the kept tests with further given ones, and with drawn ones while there are few hidden tests."""
    chosen = set(kept)
    for index in range(given):
        if len(chosen) < most:
            chosen.add(index)
    for index in range(given, len(choices)):
        if len(chosen) < min(most, _HIDDEN_WANTED):
            chosen.add(index)
    return tuple(sorted(chosen))


def _make_cases(
    candidate: Candidate,
    given: Sequence[TestCase],
    labels: Labels,
    kept: Sequence[int],
    public: frozenset[str],
) -> tuple[TestCase, ...]:
    """Return the kept tests: public ones first, then the source's own, then drawn ones."""
    cases = []
    for index in kept:
        if index < len(given):
            case = given[index]
            cases.append((case.input, case.expected, case.origin, False))
        else:
            one = labels.valid[index - len(given)]
            cases.append((one.input, one.expected, TestOrigin.FUZZED, one.boundary))
    tiers = rank_tiers(candidate.style, [(text, edge) for text, _, _, edge in cases])
    made = [
        TestCase.make(text, expected, origin=origin, tier=tier, public=text in public)
        for (text, expected, origin, _), tier in zip(cases, tiers, strict=True)
    ]
    return tuple(sorted(made, key=lambda case: not case.public))
