"""Proves suite tasks: test code that runs next to the solution, since it couldn't be parsed into cases.

The reference must pass every test in every repeat, a stub must fail some, and canaries must fail throughout. A probe
whose results are equal to everything shows how far such a verdict goes. Takes candidates of style SUITE to `Proven` or
`Rejection`. Method: own.
"""

import ast
import secrets
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sandbox.base import Backend, Capability, State
from sandbox.canaries import Planted, plant
from sandbox.clean_suites import perturbations
from sandbox.closing import Closing
from sandbox.environments import Environment, build_environment
from sandbox.judging import Perturbation
from sandbox.refusal import Refusal, conclude
from sandbox.suite_results import BAD_OUTCOMES, SuiteRun, TestOutcome
from sandbox.suites import SuitePlan, SuiteRunner
from sandbox.tree_patches import pack_files
from schemas.candidate import Candidate, Suite
from schemas.canonical import rng_for
from schemas.config import Prove
from schemas.errors import SandboxError, SchemaError
from schemas.limits import Limits
from schemas.proven import Evidence, Probe, Proven, VerdictStrength
from schemas.rejection import Rejection, Stage
from schemas.syntax import parse_source

_EQUAL_TO_ALL = """

class _Anything(int):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = None


def _anything(*args, **kwargs):
    return _Anything()
"""
_TOO_SLOW = frozenset({State.TLE_CPU, State.TLE_WALL})


class SuiteTask(Closing):
    """One suite in one sandbox per hash seed: runs solutions of the same trust against it.

    Args:
        limits: of one run of the suite.
    """

    def __init__(self, suite: Suite, preamble: str, backend: Backend, environment: Environment, limits: Limits) -> None:
        self.files = {file.path: file.content.encode("utf-8", "surrogatepass") for file in suite.files}
        code = tuple(sorted(path for path in self.files if path.endswith(".py") and not path.endswith("conftest.py")))
        self.targets = tuple(path for path in code if Path(path).name.startswith("test")) or code
        self._suite = suite
        self._preamble = preamble
        plan = SuitePlan(targets=self.targets)
        self._runner = SuiteRunner(backend, environment, pack_files(self.files), plan=plan, limits=limits)

    def run(
        self, solution: str, *, planted: Planted | None = None, perturbation: Perturbation | None = None
    ) -> SuiteRun:
        """Return what the suite says about a solution's source text.

        Raises:
            SandboxError: the sandbox failed.
        """
        source = f"{self._preamble}\n{solution}" if self._preamble else solution
        files = dict(planted.files) if planted else {}
        files[self._suite.solution_path] = source.encode("utf-8", "surrogatepass")
        return self._runner.run(files, perturbation=perturbation or Perturbation())

    def close(self) -> None:
        """Kill the sandboxes; idempotent."""
        self._runner.close()


def is_accepted(run: SuiteRun, planted: Planted, needed: frozenset[str]) -> bool:
    """Return whether every needed test passed and every canary failed."""
    outcomes = run.outcomes
    finished = run.state is State.OK and run.exit_code == 1
    canaries_fail = all(outcomes.get(node_id) is TestOutcome.FAILED for node_id in planted.expected)
    return finished and canaries_fail and needed <= run.passed()


def prove_suite(
    candidate: Candidate, backend: Backend, cache: Path, *, limits: Limits, settings: Prove, run_seed: int
) -> Proven | Rejection:
    """Return the proven suite task or why it is none.

    Reasons: ``reference_fails_tests``, ``reference_crashes``, ``reference_too_slow``, ``no_tests``,
    ``flaky_reference``, ``baseline_passes``, and ``sandbox_infra`` (retriable).

    Raises:
        SchemaError: the candidate has no suite or no reference.

    Cost: one sandbox per repeat, some 0.5 CPU seconds each.
    """
    if candidate.suite is None or not candidate.reference:
        raise SchemaError(f"{candidate.record_id} has no suite or no reference")
    return conclude(candidate, lambda: _attempt(candidate, backend, cache, limits, settings, run_seed))


def _attempt(
    candidate: Candidate, backend: Backend, cache: Path, limits: Limits, settings: Prove, run_seed: int
) -> Proven:
    environment = build_environment((), cache)
    with open_suite(candidate, backend, environment, limits) as task:
        proof = _SuiteProof(candidate, task, settings, rng_for(run_seed, candidate.record_id, "suite-canaries"))
        return proof.finish(backend.probe(), environment, limits)


def open_suite(candidate: Candidate, backend: Backend, environment: Environment, limits: Limits) -> SuiteTask:
    """Return the suite of a candidate, ready to run solutions.

    Raises:
        SchemaError: the candidate has no suite.
    """
    if candidate.suite is None:
        raise SchemaError(f"{candidate.record_id} has no suite")
    preamble = candidate.signature.preamble if candidate.signature else ""
    return SuiteTask(candidate.suite, preamble, backend, environment, limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteVerdict:
    """How far a solution solves a suite task."""

    passed: bool
    tests: int
    """Tests that must pass."""
    tests_passed: int
    """How many of them do; 0 when the report can't be trusted."""
    detail: str = ""


def judge_suite(task: Proven, solution: str, backend: Backend, cache: Path, *, limits: Limits) -> SuiteVerdict:
    """Return the verdict on a solution that nobody trusts; canaries get names that it can't know.

    Raises:
        SandboxError: the sandbox failed; nothing is said about the solution.
        SchemaError: the task has no suite, or none of its tests counts.
    """
    candidate = task.candidate
    environment = build_environment((), cache)
    with open_suite(candidate, backend, environment, limits) as trusted:
        needed = _find_needed(trusted.run(candidate.reference), task)
        planted = calibrate(trusted, candidate.reference, needed, Random(secrets.token_bytes(16)))
    with open_suite(candidate, backend, environment, limits) as untrusted:
        run = untrusted.run(solution, planted=planted)
    passed = is_accepted(run, planted, needed)
    trusted_report = passed or is_accepted(run, planted, frozenset())
    return SuiteVerdict(
        passed=passed,
        tests=len(needed),
        tests_passed=len(needed & run.passed()) if trusted_report else 0,
        detail=run.detail,
    )


def _find_needed(run: SuiteRun, task: Proven) -> frozenset[str]:
    """Return the tests that a solution must pass.

    Raises:
        SandboxError: the reference passes none here, so nothing can be said about a solution.
        SchemaError: all that it passes count as flaky: any solution would pass.
    """
    passed = run.passed()
    if not passed:
        raise SandboxError(f"the reference passes no test of its suite here: {run.detail or run.said[-300:]}".strip())
    needed = passed - set(task.evidence.flaky_tests)
    if not needed:
        raise SchemaError(f"flaky_tests names every test that the reference of {task.candidate.record_id} passes")
    return needed


def calibrate(task: SuiteTask, reference: str, needed: frozenset[str], rng: Random) -> Planted:
    """Return canaries that fail beside the reference.

    Raises:
        SandboxError: none can be planted.
    """
    planted = plant(rng, task.files, needed)
    run = task.run(reference, planted=planted)
    failing = frozenset(
        name for name, outcome in run.outcomes.items() if planted.is_canary(name) and outcome is TestOutcome.FAILED
    )
    if not failing or not needed <= run.passed():
        raise SandboxError("no test that must fail can be planted beside the tests")
    return Planted(files=planted.files, names=planted.names, expected=failing)


class _SuiteProof:
    """The steps of one proof; each raises `Refusal` or lets the next one run."""

    def __init__(self, candidate: Candidate, task: SuiteTask, settings: Prove, rng: Random) -> None:
        self._candidate = candidate
        self._task = task
        self._settings = settings
        self._rng = rng

    def finish(self, capability: Capability, environment: Environment, limits: Limits) -> Proven:
        """Return the proven task."""
        reference = self._candidate.reference
        first = self._run_reference(reference)
        needed, flaky = self._repeat(reference, first)
        planted = calibrate(self._task, reference, needed, self._rng)
        stub = self._task.run(replace_bodies(reference, "return None"), planted=planted)
        failed = sum(1 for node_id in needed if stub.outcomes.get(node_id) is not TestOutcome.PASSED)
        if not failed:
            raise Refusal(Stage.PROVE, "baseline_passes", f"the stub passes all {len(needed)} tests")
        source = replace_bodies(reference, "return _anything()") + _EQUAL_TO_ALL
        forged = is_accepted(self._task.run(source, planted=planted), planted, needed)
        return Proven(
            candidate=self._candidate,
            tests=(),
            evidence=Evidence(
                verdict_strength=VerdictStrength.CANARY,
                backend=capability.backend,
                isolation=capability.isolation,
                limits=limits,
                limits_enforced=tuple(sorted(capability.limits_enforced)),
                repeats=self._settings.repeats,
                baseline="stub",
                baseline_failed=failed,
                flaky_tests=tuple(sorted(flaky)),
                probes=(Probe(name="equal_to_everything", accepted=forged),),
                toolchain=f"cpython {environment.python_version}",
            ),
        )

    def _run_reference(self, reference: str) -> SuiteRun:
        run = self._task.run(reference)
        if run.state in _TOO_SLOW:
            raise Refusal(Stage.PROVE, "reference_too_slow", f"{run.detail} {run.running}".strip())
        if run.state is not State.OK:
            raise Refusal(Stage.PROVE, "reference_crashes", f"{run.detail} {run.said[-600:]}".strip())
        broken = [*run.broken_modules, *(result for result in run.results if result.outcome in BAD_OUTCOMES)]
        if broken:
            detail = "\n".join(f"{result.node_id}: {result.message[:300]}" for result in broken[:5])
            raise Refusal(Stage.PROVE, "reference_fails_tests", detail)
        if not run.passed():
            raise Refusal(Stage.PROVE, "no_tests", "pytest collects no test that passes")
        return run

    def _repeat(self, reference: str, first: SuiteRun) -> tuple[frozenset[str], frozenset[str]]:
        """Return the tests that pass in every repeat, and those that varied."""
        needed = first.passed()
        seen = set(needed)
        for perturbation in perturbations(self._settings.repeats)[1:]:
            run = self._task.run(reference, perturbation=perturbation)
            seen |= set(run.outcomes)
            needed &= run.passed()
        if not needed:
            raise Refusal(Stage.PROVE, "flaky_reference", f"none of {len(seen)} tests passes in every repeat")
        return needed, frozenset(seen - needed)


def replace_bodies(source: str, statement: str) -> str:
    """Return a program whose functions and methods (not ``__init__``) do nothing but that statement."""
    module = parse_source(source)
    body = parse_source(f"def f():\n    {statement}").body[0]
    assert isinstance(body, ast.FunctionDef)
    for node in [*module.body, *(item for part in module.body if isinstance(part, ast.ClassDef) for item in part.body)]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "__init__":
            node.body = body.body
    return ast.unparse(module) + "\n"
