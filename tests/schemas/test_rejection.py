"""A rejection carries a countable reason and bounded evidence."""

import pytest

from schemas.candidate import Candidate
from schemas.codec import decode_record, encode_record
from schemas.errors import SchemaError
from schemas.rejection import Rejection, Stage, reject_candidate
from schemas.source import SourceKind
from tests.builders import make_candidate


def make(reason: str = "no_tests", detail: str = "") -> Rejection:
    return Rejection(
        record_id="r",
        source="s",
        kind=SourceKind.BANK,
        locator="a:1",
        stage=Stage.INGEST,
        reason=reason,
        detail=detail,
        payload_json="x" * 100_000,
    )


@pytest.mark.parametrize("reason", ["", "Two words", "no-tests", "9lives"])
def test_a_reason_must_be_one_word(reason: str) -> None:
    with pytest.raises(SchemaError, match="snake_case"):
        make(reason)


def test_evidence_is_cut_to_its_bound() -> None:
    rejection = make(detail="y" * 9000)
    assert len(rejection.detail) == 2000
    assert len(rejection.payload_json) == 64_000


def test_a_rejection_survives_the_codec() -> None:
    assert decode_record(Rejection, encode_record(make())) == make()


def test_foreign_text_is_a_schema_error() -> None:
    with pytest.raises(SchemaError, match="not a Rejection"):
        decode_record(Rejection, "{}")


def test_a_refused_candidate_is_kept_whole() -> None:
    candidate = make_candidate("task-1")
    rejection = reject_candidate(candidate, Stage.PROVE, "flaky", "two answers", retriable=True)
    assert (rejection.record_id, rejection.locator) == (candidate.record_id, candidate.source.locator)
    assert (rejection.stage, rejection.reason, rejection.retriable) == (Stage.PROVE, "flaky", True)
    assert decode_record(Candidate, rejection.payload_json) == candidate
