"""Reads the sources that are files: problem banks and curated tasks.

First stage of the road. Each row becomes a candidate or a rejection; a source that can't be read at all stops the run
before anything is built, since that's for the user to fix. Method: own.
"""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from schemas.candidate import Candidate
from schemas.config import BankSource, CuratedSource
from schemas.rejection import Rejection
from seeds.banks.reading import read_bank
from seeds.curated import read_curated
from seeds.task_tests import limit_tests
from transforms.context import RunContext
from transforms.pooled import REJECTED, Emitted
from transforms.staging import Staged


class _ReadSource(beam.DoFn):
    def __init__(self, context: RunContext) -> None:
        self._context = context

    def process(self, name: str) -> Iterator[Emitted]:
        for record in read_source(self._context, name):
            self._context.heartbeat.beat("read", queued=1, done=1, rejected=int(isinstance(record, Rejection)))
            yield TaggedOutput(REJECTED, record) if isinstance(record, Rejection) else record
        self._context.heartbeat.flush()


def read_source(context: RunContext, name: str) -> Iterator[Candidate | Rejection]:
    """Return what a file source of the config holds, in its own order.

    Raises:
        ConfigError: a path that doesn't exist, a format that isn't known.
    """
    section = next(source for source in context.config.sources if source.name == name)
    records: Iterator[Candidate | Rejection] = iter(())
    if isinstance(section, BankSource):
        records = read_bank(section, context.base_dir)
    elif isinstance(section, CuratedSource):
        records = read_curated(section, context.base_dir)
    most = context.config.prove.max_given_tests
    yield from (record if isinstance(record, Rejection) else limit_tests(record, most) for record in records)


class ReadFileSources(beam.PTransform):
    """Source names to candidates and rejections."""

    def __init__(self, context: RunContext) -> None:
        super().__init__()
        self._context = context

    def expand(self, names: beam.PCollection) -> Staged:
        """Return the candidates and the rejections of all named sources."""
        read = names | "Read each source" >> beam.ParDo(_ReadSource(self._context)).with_outputs(REJECTED, main="kept")
        return Staged(read["kept"], read[REJECTED])
