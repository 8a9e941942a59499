"""Which records say the same as a better one.

The dedup stage, behind the prints. Records that share a bucket are compared exactly; links join them into components;
inside a component the best record is kept, then every further one that isn't within the threshold of a kept one. So a
chain A~B~C never removes C for being like B when B itself is gone. The result depends on the set of records alone, not
on their order. Method: own (star links and exact verification after Broder 1997 and the Spark variant of BigCode's
near-dedup; greedy keep is the lexicographically first maximal independent set).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.config import Dedup
from schemas.task import DuplicateRecord
from transforms.curation.components import Components
from transforms.curation.fingerprint import DocumentPrint, bucket_keys
from transforms.curation.shingles import jaccard

PAIR_LIMIT = 64
"""Members of a bucket that are all compared with each other; a larger bucket gets star links."""
STAR_ROUNDS = 32
"""Heads that a larger bucket gets at most; what is like none of them is left to its other buckets."""
KILL_LIMIT = 3
"""Repository tasks kept of one repository, one scope and one set of failing tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Two records that are duplicates, or compete for the places of one kill vector."""

    better: str
    worse: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The layer that found two records alike, and their exact Jaccard similarity."""

    layer: str
    jaccard: float


def compare(left: DocumentPrint, right: DocumentPrint, settings: Dedup) -> Likeness | None:
    """Return how two records are duplicates, or None; the cheapest layer that says so names it."""
    if left.exact_key == right.exact_key:
        return Likeness(layer="exact", jaccard=1.0)
    if left.token_key and left.token_key == right.token_key:
        return Likeness(layer="tokens", jaccard=1.0)
    comparable = bool(left.hashes and right.hashes)
    score = jaccard(left.shingles(), right.shingles()) if comparable else 0.0
    if left.statement_key and left.statement_key == right.statement_key:
        return Likeness(layer="statement", jaccard=round(score, 4))
    if comparable and score >= settings.threshold:
        return Likeness(layer="minhash", jaccard=round(score, 4))
    return None


def _linked(left: DocumentPrint, right: DocumentPrint, settings: Dedup) -> bool:
    same_kills = bool(left.kill_key) and left.kill_key == right.kill_key
    return same_kills or compare(left, right, settings) is not None


def link_bucket(prints: Iterable[DocumentPrint], settings: Dedup) -> tuple[Link, ...]:
    """Return the verified links among the members of one bucket, in order.

    Up to `PAIR_LIMIT` members are compared pair by pair. In a larger bucket the best member is the head and every
    other one is compared with it; those that fail are linked again among themselves, for at most `STAR_ROUNDS` heads.

    Cost: at most ``PAIR_LIMIT ** 2 / 2`` or ``STAR_ROUNDS * len(prints)`` comparisons of some 20 microseconds.
    """
    members = sorted({item.record_id: item for item in prints}.values(), key=DocumentPrint.order)
    rounds = len(members) if len(members) <= PAIR_LIMIT else STAR_ROUNDS
    keep_all = len(members) <= PAIR_LIMIT
    links: list[Link] = []
    for _ in range(rounds):
        if len(members) < 2:
            break
        head, rest = members[0], members[1:]
        near = [_linked(head, item, settings) for item in rest]
        links += [
            Link(better=head.record_id, worse=item.record_id) for item, hit in zip(rest, near, strict=True) if hit
        ]
        members = [item for item, hit in zip(rest, near, strict=True) if keep_all or not hit]
    return tuple(links)


class _Keeper:
    """Keeps or drops the members of one component, best first."""

    def __init__(self, settings: Dedup) -> None:
        self._settings = settings
        self._by_bucket: defaultdict[str, list[DocumentPrint]] = defaultdict(list)

    def place(self, item: DocumentPrint) -> DuplicateRecord | None:
        """Return the duplicate record of a member that goes, None for one that stays."""
        keys = bucket_keys(item, self._settings)
        rivals = {kept.record_id: kept for key in keys for kept in self._by_bucket[key]}
        for kept in sorted(rivals.values(), key=DocumentPrint.order):
            likeness = compare(kept, item, self._settings)
            if likeness is not None:
                return _drop(item, kept, likeness)
        same_kills = self._by_bucket[f"kill:{item.kill_key}"] if item.kill_key else []
        if len(same_kills) >= KILL_LIMIT:
            return _drop(item, same_kills[0], Likeness(layer="kill_vector", jaccard=1.0))
        for key in keys:
            self._by_bucket[key].append(item)
        return None


def _drop(item: DocumentPrint, kept: DocumentPrint, likeness: Likeness) -> DuplicateRecord:
    return DuplicateRecord(
        record_id=item.record_id,
        kept_id=kept.record_id,
        source=item.source,
        kind=item.kind,
        locator=item.locator,
        layer=likeness.layer,
        jaccard=likeness.jaccard,
    )


def resolve(links: Iterable[Link], prints: Iterable[DocumentPrint], settings: Dedup) -> tuple[DuplicateRecord, ...]:
    """Return the records to drop, ordered by record id.

    Args:
        links: the links of all buckets, in any order, repeated or not.
        prints: at least the prints that the links name; others are ignored.

    Raises:
        KeyError: a link names a record whose print isn't given.
    """
    by_id = {item.record_id: item for item in prints}
    components = Components()
    for link in links:
        components.join(link.better, link.worse)
    dropped: list[DuplicateRecord] = []
    for members in components.groups():
        keeper = _Keeper(settings)
        for item in sorted((by_id[name] for name in members), key=DocumentPrint.order):
            duplicate = keeper.place(item)
            if duplicate is not None:
                dropped.append(duplicate)
    return tuple(sorted(dropped, key=lambda duplicate: duplicate.record_id))


def find_duplicate_prints(prints: Sequence[DocumentPrint], settings: Dedup) -> tuple[DuplicateRecord, ...]:
    """Return the records to drop, ordered by record id; the whole stage in one process."""
    buckets: defaultdict[str, list[DocumentPrint]] = defaultdict(list)
    for item in prints:
        for key in bucket_keys(item, settings):
            buckets[key].append(item)
    links = {link for members in buckets.values() if len(members) > 1 for link in link_bucket(members, settings)}
    return resolve(links, prints, settings)
