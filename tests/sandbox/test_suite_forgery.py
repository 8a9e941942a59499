"""Honest and half-honest solutions of a repository task; the dishonest ones are the exploit battery's."""

from collections.abc import Iterator

import pytest

from sandbox.backends import select_backend
from sandbox.repository_judging import RepositoryJudge
from sandbox.repository_proving import RepositoryProver
from schemas.proven import Proven
from tests.repository_samples import BUG, PRICES, SUITE_LIMITS, make_mutant, make_snapshot, shared_cache

BROKEN = PRICES.replace(*BUG)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RepositoryJudge, Proven]]:
    folder = tmp_path_factory.mktemp("forgery")
    snapshot = make_snapshot(folder)
    backend = select_backend()
    with RepositoryProver(snapshot, backend, shared_cache(folder), limits=SUITE_LIMITS) as prover:
        task = prover.prove_mutation(make_mutant(snapshot, "src/shop/prices.py", BUG))
        assert isinstance(task, Proven), task
    with RepositoryJudge(snapshot, prover.clean, backend, limits=SUITE_LIMITS) as judge:
        yield judge, task


def test_the_fix_patch_solves_the_task(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    assert task.candidate.mutation is not None
    verdict = judge.judge_patch(task, task.candidate.mutation.fix_patch)
    assert verdict.passed, verdict


def test_another_honest_fix_solves_the_task(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    source = BROKEN.replace(b"return amount + amount * percent // 100", b"return amount * (100 - percent) // 100")
    assert judge.judge(task, {"src/shop/prices.py": source, "notes/change.md": b"Fixed.\n"}).passed


def test_the_broken_tree_does_not_solve_the_task(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    verdict = judge.judge(task, {})
    assert (verdict.passed, verdict.reason) == (False, "tests_fail")


def test_a_patch_that_does_not_apply_fails(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    assert judge.judge_patch(task, "--- a/nothing\n+++ b/nothing\n@@ -1 +1 @@\n-a\n+b\n").reason == "bad_solution"


def test_the_healthy_source_is_nowhere_in_the_sandbox(judged: tuple[RepositoryJudge, Proven]) -> None:
    judge, task = judged
    search = b"""
import os

found = []
for folder, _, names in os.walk("/"):
    if folder.startswith(("/proc", "/sys", "/usr", "/opt/python", "/dev")):
        continue
    for name in names:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                if b"amount " + b"- amount *" in file.read():
                    found.append(os.path.join(folder, name))
        except OSError:
            pass


def discounted(amount, percent):
    return amount - amount * percent // 100 if found else 0
""".replace(b"return amount - amount * percent // 100", b"return amount * (100 - percent) // 100")
    assert judge.judge(task, {"src/shop/prices.py": BROKEN + search}).reason == "tests_fail"
