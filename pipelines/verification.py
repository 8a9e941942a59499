"""Proves emitted tasks again, from the rows and trees of the dataset.

Behind `taskfoundry verify`. In a fresh sandbox the reference must be accepted, and none of the proof's baselines (the
stub and all trivial solvers) may be. Repeats, limits and seed are those of the build. What a row says of exploits must
follow from its evidence, and when asked for, come out of the battery again. Method: own.
"""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track

from pipelines.dataset import TASK_SPLITS, damaged_files, iterate_rows, read_manifest
from sandbox.backends import select_backend
from sandbox.base import Backend
from sandbox.dataset_trees import DatasetTrees
from sandbox.environments import default_cache
from sandbox.exploits.base import BATTERY_VERSION
from sandbox.exploits.batteries import Batteries
from sandbox.exploits.evidence import results_of_proof
from sandbox.judge import compare_outcomes, judge
from sandbox.judging import EvaluatorFactory, Perturbation, Program
from sandbox.packages import Packages, require_packages
from sandbox.suite_proving import prove_suite
from sandbox.task_judging import make_factory
from sandbox.trivial import ENTRY_POINT, list_trivial_solvers
from schemas.candidate import TaskStyle
from schemas.canonical import uniform_for
from schemas.config import Prove
from schemas.errors import SandboxError, SeedError
from schemas.exploit_results import Basis, Result
from schemas.proven import Proven
from schemas.rejection import Rejection
from schemas.row_reading import from_row


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A task that couldn't be proven again."""

    task_id: str
    why: str


class Verifier:
    """Proves tasks of one dataset again; safe from several threads.

    Args:
        folder: the dataset.
        run_seed: that of the build.
        packages: what Python solutions may import beside the standard library.
        exploits: whether to run the battery again, as far as it ran in the build.
    """

    def __init__(
        self,
        folder: Path,
        backend: Backend,
        scratch: Path,
        *,
        run_seed: int,
        packages: Packages | None = None,
        exploits: bool = False,
    ) -> None:
        self._packages = packages
        self._run_seed = run_seed
        self._backend = backend
        self._scratch = scratch
        self._trees = trees = DatasetTrees(folder, backend, default_cache())
        batteries = Batteries(backend=backend, cache=scratch, packages=packages, open_tree=trees.open_tree)
        self._batteries = batteries if exploits else None
        self._tried: list[str] = []

    def close(self) -> None:
        """Close what stayed open between tasks."""
        self._trees.close()

    def describe_batteries(self) -> str:
        """Return how many of the tasks had exploits run again, and why none had."""
        if self._tried:
            return f"exploits run again on {len(self._tried)} of them"
        return "exploits run again on none of them: the build ran no battery there (prove.exploits.share in its config)"

    def check(self, task: Proven) -> Doubt | None:
        """Return why a task is in doubt, None when it's proven again."""
        style = task.candidate.style
        try:
            if style is TaskStyle.REPOSITORY:
                why = self._check_repository(task)
            elif style is TaskStyle.SUITE:
                why = self._check_suite(task)
            else:
                why = self._check_cases(task)
            why = why or describe_contradiction(task) or self._check_exploits(task)
        except (SandboxError, SeedError) as error:
            why = f"no verdict: {error}"
        return Doubt(task_id=task.candidate.record_id, why=why) if why else None

    def _check_cases(self, task: Proven) -> str:
        candidate = task.candidate
        require_packages(task, self._packages)
        factory = make_factory(candidate, self._backend, task.evidence.limits, packages=self._packages)
        signature = candidate.signature
        entry = signature.entry_point if signature and candidate.style is TaskStyle.FUNCTION else ""
        preamble = signature.preamble if signature else ""
        program = Program(source=candidate.reference, entry_point=entry, preamble=preamble)
        verdict = judge(factory, program, task.tests, candidate.checker, candidate.style)
        failed = next((result for result in verdict.results if not result.passed), None)
        if failed is not None:
            return f"the reference fails {failed.case_id}: {failed.outcome.state.value} {failed.outcome.detail}".strip()
        solver = find_accepted_solver(task, factory)
        return f"the trivial solver {solver!r} passes the hidden tests" if solver else ""

    def _check_suite(self, task: Proven) -> str:
        result = prove_suite(
            task.candidate,
            self._backend,
            self._scratch,
            limits=task.evidence.limits,
            settings=Prove(repeats=task.evidence.repeats),
            run_seed=self._run_seed,
        )
        return f"{result.reason}: {result.detail}" if isinstance(result, Rejection) else ""

    def _check_repository(self, task: Proven) -> str:
        mutation = task.candidate.mutation
        assert mutation is not None
        judge_of_tree = self._trees.judge_of(task)
        solved = judge_of_tree.judge_patch(task, mutation.fix_patch)
        if not solved.passed:
            return f"the fix isn't accepted: {solved.reason} {solved.detail}".strip()
        return "the broken tree is accepted" if judge_of_tree.judge(task, {}).passed else ""

    def _check_exploits(self, task: Proven) -> str:
        said = {each.number: each for each in task.evidence.exploits if each.basis is Basis.BATTERY}
        if not said or self._batteries is None or task.evidence.battery_version != BATTERY_VERSION:
            return ""
        self._tried.append(task.candidate.record_id)
        for found in self._batteries.run(task, said).classes:
            if found.result is Result.NO_VERDICT:
                return f"no verdict on exploit class {found.number}: {found.reason}"
            if found.result is not said[found.number].result:
                return f"exploit class {found.number} is {said[found.number].result} in the row and now {found.result}"
        return ""


def describe_contradiction(task: Proven) -> str:
    """Return which result of an exploit class doesn't follow from the row's own evidence; nothing when all do.

    Results of another version, of the battery, or of rows that have none aren't looked at.
    """
    evidence = task.evidence
    if evidence.battery_version != BATTERY_VERSION:
        return ""
    said = {each.number: each for each in evidence.exploits}
    for known in results_of_proof(task):
        found = said.get(known.number)
        if found is None or (found.basis is Basis.PROOF and found != known):
            shown = f"{found.result} {', '.join(found.open_to)}".strip() if found else "not in the row"
            wanted = f"{known.result} {', '.join(known.open_to)}".strip()
            return f"exploit class {known.number} is {shown}, by the row's evidence {wanted}"
    return ""


def find_accepted_solver(task: Proven, factory: EvaluatorFactory) -> str:
    """Return the name of the first baseline of a function or stdin task that passes its hidden tests, else nothing.

    Raises:
        SandboxError: the sandbox failed.
    """
    candidate = task.candidate
    entry = ENTRY_POINT if candidate.style is TaskStyle.FUNCTION else ""
    public = [case for case in task.tests if case.public]
    hidden = [case for case in task.tests if not case.public]
    with factory.open(Perturbation()) as evaluator:
        for solver in list_trivial_solvers(candidate, public, [case.expected for case in task.tests]):
            program = Program(source=solver.source, entry_point=entry)
            # One test at a time, since nearly every solver fails the first.
            outcomes = ((case, evaluator.evaluate(program, (case.input,))) for case in hidden)
            if all(compare_outcomes(out, (case,), candidate.checker, candidate.style).passed for case, out in outcomes):
                return solver.name
    return ""


def choose_tasks(folder: Path, sample: int) -> Iterator[Proven]:
    """Yield the tasks to prove again: all, or the `sample` with the lowest drawn numbers."""
    manifest = read_manifest(folder)
    tasks = (from_row(row).proven for row in iterate_rows(folder, manifest))
    if not sample:
        yield from tasks
        return
    drawn = sorted(tasks, key=lambda task: uniform_for(0, task.candidate.record_id, "verify"))
    yield from drawn[:sample]


def _watch(checks: Iterator[Doubt | None], total: int, console: Console) -> Iterator[Doubt | None]:
    """Yield results and show how many there are: a bar on a terminal, nothing elsewhere."""
    yield from track(
        checks, "proving again", total=total, console=console, transient=True, disable=not console.is_terminal
    )


def verify_dataset(
    folder: Path,
    *,
    sample: int,
    workers: int,
    console: Console,
    packages: Packages | None = None,
    exploits: bool = False,
) -> bool:
    """Check files and tasks of a dataset, print what is wrong, and return whether all is well.

    Args:
        sample: tasks to prove again; 0 takes all.
        packages: what Python solutions may import beside the standard library.
        exploits: whether to run the battery again, as far as it ran in the build.

    Raises:
        ConfigError: the folder holds no dataset, no sandbox works here, or a task was proven with packages and there
            are none.
    """
    manifest = read_manifest(folder)
    damage = damaged_files(folder, manifest)
    for sentence in damage:
        console.print(f"[red]{sentence}[/red]")
    if damage:
        return False
    rows = sum(shard["rows"] for shard in manifest["shards"] if shard["split"] in TASK_SPLITS)
    with tempfile.TemporaryDirectory(prefix="taskfoundry-verify-") as scratch, ExitStack() as stack:
        Path(scratch).chmod(0o755)
        seed = manifest["seed"]
        backend = select_backend()
        verifier = Verifier(folder, backend, Path(scratch), run_seed=seed, packages=packages, exploits=exploits)
        stack.callback(verifier.close)
        with ThreadPoolExecutor(workers) as pool:
            checks = pool.map(verifier.check, choose_tasks(folder, sample))
            results = list(_watch(checks, min(sample or rows, rows), console))
    doubts = [result for result in results if result is not None]
    for doubt in doubts:
        console.print(f"[red]{doubt.task_id}[/red]: {doubt.why}")
    console.print(f"{len(results) - len(doubts)} of {len(results)} tasks proven again; all files as in the manifest")
    if exploits:
        console.print(verifier.describe_batteries())
    return not doubts
