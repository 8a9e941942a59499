"""The leaks that the demo plants are found, and nothing else of it is taken for one."""

from pathlib import Path

import pytest

from schemas.candidate import Candidate
from schemas.config import BankSource, Benchmark, Decontamination
from seeds.banks.reading import read_bank
from seeds.benchmarks import read_benchmark
from transforms.curation.decontamination import BenchmarkIndex, check, is_contaminated

DEMO = Path(__file__).parents[3] / "examples" / "demo"
SETTINGS = Decontamination()


@pytest.fixture(scope="module")
def index():
    return BenchmarkIndex.build(read_benchmark(Benchmark(name="demo-benchmark", path="benchmark"), DEMO), SETTINGS)


def convict(index, *, leaked):
    section = BankSource(kind="bank", name="bank", format="taskfoundry", path="bank")
    found = {}
    for candidate in read_bank(section, DEMO):
        if isinstance(candidate, Candidate) and candidate.source.original_id.startswith("leak-") == leaked:
            record = is_contaminated(check(candidate, index), SETTINGS)
            found[candidate.source.original_id] = record and (record.nearest_item, record.method)
    return found


def test_the_four_planted_leaks_are_found_and_named(index):
    assert convict(index, leaked=True) == {
        "leak-verbatim-lighthouse": ("demo-benchmark/0", "statement_10gram"),
        "leak-verbatim-cinema": ("demo-benchmark/4", "statement_10gram"),
        "leak-renamed-lift": ("demo-benchmark/10", "code_window_alpha"),
        "leak-renamed-rooms": ("demo-benchmark/9", "code_window_alpha"),
    }


def test_no_other_bank_problem_is_taken_for_a_leak(index):
    others = convict(index, leaked=False)
    assert len(others) >= 30
    assert set(others.values()) == {None}
