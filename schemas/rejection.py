"""What became of a record that doesn't go on: the stage, the reason and the evidence.

The first law (conservation) rests on this record: whatever enters a stage leaves it as the next state or as one of
these. Method: own.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from schemas.candidate import Candidate
from schemas.codec import encode_record
from schemas.errors import SchemaError
from schemas.source import SourceKind

_REASON = re.compile(r"[a-z][a-z0-9_]*\Z")
DETAIL_CHARS = 2000
PAYLOAD_CHARS = 64_000


class Stage(StrEnum):
    """The stages of the road, in order."""

    INGEST = "ingest"
    SCREEN = "screen"
    PROVE = "prove"
    HARDEN = "harden"
    SCORE = "score"
    DEDUP = "dedup"
    MIX = "mix"
    WRITE = "write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """One record that was refused."""

    record_id: str
    source: str
    kind: SourceKind
    locator: str
    stage: Stage
    reason: str
    """One snake_case word that the funnel counts."""
    detail: str = ""
    """What a person needs to understand the refusal, at most 2,000 characters."""
    retriable: bool = False
    """Whether another run may come out differently (infrastructure, network)."""
    payload_json: str = ""
    """The refused record as JSON, cut at 64,000 characters."""

    def __post_init__(self) -> None:
        if not _REASON.match(self.reason):
            raise SchemaError(f"rejection reason {self.reason!r} isn't a snake_case word")
        object.__setattr__(self, "detail", self.detail[:DETAIL_CHARS])
        object.__setattr__(self, "payload_json", self.payload_json[:PAYLOAD_CHARS])


def reject_candidate(
    candidate: Candidate, stage: Stage, reason: str, detail: str, *, retriable: bool = False
) -> Rejection:
    """Return the rejection of a candidate, with the whole candidate as its payload."""
    return Rejection(
        record_id=candidate.record_id,
        source=candidate.source.source,
        kind=candidate.source.kind,
        locator=candidate.source.locator,
        stage=stage,
        reason=reason,
        detail=detail,
        retriable=retriable,
        payload_json=encode_record(candidate),
    )
