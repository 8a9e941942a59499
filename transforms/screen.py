"""Cheap checks before anything runs: size, language, the same record twice, benchmark text.

After ingest, before the sandbox. A record that stands too near to a benchmark is refused with the evidence; what stands
farther off goes on with its nearest items, since the row shows them. Method: own; transforms/curation/decontamination.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from sandbox.languages import PROVABLE
from schemas.candidate import Candidate, TaskStyle
from schemas.canonical import canonical_json
from schemas.config import Config
from schemas.contamination import ContaminationRecord
from schemas.rejection import Stage, reject_candidate
from schemas.screened import Screened
from seeds.benchmarks import read_benchmark
from transforms.context import RunContext
from transforms.curation.benchmark_index import BenchmarkIndex
from transforms.curation.decontamination import check, is_contaminated
from transforms.pooled import REJECTED, Emitted
from transforms.staging import Staged

STATEMENT_CHARS = 100_000
RECORD_CHARS = 64_000_000


def check_form(candidate: Candidate) -> tuple[str, str] | None:
    """Return reason and detail when a candidate isn't worth a sandbox, else None."""
    if not candidate.statement.strip() and candidate.style is not TaskStyle.REPOSITORY:
        return "empty_statement", "the statement is empty"
    if len(candidate.statement) > STATEMENT_CHARS:
        return "statement_too_long", f"{len(candidate.statement)} characters, at most {STATEMENT_CHARS}"
    if candidate.language not in PROVABLE:
        return "unsupported_language", f"{candidate.language!r}; known: {', '.join(PROVABLE)}"
    size = sum(len(case.input) + len(case.expected) for case in candidate.tests)
    if size > RECORD_CHARS:
        return "tests_too_large", f"{size} characters of tests, at most {RECORD_CHARS}"
    return None


def describe_contamination(record: ContaminationRecord) -> str:
    """Return the evidence as canonical JSON."""
    return canonical_json(
        {
            "benchmark": record.benchmark,
            "item": record.nearest_item,
            "method": record.method,
            "score": record.score,
            "span": record.span,
        }
    )


@lru_cache(maxsize=1)
def load_index(config: Config, base_dir: Path) -> BenchmarkIndex:
    """Return the index of all benchmark items, built once per process.

    Raises:
        ConfigError: a benchmark can't be read.
    """
    items = [item for section in config.benchmarks for item in read_benchmark(section, base_dir)]
    return BenchmarkIndex.build(items, config.decontamination)


class _KeepFirst(beam.DoFn):
    """Of several records with one id, keeps the one whose source the config names first."""

    def __init__(self, sources: tuple[str, ...]) -> None:
        self._rank = {name: index for index, name in enumerate(sources)}

    def process(self, group: tuple[str, Iterable[Candidate]]) -> Iterator[Emitted]:
        first, *others = sorted(group[1], key=lambda c: (self._rank[c.source.source], c.source.locator))
        yield first
        for other in others:
            kept = f"{first.source.source}, {first.source.locator}"
            yield TaggedOutput(
                REJECTED, reject_candidate(other, Stage.SCREEN, "exact_duplicate", f"same content as {kept}")
            )


class _Screen(beam.DoFn):
    def __init__(self, context: RunContext) -> None:
        self._context = context

    def setup(self) -> None:
        self._index = load_index(self._context.config, self._context.base_dir)

    def process(self, candidate: Candidate) -> Iterator[Emitted]:
        fault = check_form(candidate)
        if fault is not None:
            yield TaggedOutput(REJECTED, reject_candidate(candidate, Stage.SCREEN, *fault))
            return
        nearest = check(candidate, self._index)
        hit = is_contaminated(nearest, self._context.config.decontamination)
        if hit is not None:
            detail = describe_contamination(hit)
            yield TaggedOutput(REJECTED, reject_candidate(candidate, Stage.SCREEN, "benchmark_overlap", detail))
            return
        yield Screened(candidate=candidate, contamination=nearest)


class ScreenCandidates(beam.PTransform):
    """Candidates to screened ones and rejections."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, candidates: beam.PCollection) -> Staged:
        """Return what is worth a sandbox, and the rest."""
        sources = tuple(source.name for source in self._context.config.sources)
        unique = (
            candidates
            | "Key by id" >> beam.Map(lambda candidate: (candidate.record_id, candidate))
            | "Same id" >> beam.GroupByKey()
            | "Keep the first" >> beam.ParDo(_KeepFirst(sources)).with_outputs(REJECTED, main="kept")
        )
        screened = unique["kept"] | "Check each" >> beam.ParDo(_Screen(self._context)).with_outputs(
            REJECTED, main="kept"
        )
        rejected = (unique[REJECTED], screened[REJECTED]) | "All refusals" >> beam.Flatten()
        return Staged(screened["kept"], rejected)
