"""Counts per source, stage and reason, and the sums that must agree.

The first law: for every source, read = emitted + rejected + held out, and for every stage, in = out + rejected. Counts
come from the records themselves, not from a runner's counters, so they're the same on every runner. Method: own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.rejection import Stage

READ = "read"
OUT = "out"
REJECTED = "rejected"
EMITTED = "emitted"
HELD_OUT = "held_out"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Tally:
    """What is counted: one outcome of one stage for one source."""

    source: str
    stage: str
    outcome: str
    reason: str = ""


Counts = Mapping[Tally, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLine:
    """One source in one stage."""

    stage: str
    entered: int
    left: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def rejected(self) -> int:
        """How many were refused here."""
        return sum(count for _, count in self.reasons)

    @property
    def balanced(self) -> bool:
        """Whether in = out + rejected."""
        return self.entered == self.left + self.rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """One source over the whole road."""

    source: str
    read: int
    emitted: int
    rejected: int
    held_out: int
    stages: tuple[StageLine, ...]

    @property
    def balanced(self) -> bool:
        """Whether every input is accounted for, over the road and in every stage."""
        return not self.disagreements()

    def disagreements(self) -> tuple[str, ...]:
        """Return one sentence per sum that disagrees, over the road and in every stage."""
        found = []
        if self.read != self.emitted + self.rejected + self.held_out:
            found.append(
                f"{self.source}: read {self.read}, but emitted {self.emitted}, rejected {self.rejected}, "
                f"held out {self.held_out}"
            )
        found += [
            f"{self.source}, {line.stage}: in {line.entered}, but out {line.left}, rejected {line.rejected}"
            for line in self.stages
            if not line.balanced
        ]
        return tuple(found)


def _stage_line(counts: Counts, source: str, stage: str, entered: int) -> StageLine:
    reasons = sorted(
        (key.reason, count)
        for key, count in counts.items()
        if key.source == source and key.stage == stage and key.outcome == REJECTED
    )
    left = counts.get(Tally(source=source, stage=stage, outcome=OUT), 0)
    return StageLine(stage=stage, entered=entered, left=left, reasons=tuple(reasons))


def _source_line(counts: Counts, source: str, stages: tuple[str, ...]) -> SourceLine:
    read = counts.get(Tally(source=source, stage=Stage.INGEST.value, outcome=READ), 0)
    lines: list[StageLine] = []
    entered = read
    for stage in stages:
        line = _stage_line(counts, source, stage, entered)
        lines.append(line)
        entered = line.left
    write = Stage.WRITE.value
    return SourceLine(
        source=source,
        read=read,
        emitted=counts.get(Tally(source=source, stage=write, outcome=EMITTED), 0),
        rejected=sum(line.rejected for line in lines),
        held_out=counts.get(Tally(source=source, stage=write, outcome=HELD_OUT), 0),
        stages=tuple(lines),
    )


def balance(counts: Counts, sources: Iterable[str]) -> tuple[SourceLine, ...]:
    """Return one line per source, in the order given."""
    stages = tuple(stage.value for stage in Stage if stage is not Stage.WRITE)
    return tuple(_source_line(counts, source, stages) for source in sources)
