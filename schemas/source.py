"""Where a record came from: the row as it was read, and the reference that every later record carries.

First state on the road: a source yields `RawItem`s, each of which becomes a `Candidate` or a `Rejection`. Method: own.
"""

from dataclasses import dataclass
from enum import StrEnum


class SourceKind(StrEnum):
    """The kinds of sources; each has one folder or module in `seeds/` or `mutators/`."""

    BANK = "bank"
    REPOSITORY = "repository"
    TOPICS = "topics"
    EVOLVE = "evolve"
    CURATED = "curated"


class MixtureBucket(StrEnum):
    """The parts of the mixture whose shares the config sets."""

    BANK = "bank"
    REPOSITORY = "repository"
    SYNTHETIC = "synthetic"
    HUMAN = "human"


BUCKET_OF_KIND = {
    SourceKind.BANK: MixtureBucket.BANK,
    SourceKind.REPOSITORY: MixtureBucket.REPOSITORY,
    SourceKind.TOPICS: MixtureBucket.SYNTHETIC,
    SourceKind.EVOLVE: MixtureBucket.SYNTHETIC,
    SourceKind.CURATED: MixtureBucket.HUMAN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RawItem:
    """One row as it was read, before anybody has looked into it."""

    source: str
    """Name of the source in the config."""
    kind: SourceKind
    locator: str
    """Where it stands, without machine paths: ``bank.jsonl:17`` or ``tasks/knapsack.yaml``."""
    payload_json: str
    """The row as canonical JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRef:
    """Source and licence of one record."""

    source: str
    """Name of the source in the config."""
    kind: SourceKind
    locator: str
    """File and row, repository and commit, or topic: enough to find the original again."""
    original_id: str = ""
    """The id that the original gave itself, empty when it gave none."""
    url: str = ""
    license: str = "NOASSERTION"
    """SPDX expression; ``NOASSERTION`` when the source says nothing."""
    author_role: str = ""
    """Who wrote it, for curated tasks: ``maintainer``, ``contractor``, ..."""
    review_status: str = ""
    """``draft``, ``reviewed`` or ``approved`` for curated tasks; empty elsewhere."""
