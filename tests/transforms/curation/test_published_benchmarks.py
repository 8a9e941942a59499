"""Decontamination against published files, which aren't part of the repository."""

import ast
import os
from pathlib import Path

import pytest

from schemas.config import Benchmark, Decontamination
from seeds.benchmarks import read_benchmark
from tests.transforms.curation.records import function_candidate
from transforms.curation.decontamination import BenchmarkIndex, check, is_contaminated

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("TASKFOUNDRY_SHARED", ROOT.parent / "shared")) / "data" / "benchmarks"
SETTINGS = Decontamination()

pytestmark = pytest.mark.skipif(
    not (FOLDER / "humaneval.jsonl.gz").exists() or not (FOLDER / "mbpp.jsonl.gz").exists(),
    reason="no published benchmark files; TASKFOUNDRY_SHARED names the folder whose data/benchmarks holds them",
)


def read(name):
    return list(read_benchmark(Benchmark(name=name, path=f"{name}.jsonl.gz"), FOLDER))


@pytest.fixture(scope="module")
def humaneval():
    return read("humaneval")


@pytest.fixture(scope="module")
def index(humaneval):
    return BenchmarkIndex.build(humaneval, SETTINGS)


def count_convicted(candidates, index):
    return sum(is_contaminated(check(candidate, index), SETTINGS) is not None for candidate in candidates)


def restyle(source):
    """Rename everything that the code binds, and lay it out anew without comments."""
    tree = ast.parse(source)
    names = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    new = {name: f"new_{number}" for number, name in enumerate(sorted(names))}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.arg, node.annotation = new[node.arg], None
        elif isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)
        elif isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def test_every_copied_humaneval_statement_is_found(humaneval, index):
    candidates = [function_candidate(statement=item.statement) for item in humaneval]
    assert count_convicted(candidates, index) == len(humaneval) == 164


def test_nine_in_ten_renamed_humaneval_solutions_are_found_by_their_code_alone(humaneval, index):
    candidates = [function_candidate(reference=restyle(item.solutions[0])) for item in humaneval]
    assert count_convicted(candidates, index) >= 145


def test_mbpp_is_not_taken_for_humaneval(index):
    candidates = [
        function_candidate(statement=item.statement, reference=item.solutions[0], pairs=item.io_pairs)
        for item in read("mbpp")
    ]
    assert count_convicted(candidates, index) <= 2
