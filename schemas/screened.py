"""A candidate that passed the cheap checks, with what they found.

Stands between `Candidate` and `Proven` on the road: only screened candidates reach a sandbox. Method: own.
"""

from dataclasses import dataclass

from schemas.candidate import Candidate
from schemas.contamination import ContaminationRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """A candidate worth a sandbox."""

    candidate: Candidate
    contamination: tuple[ContaminationRecord, ...]
    """Nearest item per benchmark, below the threshold of refusal."""
