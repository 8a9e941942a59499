"""The ground truth of a row is enough to judge by."""

import json
from dataclasses import replace

import pytest

from schemas.candidate import (
    Checker,
    CheckerName,
    FileEdit,
    RepositoryMutation,
    Suite,
    SuiteFile,
    TaskStyle,
)
from schemas.errors import SchemaError
from schemas.ground_truth import read_ground_truth, write_ground_truth
from schemas.proven import Proven, RepositoryProof
from schemas.row import to_row
from tests.builders import make_candidate, make_proven, make_task


def through(task: Proven) -> Proven:
    return read_ground_truth(write_ground_truth(task), task_id="t")


def test_a_function_task_keeps_what_judges_it() -> None:
    checker = Checker(name=CheckerName.FLOAT, rel_tol=1e-6, abs_tol=1e-9)
    task = make_proven(replace(make_candidate("t"), checker=checker))
    read = through(task)
    assert [(c.case_id, c.input, c.expected, c.tier) for c in read.tests] == [
        (c.case_id, c.input, c.expected, c.tier) for c in task.tests if not c.public
    ]
    assert (read.candidate.checker, read.candidate.signature) == (checker, task.candidate.signature)
    assert (read.evidence.limits, read.evidence.baseline_failed) == (task.evidence.limits, 4)
    assert (read.candidate.style, read.candidate.language) == (TaskStyle.FUNCTION, "python")
    assert len(read.candidate.reference) == len(task.candidate.reference)
    assert "return" not in read.candidate.reference


def test_the_keys_of_published_graders_are_there() -> None:
    truth = json.loads(to_row(make_task("t"))["reward_model"]["ground_truth"])
    assert truth["fn_name"] == "double"
    assert len(truth["inputs"]) == len(truth["outputs"]) == 4


def test_a_suite_task_keeps_its_suite_and_reference() -> None:
    suite = Suite(files=(SuiteFile(path="test_a.py", content="def test(): pass"),))
    task = make_proven(replace(make_candidate("t"), style=TaskStyle.SUITE, suite=suite, tests=()))
    read = through(task)
    assert (read.candidate.suite, read.candidate.reference) == (suite, task.candidate.reference)


def test_a_repository_task_keeps_its_mutation_and_test_lists() -> None:
    mutation = RepositoryMutation(
        repository="toy",
        url="local:toy",
        base_commit="c" * 40,
        tree_digest="d" * 64,
        environment_digest="e" * 64,
        operator="negate",
        edits=(FileEdit(path="a.py", start=1, end=2, replacement_hex="00ff"),),
        bug_patch="bug",
        fix_patch="fix",
    )
    proof = RepositoryProof(fail_to_pass=("a",), pass_to_pass=("b", "c"), test_command="pytest")
    candidate = replace(make_candidate("t"), style=TaskStyle.REPOSITORY, mutation=mutation, tests=(), signature=None)
    task = replace(make_proven(candidate), repository=proof)
    read = through(task)
    assert (read.candidate.mutation, read.repository) == (mutation, proof)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"style": "function"}', '{"style": "poem", "limits": {}}'])
def test_a_foreign_ground_truth_is_refused(text: str) -> None:
    with pytest.raises(SchemaError, match="'t' can't be read"):
        read_ground_truth(text, task_id="t")
