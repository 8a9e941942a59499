"""Every row of the published bank samples and benchmark files is read, or refused for a reason that is true."""

import os
from collections import Counter
from pathlib import Path

import pytest

from schemas.candidate import Candidate, CheckerName, TaskStyle
from schemas.config import BankSource, Benchmark
from schemas.rejection import Rejection
from seeds.banks.reading import read_bank
from seeds.benchmarks import read_benchmark

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("TASKFOUNDRY_SHARED", ROOT.parent / "shared")) / "data"
pytestmark = pytest.mark.skipif(
    not (FOLDER / "banks").is_dir(),
    reason="no published bank samples; TASKFOUNDRY_SHARED names the folder whose data/ holds them",
)


def read(bank_format: str, path: str) -> list[Candidate | Rejection]:
    section = BankSource(kind="bank", name="b", format=bank_format, path=path, allow_benchmark=True)
    return list(read_bank(section, FOLDER))


def tally(records: list[Candidate | Rejection]) -> dict[str, int]:
    return dict(Counter(r.reason if isinstance(r, Rejection) else r.style.value for r in records))


def test_the_apps_rows_but_one_with_many_answers_become_candidates() -> None:
    records = read("apps", "banks/apps_train_real5.jsonl.gz")
    assert tally(records) == {"stdin": 2, "function": 2, "many_answers": 1}
    refused = records[2]
    assert isinstance(refused, Rejection)
    assert "any of those is accepted" in refused.detail
    assert records[4].tests[0].expected == "false"  # type: ignore[union-attr]


def test_the_older_leetcode_rows_are_read() -> None:
    records = read("leetcode", "banks/leetcodedataset_v020_train_sample.jsonl.gz")
    assert tally(records) == {"function": 33, "suite": 4, "ambiguous_order": 3}
    suites = [r for r in records if isinstance(r, Candidate) and r.style is TaskStyle.SUITE]
    assert all(r.suite is not None and "is_same_list" in r.suite.why for r in suites)
    unordered = {r.title for r in records if isinstance(r, Candidate) and r.checker.name is CheckerName.UNORDERED}
    assert {"two-sum", "n-queens"} <= unordered


def test_the_newer_leetcode_rows_are_all_parsed_into_cases() -> None:
    records = read("leetcode", "banks/leetcodedataset_v031_test_sample.jsonl.gz")
    assert tally(records) == {"function": 10}
    assert sum(len(r.tests) for r in records if isinstance(r, Candidate)) == 872
    assert all(any(test.public for test in r.tests) for r in records if isinstance(r, Candidate))


def test_nearly_all_humaneval_rows_are_parsed_into_cases() -> None:
    records = read("humaneval", "benchmarks/humaneval.jsonl.gz")
    assert tally(records) == {"function": 156, "suite": 8}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("mbpp", {"function": 968, "suite": 6}), ("mbpp_sanitized", {"function": 421, "suite": 6})],
)
def test_nearly_all_mbpp_rows_are_parsed_into_cases(name: str, expected: dict[str, int]) -> None:
    assert tally(read("mbpp", f"benchmarks/{name}.jsonl.gz")) == expected


@pytest.mark.parametrize(
    ("name", "items"),
    [
        ("apps_test_example_io", 5000),
        ("cruxeval", 800),
        ("exercism_canonical", 143),
        ("exercism_practice", 871),
        ("humaneval", 164),
        ("humaneval_rephrased", 246),
        ("leetcodedataset_v031_test", 228),
        ("mbpp", 974),
        ("mbpp_sanitized", 427),
        ("multipl_e_humaneval", 1107),
        ("poly_humaneval_solutions", 14 * 164),
        ("swebench_lite", 300),
        ("swebench_verified", 500),
        ("taco_test_prompts", 1000),
    ],
)
def test_every_benchmark_file_is_read_whole(name: str, items: int) -> None:
    found = list(read_benchmark(Benchmark(name="b", path=f"benchmarks/{name}.jsonl.gz"), FOLDER))
    assert len(found) == len({item.item_id for item in found}) == items
