"""Judges a solution of a repository task that nobody trusts: a patch or whole files over the broken tree.

The sandbox never holds the healthy source. Trusted copies of the tests and the configuration are laid over the
solution, files that could change how tests run are refused, and canaries stand among the tests. Every solution gets its
own sandbox; the one in which canaries are tried out runs healthy code only. Method: own; the attacks that it answers
are listed in docs/repositories.md.
"""

import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sandbox.base import Backend, State
from sandbox.canaries import Planted, plant
from sandbox.clean_suites import CONFIG_NAMES, CleanSuite
from sandbox.closing import Closing
from sandbox.environments import BASE_PACKAGES
from sandbox.suite_results import SuiteRun, TestOutcome
from sandbox.suites import SuiteRunner
from sandbox.tree_patches import apply_edits, apply_patch, repack
from schemas.candidate import RepositoryMutation
from schemas.errors import MutationError, SandboxError, SchemaError
from schemas.limits import Limits
from schemas.proven import Proven, RepositoryProof
from schemas.snapshot import Snapshot, is_test_path

Solution = Mapping[str, bytes | None]
"""Whole files over the broken tree by path; None removes a file."""
MAX_SOLUTION_BYTES = 32 * 1024 * 1024
_STARTUP_NAMES = frozenset({"sitecustomize.py", "usercustomize.py", "conftest.py", *CONFIG_NAMES})
_STARTUP_SUFFIXES = (".pth", ".pyc", ".so", ".pyd", ".egg-link")
_RUNNER_MODULES = frozenset({"pytest", "_pytest", "py", *BASE_PACKAGES})


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryVerdict:
    """Whether a solution solves a repository task."""

    passed: bool
    reason: str
    """``solved``, ``tests_fail``, ``canary_passed``, ``canary_missing``, ``did_not_finish`` or ``bad_solution``."""
    detail: str = ""
    share: float = 0.0
    """Share of FAIL_TO_PASS that passes, in [0, 1]; 0 when a test of PASS_TO_PASS fails or the report can't be trusted:
    what passes without any solution earns nothing."""
    refused_files: tuple[str, ...] = ()
    """Files of the solution that were left out, since only trusted ones may steer the tests."""


class RepositoryJudge(Closing):
    """Judges solutions of the tasks of one repository.

    Args:
        clean: the healthy suite as the prover found it.
        limits: of one run of the suite.
    """

    def __init__(self, snapshot: Snapshot, clean: CleanSuite, backend: Backend, *, limits: Limits) -> None:
        self._snapshot = snapshot
        self._clean = clean
        self._backend = backend
        self._limits = limits
        self._healthy = SuiteRunner(
            backend, clean.environment, snapshot.tar.read_bytes(), plan=clean.plan, limits=limits
        )

    def close(self) -> None:
        """Kill the sandbox in which canaries are tried out; idempotent."""
        self._healthy.close()

    def judge_patch(self, task: Proven, patch: str) -> RepositoryVerdict:
        """Return the verdict on a unified diff against the broken tree; a diff that doesn't apply fails.

        Raises:
            SandboxError: the sandbox failed; nothing is said about the solution.
        """
        mutation = _mutation_of(task)
        healthy = _read_files(self._snapshot.tree)
        broken = healthy | apply_edits(self._snapshot.tree, mutation.edits)
        try:
            return self.judge(task, apply_patch(broken, patch))
        except MutationError as error:
            return RepositoryVerdict(passed=False, reason="bad_solution", detail=str(error))

    def judge(self, task: Proven, solution: Solution) -> RepositoryVerdict:
        """Return the verdict on whole files laid over the broken tree.

        Raises:
            SandboxError: the sandbox failed; nothing is said about the solution.
        """
        mutation, proof = _mutation_of(task), task.repository
        if proof is None:
            raise SchemaError(f"{task.candidate.record_id} has no repository proof")
        kept, refused = screen_solution(solution, self._snapshot.tree)
        if sum(len(data) for data in kept.values() if data is not None) > MAX_SOLUTION_BYTES:
            return RepositoryVerdict(passed=False, reason="bad_solution", detail="the solution is too large")
        planted = self._calibrate(proof.fail_to_pass)
        tree = self._snapshot.tree
        trusted = {path: (tree / path).read_bytes() for path in self._clean.test_files} | dict(planted.files)
        changed: dict[str, bytes | None] = {**apply_edits(tree, mutation.edits), **kept}
        run = self._run(repack(self._snapshot.tar, changed, without=trusted), trusted)
        return self._decide(run, planted, proof, refused)

    def _run(self, tree_tar: bytes, trusted: Mapping[str, bytes]) -> SuiteRun:
        with SuiteRunner(
            self._backend, self._clean.environment, tree_tar, plan=self._clean.plan, limits=self._limits
        ) as runner:
            return runner.run(trusted)

    def _calibrate(self, wanted: tuple[str, ...]) -> Planted:
        """Return canaries that fail on the healthy tree; their names can't be known beforehand."""
        files = {path: (self._snapshot.tree / path).read_bytes() for path in self._clean.test_files}
        planted = plant(Random(secrets.token_bytes(16)), files, wanted)
        run = self._healthy.run(planted.files, targets=tuple(planted.files))
        outcomes = {name: outcome for name, outcome in run.outcomes.items() if planted.is_canary(name)}
        failing = frozenset(name for name, outcome in outcomes.items() if outcome is TestOutcome.FAILED)
        if run.state is not State.OK or not failing:
            raise SandboxError(f"canaries can't be planted: {run.detail or 'none of them fails on the healthy tree'}")
        return Planted(files=planted.files, names=planted.names, expected=failing)

    def _decide(
        self, run: SuiteRun, planted: Planted, proof: RepositoryProof, refused: tuple[str, ...]
    ) -> RepositoryVerdict:
        if run.state is not State.OK or run.exit_code != 1:
            detail = run.detail or f"pytest ended with {run.exit_code}"
            return RepositoryVerdict(passed=False, reason="did_not_finish", detail=detail, refused_files=refused)
        outcomes = run.outcomes
        for node_id in sorted(planted.expected):
            if outcomes.get(node_id) is not TestOutcome.FAILED:
                reason = "canary_passed" if node_id in outcomes else "canary_missing"
                return RepositoryVerdict(passed=False, reason=reason, detail=node_id, refused_files=refused)
        passed, wanted = run.passed(), set(proof.fail_to_pass)
        wrong = sorted((wanted | set(proof.pass_to_pass)) - passed)
        share = len(wanted & passed) / len(wanted) if wanted and wanted.issuperset(wrong) else 0.0
        return RepositoryVerdict(
            passed=not wrong,
            reason="tests_fail" if wrong else "solved",
            detail=", ".join(wrong[:10]),
            share=share if wrong else 1.0,
            refused_files=refused,
        )


def screen_solution(solution: Solution, tree: Path) -> tuple[dict[str, bytes | None], tuple[str, ...]]:
    """Return the files of a solution that may be laid, and the sorted paths of the others.

    Refused are tests, pytest's configuration, start-up hooks, compiled code, metadata folders, and top-level modules
    that the tree lacks and that would stand before pytest or the standard library.
    """
    kept = {path: data for path, data in solution.items() if _may_be_laid(path, tree)}
    return kept, tuple(sorted(set(solution) - set(kept)))


def _may_be_laid(path: str, tree: Path) -> bool:
    parts = path.split("/")
    if not path or path.startswith("/") or "\0" in path or {"", ".", "..", ".git", "__pycache__"}.intersection(parts):
        return False
    name = parts[-1]
    if is_test_path(path) or name in _STARTUP_NAMES or name.endswith(_STARTUP_SUFFIXES):
        return False
    if any(part.endswith((".dist-info", ".egg-info", ".data")) for part in parts):
        return False
    if (tree / path).is_symlink():
        return False
    below = parts[1:] if parts[0] in {"src", "lib"} and len(parts) > 1 else parts
    top = below[0].removesuffix(".py")
    shadows = top in _RUNNER_MODULES or top in sys.stdlib_module_names
    return not shadows or (tree / path).exists()


def _mutation_of(task: Proven) -> RepositoryMutation:
    if task.candidate.mutation is None:
        raise SchemaError(f"{task.candidate.record_id} is no repository task")
    return task.candidate.mutation


def _read_files(tree: Path) -> dict[str, bytes]:
    return {
        place.relative_to(tree).as_posix(): place.read_bytes()
        for place in sorted(tree.rglob("*"))
        if place.is_file() and not place.is_symlink()
    }
