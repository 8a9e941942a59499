"""Which tasks are kept for validation, with whole families on one side.

Part of the mix stage. Tasks that share a parent, a family key or a repository would give each other away across the
split, so they form one family and go together. Method: own; union-find over shared keys.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.candidate import Candidate
from schemas.canonical import content_id, uniform_for
from schemas.task import Split
from transforms.curation.components import Components


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitEntry:
    """One row as the split sees it."""

    record_id: str
    family_key: str = ""
    parent_ids: tuple[str, ...] = ()
    repository: str = ""
    """Name of the repository; empty for other tasks."""

    @classmethod
    def of(cls, candidate: Candidate) -> "SplitEntry":
        """Return the entry of a candidate."""
        return cls(
            record_id=candidate.record_id,
            family_key=candidate.family_key,
            parent_ids=candidate.parent_ids,
            repository=candidate.mutation.repository if candidate.mutation is not None else "",
        )


def find_families(entries: Iterable[SplitEntry]) -> dict[str, str]:
    """Return the family id of every record, by record id in sorted order.

    Two records are of one family when they share a parent, a family key or a repository, when one is the other's
    parent, or through others. A parent joins its children even when it isn't among the entries itself.
    """
    components = Components()
    record_ids = []
    for entry in entries:
        record_ids.append(entry.record_id)
        own = f"record:{entry.record_id}"
        components.find(own)
        for parent in entry.parent_ids:
            components.join(own, f"record:{parent}")
        if entry.family_key:
            components.join(own, f"family:{entry.family_key}")
        if entry.repository:
            components.join(own, f"repository:{entry.repository}")
    return {record_id: content_id("family", components.find(f"record:{record_id}")) for record_id in sorted(record_ids)}


def choose_validation(sizes: Mapping[str, int], fraction: float, seed: int) -> frozenset[str]:
    """Return the families that go to validation.

    Families are drawn in the order of a number made of the seed and the family id; each is taken when that brings the
    number of validation rows nearer to ``fraction`` of all rows. A family is never split, so a family larger than
    twice the wanted number always trains, and with nothing but such families validation stays empty.

    Args:
        sizes: rows of each family.
        fraction: wanted share of validation rows, in [0, 1).
    """
    wanted = fraction * sum(sizes.values())
    chosen: set[str] = set()
    taken = 0
    for family in sorted(sizes, key=lambda name: (uniform_for(seed, name, "split"), name)):
        if abs(taken + sizes[family] - wanted) < abs(taken - wanted):
            chosen.add(family)
            taken += sizes[family]
    return frozenset(chosen)


def assign_splits(entries: Iterable[SplitEntry], fraction: float, seed: int) -> dict[str, tuple[str, Split]]:
    """Return family id and split of every record, by record id in sorted order, whatever the order of the entries."""
    families = find_families(entries)
    validation = choose_validation(Counter(families.values()), fraction, seed)
    return {
        record_id: (family, Split.VALIDATION if family in validation else Split.TRAIN)
        for record_id, family in families.items()
    }
