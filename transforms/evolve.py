"""Proven parents to harder variants: asks a model to rewrite them, one round.

Beside the main road: parents are taken from proven records only, and what comes back is screened and proven like
everything else. Method: own; operators and elimination rules are in mutators/evolve.py.
"""

from collections.abc import Iterable, Iterator

import apache_beam as beam

from mutators.evolve import Rewriting, plan_rewritings, try_evolve
from schemas.candidate import Candidate
from schemas.config import Config, EvolveSource
from schemas.rejection import Rejection
from seeds.models import open_client
from transforms.context import RunContext
from transforms.pooled import REJECTED, ThreadedDoFn
from transforms.staging import SpreadByKey, Staged

STEP = "ask for rewritings"


def evolve_sections(config: Config) -> tuple[EvolveSource, ...]:
    """Return the config's evolve sources."""
    return tuple(section for section in config.sources if isinstance(section, EvolveSource))


class _Plan(beam.DoFn):
    def __init__(self, config: Config) -> None:
        self._seed = config.seed
        self._sections = {section.name: section for section in evolve_sections(config)}

    def process(self, group: tuple[str, Iterable[Candidate]]) -> Iterator[tuple[str, Rewriting]]:
        name, parents = group
        for rewriting in plan_rewritings(self._sections[name], parents, self._seed):
            yield f"{name}/{rewriting.locator}", rewriting


class _Ask(ThreadedDoFn[Rewriting, Candidate]):
    def __init__(self, context: RunContext) -> None:
        super().__init__(STEP, workers=context.config.model.concurrency, heartbeat=context.heartbeat)
        self._context = context

    def open(self) -> None:
        self._client = open_client(self._context.config.model, self._context.store, self._context.base_dir)

    def work(self, element: Rewriting) -> Iterable[Candidate | Rejection]:
        return (try_evolve(element, self._client),)


class EvolveParents(beam.PTransform):
    """Proven candidates to rewritten candidates and rejections."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, parents: beam.PCollection) -> Staged:
        """Return one candidate or rejection per planned rewriting.

        Args:
            parents: candidates that have been proven, of all sources.
        """
        sections = evolve_sections(self._context.config)
        wanted = [(section.parents, section.name) for section in sections]
        asked = (
            parents
            | "Parents of each source"
            >> beam.FlatMap(lambda c: [(name, c) for source, name in wanted if source == c.source.source])
            | "Same source" >> beam.GroupByKey()
            | "Plan rewritings" >> beam.ParDo(_Plan(self._context.config))
            | "Spread" >> SpreadByKey(STEP, self._context.heartbeat)
            | "Ask the model" >> beam.ParDo(_Ask(self._context)).with_outputs(REJECTED, main="kept")
        )
        return Staged(asked["kept"], asked[REJECTED])
