"""Proves repository tasks: a mutant must break some stable tests, leave others passing, and do so every time.

Takes candidates of style REPOSITORY to `Proven` or `Rejection`. One prover holds one repository with its warm servers;
it isn't thread-safe. The bug patch is the baseline, the healthy tree the reference. The first run is the whole suite,
the repeats are the test files in which something failed. Method: own, after SWE-smith
(arXiv 2504.21798, section 3) with repeats, errors as a class of their own, and canaries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.base import Backend, State
from sandbox.canaries import write_impossible_tests
from sandbox.clean_suites import CleanSuite, CleanSuiteFinder, perturbations
from sandbox.closing import Closing
from sandbox.failure_text import describe_failure
from sandbox.refusal import Refusal, conclude
from sandbox.suite_results import BAD_OUTCOMES, SuiteRun, TestResult
from sandbox.suites import SuiteRunner
from sandbox.tree_patches import check_patches
from schemas.candidate import Candidate, RepositoryMutation
from schemas.canonical import rng_for
from schemas.errors import MutationError, SandboxError, SchemaError
from schemas.limits import Limits
from schemas.proven import Evidence, Proven, RepositoryProof, VerdictStrength
from schemas.rejection import Rejection, Stage, reject_candidate
from schemas.snapshot import Snapshot

CANARIES = 3
MIN_CPU_S = 2.0
_PAST_LIMITS = frozenset({State.TLE_CPU, State.TLE_WALL, State.MLE, State.OLE, State.DLE, State.PLE})
"""Endings of one kind: which limit a wild mutant meets first depends on the machine, so the refusal doesn't say."""
SLOWDOWN = 10.0
"""A mutant may take this many times the CPU of the healthy suite before it counts as hanging."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySettings:
    """What counts as proven for a repository task."""

    repeats: int = 3
    max_fail_to_pass: float = 0.5
    """Share of the stable tests that a mutant may break."""
    install: bool = True
    run_seed: int = 0


_DEFAULTS = RepositorySettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Observed:
    """What one run says about the stable tests."""

    failed: Mapping[str, TestResult]
    passed: frozenset[str]


class RepositoryProver(Closing):
    """Proves the mutants of one repository.

    Args:
        cache: folder of environments.
        limits: of one run of the suite.

    Raises:
        SeedError: the healthy suite can't be used; its reason is the rejection's.
        SandboxError: the sandbox failed.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        backend: Backend,
        cache: Path,
        *,
        limits: Limits,
        settings: RepositorySettings = _DEFAULTS,
        clean: CleanSuite | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self._limits = limits
        finder = CleanSuiteFinder(snapshot, backend, cache, limits=limits, install=settings.install)
        self.clean = clean or finder.find(settings.repeats)
        self._capability = backend.probe()
        self._runner = SuiteRunner(
            backend, self.clean.environment, snapshot.tar.read_bytes(), plan=self.clean.plan, limits=limits
        )
        self._stable = frozenset(self.clean.stable)
        self._warmed: set[int] = set()

    def close(self) -> None:
        """Kill the servers; idempotent."""
        self._runner.close()

    def prove_mutation(self, candidate: Candidate) -> Proven | Rejection:
        """Return the proven task or why it is none.

        Reasons: ``mutant_survives``, ``breaks_import``, ``too_blunt``, ``mutant_runs_wild``, ``mutant_crashes``,
        ``flaky``, ``patch_does_not_apply``, ``canary_passed``, and ``sandbox_infra`` (retriable).

        Raises:
            SchemaError: the candidate isn't a mutation of this snapshot.
        """
        mutation = candidate.mutation
        if mutation is None or mutation.tree_digest != self.snapshot.tree_digest:
            raise SchemaError(f"{candidate.record_id} is no mutation of {self.snapshot.name}")
        try:
            return conclude(candidate, lambda: self._prove(candidate, mutation))
        except MutationError as error:
            return reject_candidate(candidate, Stage.PROVE, "patch_does_not_apply", str(error))

    def _prove(self, candidate: Candidate, mutation: RepositoryMutation) -> Proven:
        broken = check_patches(self.snapshot.tree, mutation)
        first = self._observe(candidate, broken, 0, self.clean.plan.targets)
        self._require_fitting(first)
        failures, varied = self._repeat(candidate, broken, first)
        fail_to_pass, pass_to_pass = [failure.node_id for failure in failures], sorted(first.passed - varied)
        if not pass_to_pass:
            raise Refusal(Stage.PROVE, "too_blunt", "no test passes in every run")
        secrets = (mutation.bug_patch, mutation.fix_patch, mutation.base_commit, mutation.tree_digest)
        placed = replace(mutation, environment_digest=self.clean.environment.digest)
        statement = describe_failure(self.snapshot.name, failures, self.snapshot.tree, secrets=secrets)
        return Proven(
            candidate=replace(candidate, statement=statement, mutation=placed),
            tests=(),
            evidence=self._evidence(len(fail_to_pass), varied),
            repository=RepositoryProof(
                fail_to_pass=tuple(fail_to_pass),
                pass_to_pass=tuple(pass_to_pass),
                test_command=self.clean.plan.command(),
                test_files=self.clean.test_files,
            ),
        )

    def _repeat(
        self, candidate: Candidate, broken: Mapping[str, bytes], first: _Observed
    ) -> tuple[list[TestResult], frozenset[str]]:
        """Return the tests that fail in every run, and those whose result varies under the bug.

        A message that isn't the same in every run is left out: nothing in a row may depend on luck.
        """
        files = sorted({node_id.split("::", 1)[0] for node_id in first.failed})
        repeats = [self._observe(candidate, broken, number, files) for number in range(1, self.settings.repeats)]
        always = frozenset(first.failed).intersection(*(each.failed for each in repeats))
        if not always:
            raise Refusal(Stage.PROVE, "flaky", f"{len(first.failed)} tests failed once, none in every run")
        rerun = {node_id for node_id in first.passed if node_id.split("::", 1)[0] in files}
        varied = set(first.failed) - always
        for each in repeats:
            varied |= rerun - each.passed
        failures = []
        for node_id in sorted(always):
            said = {each.failed[node_id].message for each in (first, *repeats)}
            failures.append(replace(first.failed[node_id], message=said.pop() if len(said) == 1 else ""))
        return failures, frozenset(varied)

    def _evidence(self, failed: int, varied: frozenset[str]) -> Evidence:
        environment = self.clean.environment
        pytest = next((name for name in environment.packages if name.startswith("pytest==")), "pytest")
        return Evidence(
            verdict_strength=VerdictStrength.CANARY,
            backend=self._capability.backend,
            isolation=self._capability.isolation,
            limits=self._limits,
            limits_enforced=tuple(sorted(self._capability.limits_enforced)),
            repeats=self.settings.repeats,
            baseline="bug_patch",
            baseline_failed=failed,
            flaky_tests=tuple(sorted({*self.clean.unstable, *varied})),
            toolchain=f"cpython {environment.python_version}, {pytest.replace('==', ' ')}",
        )

    def _observe(
        self, candidate: Candidate, broken: Mapping[str, bytes], number: int, targets: Sequence[str]
    ) -> _Observed:
        """Run test files on the broken tree once; a failing sandbox and a passed wall limit get a second chance."""
        try:
            run, canaries = self._run(candidate, broken, number, targets)
        except SandboxError:
            run, canaries = self._run(candidate, broken, number, targets)
        if run.state is State.TLE_WALL:
            run, canaries = self._run(candidate, broken, number, targets)
        if run.state in _PAST_LIMITS or any(_ran_out_of_memory(result) for result in run.results):
            raise Refusal(Stage.PROVE, "mutant_runs_wild", "it loops or grows past the limits of the sandbox")
        if run.state is not State.OK or run.exit_code not in {0, 1}:
            detail = run.detail or f"pytest left with {run.exit_code}"
            raise Refusal(Stage.PROVE, "mutant_crashes", f"{detail}; running: {run.running or 'none'}")
        outcomes = run.outcomes
        judged = [outcome for node_id, outcome in outcomes.items() if node_id.rsplit("::", 1)[-1] in canaries]
        if not run.broken_modules and (len(judged) < CANARIES or not BAD_OUTCOMES.issuperset(judged)):
            raise Refusal(Stage.PROVE, "canary_passed", "a test that can't pass didn't fail")
        return self._sort_out(run)

    def _run(
        self, candidate: Candidate, broken: Mapping[str, bytes], number: int, targets: Sequence[str]
    ) -> tuple[SuiteRun, frozenset[str]]:
        perturbation = perturbations(self.settings.repeats)[number]
        self._warm(number)
        rng = rng_for(self.settings.run_seed, candidate.record_id, f"canary-{number}")
        text, names = write_impossible_tests(rng, CANARIES, (node.rsplit("::", 1)[-1] for node in self._stable))
        place = f"{targets[0].rpartition('/')[0]}/test_{rng.randrange(10**6, 10**7)}.py".lstrip("/")
        run = self._runner.run(
            {**broken, place: text.encode("utf-8")},
            targets=(*targets, place),
            perturbation=perturbation,
            cpu_s=max(MIN_CPU_S, SLOWDOWN * self.clean.cpu_s),
        )
        return run, names

    def _warm(self, number: int) -> None:
        """Run the healthy tree once per server, so that its bytecode is there for every mutant."""
        if number not in self._warmed:
            perturbation = perturbations(self.settings.repeats)[number]
            self._runner.run({}, perturbation=perturbation, keep_bytecode=True)
            self._warmed.add(number)

    def _sort_out(self, run: SuiteRun) -> _Observed:
        outcomes = run.outcomes
        failed = {
            result.node_id: result
            for result in run.results
            if result.node_id in self._stable and outcomes[result.node_id] in BAD_OUTCOMES
        }
        for module in run.broken_modules:
            for node_id in self.clean.stable:
                if node_id.split("::", 1)[0] == module.node_id and node_id not in outcomes:
                    failed[node_id] = replace(module, node_id=node_id, message=_exception_line(module.message))
        return _Observed(failed=failed, passed=run.passed() & self._stable)

    def _require_fitting(self, first: _Observed) -> None:
        if not first.passed:
            raise Refusal(Stage.PROVE, "breaks_import", f"none of {len(self._stable)} tests runs through")
        if not first.failed:
            raise Refusal(Stage.PROVE, "mutant_survives", f"all {len(first.passed)} tests pass")
        share = len(first.failed) / len(self._stable)
        if share > self.settings.max_fail_to_pass:
            raise Refusal(Stage.PROVE, "too_blunt", f"{len(first.failed)} of {len(self._stable)} tests fail")


def _ran_out_of_memory(result: TestResult) -> bool:
    return result.outcome in BAD_OUTCOMES and "MemoryError" in result.message


def _exception_line(message: str) -> str:
    """Return the line of a collection error that names the exception."""
    lines = [line for line in message.splitlines() if line.strip()]
    marked = [line.removeprefix("E") for line in lines if line.startswith("E ")]
    return next(reversed(marked or lines), "").strip()
