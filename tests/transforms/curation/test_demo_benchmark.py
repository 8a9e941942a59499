"""The leaks that the demo plants are found, and nothing else of it is taken for one."""

import json
from pathlib import Path

import pytest

from schemas.config import Benchmark, Decontamination
from schemas.source import SourceKind, SourceRef
from seeds.banks import BANKS
from seeds.benchmarks import read_benchmark
from transforms.curation.decontamination import BenchmarkIndex, check, is_contaminated

DEMO = Path(__file__).parents[3] / "examples" / "demo"
SETTINGS = Decontamination()


@pytest.fixture(scope="module")
def index():
    return BenchmarkIndex.build(read_benchmark(Benchmark(name="demo-benchmark", path="benchmark"), DEMO), SETTINGS)


def candidates_of(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        ref = SourceRef(source="bank", kind=SourceKind.BANK, locator=f"{path.name}:{number + 1}")
        yield BANKS.get("taskfoundry").parse(json.loads(line), ref)


def convict(path, index):
    found = {}
    for candidate in candidates_of(path):
        record = is_contaminated(check(candidate, index), SETTINGS)
        if record is not None:
            found[candidate.source.original_id] = (record.nearest_item, record.method)
    return found


def test_the_four_planted_leaks_are_found_and_named(index):
    assert convict(DEMO / "bank" / "leaked.jsonl", index) == {
        "leak-verbatim-lighthouse": ("demo-benchmark/0", "statement_10gram"),
        "leak-verbatim-cinema": ("demo-benchmark/4", "statement_10gram"),
        "leak-renamed-lift": ("demo-benchmark/10", "code_window_alpha"),
        "leak-renamed-rooms": ("demo-benchmark/9", "code_window_alpha"),
    }


def test_no_other_bank_problem_is_taken_for_a_leak(index):
    others = [path for path in sorted((DEMO / "bank").glob("*.jsonl")) if path.name != "leaked.jsonl"]
    assert [convict(path, index) for path in others] == [{}] * len(others)
