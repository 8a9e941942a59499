"""The task that leaves the pipeline: a proven record with score, lineage, contamination evidence and mixture.

Last state on the road. The Arrow row made of it (`schemas/row.py`) is the contract with trainers. Method: own.
"""

from dataclasses import dataclass
from enum import StrEnum

from schemas.contamination import ContaminationRecord
from schemas.proven import Proven
from schemas.source import MixtureBucket, SourceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Difficulty:
    """A difficulty and what it was made of."""

    score: float
    """0 (easy) to 1 (hard), rounded to 4 digits."""
    provenance: str
    """``structural`` always; ``measured`` only with model, k and interval."""
    solution_lines: int
    files_touched: int
    cyclomatic: int
    tests_needed: int
    """Tests that a greedy cover of the killed mutants needs; failing tests for repository tasks."""
    reasoning_chars: int = 0
    phase: int = 1
    """Curriculum phase, 1 to 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateRecord:
    """A record that was removed since a better one says the same."""

    record_id: str
    kept_id: str
    source: str
    kind: SourceKind
    locator: str
    layer: str
    """``exact``, ``tokens``, ``statement``, ``minhash``; ``kill_vector`` for a surplus bug of one kind."""
    jaccard: float


class Split(StrEnum):
    """Where a task goes; members of a family go together."""

    TRAIN = "train"
    VALIDATION = "validation"
    HELD_OUT = "held_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A proven record with its contamination evidence and difficulty, before anything global is decided."""

    proven: Proven
    contamination: tuple[ContaminationRecord, ...]
    difficulty: Difficulty


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A row of the dataset before it's flat."""

    task_id: str
    family_id: str
    proven: Proven
    contamination: tuple[ContaminationRecord, ...]
    difficulty: Difficulty
    bucket: MixtureBucket
    weight: float
    """Sampling weight that brings the emitted rows to the target shares, rounded to 6 digits."""
    split: Split
