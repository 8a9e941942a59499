"""Sets and mappings of items that somebody else chose, refused when many share a hash.

A hash table of n items of one hash takes n squared steps: a few hundred kilobytes of hostile text would take hours.
Used by `seeds/literals.py`. Method: own.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any

MOST_OF_ONE_HASH = 50
"""Different items that may share a hash."""


class CollisionError(ValueError):
    """Too many different items share a hash."""


def check_collisions(items: Collection[object]) -> None:
    """Do nothing for items that a hash table can hold; equal ones count once.

    Raises:
        CollisionError: too many different items share a hash.
        TypeError: an item can't be hashed.

    Cost: at most `MOST_OF_ONE_HASH` comparisons per item.
    """
    if len(items) <= MOST_OF_ONE_HASH:
        return
    known: dict[int, list[object]] = {}
    for item in items:
        alike = known.setdefault(hash(item), [])
        if item not in alike:
            alike.append(item)
        if len(alike) > MOST_OF_ONE_HASH:
            raise CollisionError(f"more than {MOST_OF_ONE_HASH} items share a hash")


def set_of(items: Iterable[object] = ()) -> object:
    """Return the set of the items.

    Raises:
        CollisionError: too many items share a hash.
        TypeError: an item can't be hashed.
    """
    return _build(set, items)


def frozenset_of(items: Iterable[object] = ()) -> object:
    """Return the frozen set of the items; raises as `set_of`."""
    return _build(frozenset, items)


def counter_of(items: Iterable[object] = (), **named: int) -> object:
    """Return how often each item occurs; raises as `set_of`."""
    if isinstance(items, dict):
        return Counter(items, **named)
    return _build(lambda found: Counter(found, **named), items)


def dict_of(items: Iterable[Any] = (), **named: object) -> object:
    """Return the mapping of the pairs; raises as `set_of`."""
    pairs = list(items.items() if isinstance(items, dict) else items)
    check_collisions([key for key, _ in pairs])
    return dict(pairs, **named)


def _build(make: Callable[[list[Any]], object], items: Iterable[object]) -> object:
    found = list(items)
    check_collisions(found)
    return make(found)
