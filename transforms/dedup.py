"""Drops records that say the same as a better one, and says which one and how alike.

After scoring, before the mixture. Prints travel instead of records: buckets of prints are linked in parallel, the
links meet in one place, and the records to drop are joined back by id. Method: own; see transforms/curation/dedup.py.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from schemas.canonical import canonical_json
from schemas.config import Dedup
from schemas.rejection import Rejection, Stage
from schemas.task import DuplicateRecord, Scored
from transforms.curation.dedup import Link, link_bucket, resolve
from transforms.curation.fingerprint import DocumentPrint, bucket_keys, fingerprint
from transforms.pooled import REJECTED, Emitted
from transforms.progress import Heartbeat
from transforms.staging import Staged, TellProgress

STEP = "dedup"
_PRINTS = "prints"


class _LinkBucket(beam.DoFn):
    def __init__(self, settings: Dedup) -> None:
        self._settings = settings

    def process(self, group: tuple[str, Iterable[DocumentPrint]]) -> Iterator[Emitted]:
        prints = list(group[1])
        links = link_bucket(prints, self._settings)
        yield from links
        named = {name for link in links for name in (link.better, link.worse)}
        yield from (TaggedOutput(_PRINTS, item) for item in prints if item.record_id in named)


class _Resolve(beam.DoFn):
    def __init__(self, settings: Dedup) -> None:
        self._settings = settings

    def process(self, group: tuple[None, dict[str, Iterable[Any]]]) -> Iterator[tuple[str, DuplicateRecord]]:
        links: list[Link] = list(group[1]["links"])
        prints: list[DocumentPrint] = list(group[1]["prints"])
        for duplicate in resolve(links, prints, self._settings):
            yield duplicate.record_id, duplicate


def reject_duplicate(duplicate: DuplicateRecord) -> Rejection:
    """Return the rejection that says which record was kept instead."""
    detail = {"kept_id": duplicate.kept_id, "layer": duplicate.layer, "jaccard": duplicate.jaccard}
    return Rejection(
        record_id=duplicate.record_id,
        source=duplicate.source,
        kind=duplicate.kind,
        locator=duplicate.locator,
        stage=Stage.DEDUP,
        reason=f"duplicate_{duplicate.layer}",
        detail=canonical_json(detail),
    )


def _split(group: tuple[str, dict[str, Iterable[Any]]]) -> Iterator[Emitted]:
    _, joined = group
    duplicates: list[DuplicateRecord] = list(joined["duplicates"])
    for duplicate in duplicates:
        yield TaggedOutput(REJECTED, reject_duplicate(duplicate))
    if not duplicates:
        yield from joined["records"]


def _id_of(scored: Scored) -> str:
    return scored.proven.candidate.record_id


class DropNearDuplicates(beam.PTransform):
    """Scored records to those that are kept, and rejections for the others.

    Args:
        heartbeat: where progress is told; None tells nobody.
    """

    def __init__(self, settings: Dedup, *, heartbeat: Heartbeat | None = None) -> None:
        super().__init__()
        self._settings = settings
        self._heartbeat = heartbeat or Heartbeat(None)

    def expand(self, scored: beam.PCollection) -> Staged:
        """Return the kept records and the rejections."""
        settings, heartbeat = self._settings, self._heartbeat
        linked = (
            scored
            | "Count what waits" >> beam.ParDo(TellProgress(STEP, heartbeat, queued=1))
            | "Print each record" >> beam.Map(lambda record: fingerprint(record.proven, settings))
            | "Key by bucket" >> beam.FlatMap(lambda item: [(key, item) for key in bucket_keys(item, settings)])
            | "Same bucket" >> beam.GroupByKey()
            | "Link each bucket" >> beam.ParDo(_LinkBucket(settings)).with_outputs(_PRINTS, main="links")
        )
        duplicates = (
            {
                "links": linked["links"] | "Links in one place" >> beam.Map(lambda link: (None, link)),
                "prints": linked[_PRINTS] | "Prints in one place" >> beam.Map(lambda item: (None, item)),
            }
            | "Bring links together" >> beam.CoGroupByKey()
            | "Resolve components" >> beam.ParDo(_Resolve(settings))
        )
        split = (
            {"records": scored | "Key by id" >> beam.Map(lambda r: (_id_of(r), r)), "duplicates": duplicates}
            | "Join by id" >> beam.CoGroupByKey()
            | "Keep or drop" >> beam.FlatMap(_split).with_outputs(REJECTED, main="kept")
        )
        return Staged(
            split["kept"] | "Tell the kept" >> beam.ParDo(TellProgress(STEP, heartbeat, done=1)),
            split[REJECTED] | "Tell the dropped" >> beam.ParDo(TellProgress(STEP, heartbeat, done=1, rejected=1)),
        )
