import pytest

from schemas.benchmark import BenchmarkItem
from tests.transforms.curation.records import bank_ref, function_candidate, proven_bug
from transforms.curation.provenance import ProvenanceIndex, is_telling, name_repository

ITEMS = (
    BenchmarkItem(benchmark="humaneval", item_id="HumanEval/12"),
    BenchmarkItem(benchmark="swe", item_id="psf__requests-1963", repo="psf/requests"),
    BenchmarkItem(benchmark="leetcode-test", item_id="two-sum"),
    BenchmarkItem(benchmark="apps", item_id="12"),
)
INDEX = ProvenanceIndex.build(ITEMS)


@pytest.mark.parametrize(
    "location",
    ["requests", "psf/requests", "https://example.org/psf/requests.git", "git@example.org:psf/requests", "local:requests", "Fork/Requests/"],
)  # fmt: skip
def test_a_repository_is_named_by_its_last_part(location):
    assert name_repository(location) == "requests"


def test_any_copy_of_a_benchmark_repository_is_found():
    assert INDEX.find(proven_bug("b", bug_patch="x", repository="requests").candidate) == (1,)
    assert INDEX.find(proven_bug("b", bug_patch="x", repository="requests-toolbelt").candidate) == ()


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"original_id": "HumanEval/12"}, (0,)),
        ({"original_id": "humaneval_12"}, (0,)),
        ({"original_id": "psf__requests-1963"}, (1,)),
        ({"original_id": "two-sum"}, ()),
        ({"original_id": "12"}, ()),
        ({"url": "https://leetcode.example/problems/two-sum/"}, (2,)),
        ({"url": "https://example.org/problems/two-sum"}, ()),
        ({}, ()),
    ],
)
def test_ids_count_when_nobody_else_could_have_them(fields, found):
    assert INDEX.find(function_candidate(source=bank_ref(**fields))) == found


def test_telling_ids_have_a_number_and_name_their_benchmark_or_repository():
    assert [is_telling(item) for item in ITEMS] == [True, True, False, False]
