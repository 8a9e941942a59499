"""Rewards of tasks whose tests run next to the solution: suites, and repositories with the trees of their dataset."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.environments import default_cache
from sandbox.repository_proving import RepositoryProver
from sandbox.rewards import PassMode, RewardConfig
from sandbox.scoring import DATASET_VARIABLE, Scorer, compute_score
from sandbox.suite_proving import prove_suite
from schemas.artifact_paths import environment_path, tree_path
from schemas.config import Prove
from schemas.errors import SeedError
from schemas.ground_truth import write_ground_truth
from schemas.proven import Proven
from schemas.row import Row, to_row
from tests.builders import make_task
from tests.repository_samples import BUG, SUITE_LIMITS, make_mutant, make_snapshot
from tests.sandbox.test_suite_proving import REFERENCE, suite_task

pytestmark = pytest.mark.slow
SOFT = RewardConfig(mode=PassMode.SOFT, patch_weight=0.2)
PATH = "src/shop/prices.py"


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Row]:
    """Return a folder with the artifacts of one repository task, and the task's row."""
    folder = tmp_path_factory.mktemp("dataset")
    snapshot = make_snapshot(tmp_path_factory.mktemp("repository"))
    with RepositoryProver(snapshot, select_backend(), default_cache(), limits=SUITE_LIMITS) as prover:
        task = prover.prove_mutation(make_mutant(snapshot, PATH, BUG))
        assert isinstance(task, Proven), task
        environment = prover.clean.environment
    assert task.candidate.mutation is not None
    mutation = replace(task.candidate.mutation, environment_digest=environment.digest)
    task = replace(task, candidate=replace(task.candidate, mutation=mutation))
    files = {
        tree_path(snapshot.tree_digest): snapshot.tar.read_bytes(),
        environment_path(environment.digest): "\n".join(["# cpython", *environment.packages]).encode(),
    }
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder, to_row(replace(make_task("t"), proven=task))


def test_a_repository_task_is_scored_with_its_tree(dataset: tuple[Path, Row]) -> None:
    folder, row = dataset
    with Scorer(config=SOFT, dataset=folder) as scorer:
        solved = scorer.score(row, f"```diff\n{row['patch']}```")
        assert (solved.total, solved.reason, solved.patch_term) == (1.0, "solved", 1.0), solved
        assert scorer.score(row, "```diff\n```").total == 0.0
        broken = scorer.score(row, f"```diff\n{row['bug_patch']}```")
        assert (broken.total, broken.reason) == (0.0, "tests_fail")
        assert broken.detail.startswith("bad_solution")


def test_verl_scores_a_repository_task_from_its_ground_truth(
    dataset: tuple[Path, Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, row = dataset
    monkeypatch.setenv(DATASET_VARIABLE, str(folder))
    truth = row["reward_model"]["ground_truth"]
    assert (
        compute_score("taskfoundry/repository", f"```diff\n{row['patch']}```", truth, patch_weight=0.1)["score"] == 1.0
    )


def test_a_folder_without_the_tree_is_named(dataset: tuple[Path, Row], tmp_path: Path) -> None:
    with Scorer(dataset=tmp_path) as scorer, pytest.raises(SeedError, match=r"artifacts/trees/.*can't be read"):
        scorer.score(dataset[1], "```diff\n+x\n```")


def test_a_suite_task_is_scored_from_its_row_and_from_its_ground_truth() -> None:
    proven = prove_suite(
        suite_task(), select_backend(), default_cache(), limits=SUITE_LIMITS, settings=Prove(), run_seed=1
    )
    assert isinstance(proven, Proven)
    row = to_row(replace(make_task("t"), proven=proven))
    half = REFERENCE.replace("self.items.append(item)", "pass")
    with Scorer(config=RewardConfig(mode=PassMode.SOFT)) as scorer:
        assert scorer.score(row, f"```python\n{REFERENCE}```").total == 1.0
        partly = scorer.score(row, f"```python\n{half}```")
    assert (partly.reason, partly.pass_share) == ("tests_fail", 0.5)
    assert compute_score("taskfoundry/suite", f"```python\n{REFERENCE}```", write_ground_truth(proven))["score"] == 1.0


def test_a_broken_tree_is_named(dataset: tuple[Path, Row], tmp_path: Path) -> None:
    _, row = dataset
    tree = tmp_path / tree_path(row["tree_digest"])
    tree.parent.mkdir(parents=True)
    tree.write_bytes(b"no archive")
    with Scorer(dataset=tmp_path) as scorer, pytest.raises(SeedError, match=r"artifacts/trees/.*can't be unpacked"):
        scorer.score(row, f"```diff\n{row['patch']}```")
