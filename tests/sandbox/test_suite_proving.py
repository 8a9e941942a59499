"""Suite tasks: test code that runs next to the solution."""

from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.suite_proving import judge_suite, prove_suite, replace_bodies
from schemas.candidate import Candidate, Signature, Suite, SuiteFile, TaskStyle
from schemas.config import Prove
from schemas.errors import SchemaError
from schemas.proven import Probe, Proven
from schemas.rejection import Rejection
from schemas.source import SourceKind, SourceRef
from tests.repository_samples import SUITE_LIMITS, shared_cache

REFERENCE = "class Stack:\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n        self.items.append(item)\n        return self\n\n    def size(self):\n        return len(self.items)\n"
TESTS = "from solution import Stack\n\n\ndef test_push():\n    assert Stack().push(1).size() == 1\n\n\ndef test_new_stack_is_empty():\n    assert Stack().size() == 0\n"
HASH_TESTS = "from solution import answer\n\n\ndef test_answer():\n    assert answer() == 0\n"


def suite_task(reference: str = REFERENCE, tests: str = TESTS, preamble: str = "") -> Candidate:
    return Candidate(
        record_id="suite-1",
        source=SourceRef(source="bank", kind=SourceKind.BANK, locator="bank.jsonl:1"),
        style=TaskStyle.SUITE,
        statement="Write a stack.",
        signature=Signature(entry_point="Stack", preamble=preamble),
        suite=Suite(files=(SuiteFile(path="test_solution.py", content=tests),), why="stateful"),
        reference=reference,
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory.mktemp("cache"))


def prove(candidate: Candidate, cache: Path) -> Proven | Rejection:
    return prove_suite(candidate, select_backend(), cache, limits=SUITE_LIMITS, settings=Prove(), run_seed=1)


@pytest.fixture(scope="module")
def proven(cache: Path) -> Proven:
    result = prove(suite_task(), cache)
    assert isinstance(result, Proven), result
    return result


def test_reference_passes_and_stub_fails(proven: Proven) -> None:
    assert proven.evidence.verdict_strength == "canary"
    assert (proven.evidence.repeats, proven.evidence.baseline, proven.evidence.baseline_failed) == (3, "stub", 2)
    assert proven.evidence.probes == (Probe(name="equal_to_everything", accepted=False),)


def test_preamble_runs_before_the_solution(cache: Path) -> None:
    reference = "def area(r):\n    return math.floor(r * r * math.pi)\n"
    tests = "from solution import area\n\n\ndef test_area():\n    assert area(2) == 12\n"
    assert isinstance(prove(suite_task(reference, tests, preamble="import math"), cache), Proven)


@pytest.mark.parametrize(
    ("reference", "tests", "reason"),
    [
        (REFERENCE.replace("len(self.items)", "len(self.items) + 1"), TESTS, "reference_fails_tests"),
        ("import nothing_like_it\n", TESTS, "reference_fails_tests"),
        (REFERENCE, "from solution import Stack\n", "no_tests"),
        (REFERENCE, "def test_nothing():\n    assert 1 == 1\n", "baseline_passes"),
        ("import os\nos._exit(0)\n", TESTS, "reference_crashes"),
        ("def answer():\n    return hash('b') % 2\n", HASH_TESTS, "flaky_reference"),
    ],
)
def test_unfit_suites_are_rejected_with_their_reason(reference: str, tests: str, reason: str, cache: Path) -> None:
    result = prove(suite_task(reference, tests), cache)
    assert isinstance(result, Rejection), result
    assert result.reason == reason, result


@pytest.mark.parametrize(
    ("solution", "expected"),
    [
        (REFERENCE.replace("self.items.append(item)", "self.items = [*self.items, item]"), True),
        (replace_bodies(REFERENCE, "return 1"), False),
        ("import os\nos._exit(0)\n", False),
        (REFERENCE.replace("len(self.items)", "type('A', (), {'__eq__': lambda *_: True})()"), False),
    ],
)
def test_suite_solutions_are_judged_in_a_sandbox_of_their_own(
    solution: str, expected: bool, proven: Proven, cache: Path
) -> None:
    assert judge_suite(proven, solution, select_backend(), cache, limits=SUITE_LIMITS).passed is expected


def test_a_suite_without_reference_is_a_bug_of_the_caller(cache: Path) -> None:
    with pytest.raises(SchemaError, match="no suite or no reference"):
        prove(suite_task(reference=""), cache)


def test_stub_keeps_constructors_and_signatures() -> None:
    assert replace_bodies(REFERENCE, "return None") == (
        "class Stack:\n\n    def __init__(self):\n        self.items = []\n\n    def push(self, item):\n"
        "        return None\n\n    def size(self):\n        return None\n"
    )
