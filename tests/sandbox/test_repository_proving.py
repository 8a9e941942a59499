"""Repository tasks: which mutants become tasks, and what the evidence says."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.backends import select_backend
from sandbox.repository_proving import RepositoryProver, RepositorySettings
from sandbox.tree_patches import apply_patch
from schemas.candidate import Candidate
from schemas.codec import decode_record, encode_record
from schemas.errors import SchemaError
from schemas.limits import Limits
from schemas.proven import Proven
from schemas.rejection import Rejection, Stage
from schemas.snapshot import Snapshot
from tests.repository_samples import BUG, PRICES, SHOP, make_mutant, make_snapshot, shared_cache

SOURCE = "src/shop/prices.py"
LIMITS = Limits(cpu_s=3, wall_s=60, memory_mb=512, disk_mb=64)
DISCOUNT = tuple(f"tests/test_prices.py::test_discount[{case}]" for case in ("10-180", "50-100"))


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return make_snapshot(tmp_path_factory.mktemp("proving"), {**SHOP, "README.md": b"Prices.\n"})


@pytest.fixture(scope="module")
def prover(snapshot: Snapshot, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RepositoryProver]:
    cache = shared_cache(tmp_path_factory.mktemp("unused"))
    settings = RepositorySettings(max_fail_to_pass=0.6, install=False)
    with RepositoryProver(snapshot, select_backend(), cache, limits=LIMITS, settings=settings) as opened:
        yield opened


@pytest.fixture(scope="module")
def proven(prover: RepositoryProver, snapshot: Snapshot) -> Proven:
    result = prover.prove_mutation(make_mutant(snapshot, SOURCE, BUG))
    assert isinstance(result, Proven), result
    return result


def test_failing_and_passing_tests_are_named(proven: Proven) -> None:
    assert proven.repository is not None
    assert proven.repository.fail_to_pass == DISCOUNT
    assert proven.repository.pass_to_pass == (
        "tests/test_prices.py::TestMoney::test_money_differs",
        "tests/test_prices.py::test_convert",
        "tests/test_prices.py::test_discount[0-200]",
        "tests/test_prices.py::test_total",
        "tests/test_prices.py::test_total_of_nothing",
    )
    assert proven.repository.test_files == ("pyproject.toml", "tests/conftest.py", "tests/test_prices.py")


def test_evidence_says_what_was_run(proven: Proven, prover: RepositoryProver) -> None:
    evidence = proven.evidence
    assert (evidence.verdict_strength, evidence.baseline, evidence.baseline_failed) == ("canary", "bug_patch", 2)
    assert (evidence.repeats, evidence.flaky_tests, evidence.limits) == (3, (), LIMITS)
    assert evidence.toolchain.startswith("cpython 3.")
    assert proven.candidate.mutation is not None
    assert proven.candidate.mutation.environment_digest == prover.clean.environment.digest


def test_statement_tells_the_symptom_and_not_the_patch(proven: Proven, snapshot: Snapshot) -> None:
    statement = proven.candidate.statement
    assert "**prices**: discount (case `10-180`)" in statement
    assert "assert 220 == 180" in statement
    assert "assert discounted(200, percent) == expected" in statement
    assert "amount * percent // 100" not in statement
    for secret in (snapshot.commit, snapshot.tree_digest, SOURCE):
        assert secret not in statement


def test_proof_is_the_same_in_another_prover(proven: Proven, snapshot: Snapshot, tmp_path: Path) -> None:
    settings = RepositorySettings(max_fail_to_pass=0.6, install=False)
    with RepositoryProver(
        snapshot, select_backend(), shared_cache(tmp_path), limits=LIMITS, settings=settings
    ) as other:
        again = other.prove_mutation(make_mutant(snapshot, SOURCE, BUG))
    assert encode_record(again) == encode_record(proven)


def test_fix_patch_restores_the_healthy_bytes(proven: Proven) -> None:
    assert proven.candidate.mutation is not None
    broken = {SOURCE: PRICES.replace(*BUG)}
    assert apply_patch(broken, proven.candidate.mutation.fix_patch) == {SOURCE: PRICES}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((b"cents == other.cents", b"other.cents == cents if 0 else self.cents == other.cents"), "mutant_survives"),
        ((b"class Money", b"import nothing\nclass Money"), "breaks_import"),
        ((b"return amount - amount * percent // 100", b"return None\n\n\ntotal = None"), "too_blunt"),
        ((b"return sum(prices)", b"while True:\n        pass"), "mutant_runs_wild"),
        ((b"return sum(prices)", b"return bytearray(2**40)"), "mutant_runs_wild"),
        ((b"return sum(prices)", b"import os\n    os._exit(0)"), "mutant_crashes"),
        (
            (b"return sum(prices)", b"import os\n    return sum(prices) + (os.environ['TZ'] == 'UTC')"),
            "flaky",
        ),
    ],
)
def test_unfit_mutants_are_rejected_with_their_reason(
    change: tuple[bytes, bytes], reason: str, prover: RepositoryProver, snapshot: Snapshot
) -> None:
    result = prover.prove_mutation(make_mutant(snapshot, SOURCE, change))
    assert isinstance(result, Rejection), result
    assert (result.reason, result.stage, result.retriable) == (reason, Stage.PROVE, False), result.detail
    assert decode_record(Candidate, result.payload_json).record_id == result.record_id


def test_tests_that_vary_under_the_bug_are_set_apart(prover: RepositoryProver, snapshot: Snapshot) -> None:
    late = b"return amount + amount * percent // 100 if percent != 50 or hash('b') % 2 else amount // 2"
    result = prover.prove_mutation(make_mutant(snapshot, SOURCE, (b"return amount - amount * percent // 100", late)))
    assert isinstance(result, Proven), result
    assert result.repository is not None
    assert result.repository.fail_to_pass == DISCOUNT[:1]
    assert DISCOUNT[1] not in result.repository.pass_to_pass
    assert result.evidence.flaky_tests == DISCOUNT[1:]


def test_patches_that_do_not_fit_the_edits_are_refused(prover: RepositoryProver, snapshot: Snapshot) -> None:
    candidate = make_mutant(snapshot, SOURCE, BUG)
    assert candidate.mutation is not None
    other = make_mutant(snapshot, SOURCE, (b"sum(prices)", b"max(prices)"))
    assert other.mutation is not None
    for wrong in (
        replace(candidate.mutation, bug_patch=other.mutation.bug_patch),
        replace(candidate.mutation, fix_patch=other.mutation.fix_patch),
        replace(candidate.mutation, fix_patch="garbage"),
        replace(candidate.mutation, edits=(replace(candidate.mutation.edits[0], path="../outside.py"),)),
        replace(candidate.mutation, edits=candidate.mutation.edits * 2),
    ):
        result = prover.prove_mutation(replace(candidate, mutation=wrong))
        assert isinstance(result, Rejection)
        assert result.reason == "patch_does_not_apply"


def test_a_mutation_of_another_tree_is_a_bug_of_the_caller(prover: RepositoryProver, snapshot: Snapshot) -> None:
    candidate = make_mutant(snapshot, SOURCE, BUG)
    assert candidate.mutation is not None
    with pytest.raises(SchemaError, match="no mutation of shop"):
        prover.prove_mutation(replace(candidate, mutation=replace(candidate.mutation, tree_digest="0" * 64)))


def test_a_bug_that_breaks_one_module_of_tests_counts_as_errors(tmp_path: Path) -> None:
    files = {
        "one.py": b"def one():\n    return 1\n",
        "two.py": b"LIMIT = 2\n",
        "test_one.py": b"from one import one\n\n\ndef test_one():\n    assert one() == 1\n",
        "test_two.py": b"from two import LIMIT\n\n\ndef test_two():\n    assert LIMIT == 2\n",
    }
    snapshot = make_snapshot(tmp_path, files)
    with RepositoryProver(snapshot, select_backend(), shared_cache(tmp_path), limits=LIMITS) as prover:
        result = prover.prove_mutation(make_mutant(snapshot, "two.py", (b"LIMIT = 2", b"LIMIT = 2 / 0")))
    assert isinstance(result, Proven), result
    assert result.repository is not None
    assert result.repository.fail_to_pass == ("test_two.py::test_two",)
    assert "ZeroDivisionError" in result.candidate.statement
