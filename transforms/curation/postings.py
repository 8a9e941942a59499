"""Which rows of a fixed collection share hashes with a query: an inverted index in three flat arrays.

Decontamination keeps one for statements and one for code. Hashes that too many rows of one group share say nothing
about any of them, so they're left out when the index is built. Method: own; document-frequency cut as in text search.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.curation.shingles import Hashes

Rows = npt.NDArray[np.int32]

COMMON_SHARE = 0.01
COMMON_FLOOR = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Rows by hash. Entry ``i`` of ``hashes`` stands in rows ``rows[offsets[i]:offsets[i + 1]]``."""

    hashes: Hashes
    offsets: npt.NDArray[np.int64]
    rows: Rows
    sizes: Rows
    """Number of distinctive hashes of each row."""

    @classmethod
    def build(cls, rows: Sequence[Hashes], groups: Sequence[int]) -> "Postings":
        """Return the index of rows of sorted unique hashes.

        Args:
            rows: one array per row.
            groups: the group (benchmark) of each row. A hash is common in a group, and left out of that group's rows,
                when more than 1% of the group's rows and more than 3 hold it.
        """
        numbers = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row) for row in rows])
        values = np.concatenate([*rows, np.empty(0, dtype=np.uint64)])
        group_of = np.asarray(groups, dtype=np.int32)
        keep = np.ones(len(values), dtype=np.bool_)
        for group in np.unique(group_of):
            limit = max(COMMON_FLOOR, int(COMMON_SHARE * np.count_nonzero(group_of == group)))
            inside = group_of[numbers] == group
            _, places, counts = np.unique(values[inside], return_inverse=True, return_counts=True)
            keep[inside] = counts[places] <= limit
        values, numbers = values[keep], numbers[keep]
        order = np.lexsort((numbers, values))
        hashes, starts = np.unique(values[order], return_index=True)
        return cls(
            hashes=hashes,
            offsets=np.append(starts, len(values)).astype(np.int64),
            rows=numbers[order],
            sizes=np.bincount(numbers, minlength=len(rows)).astype(np.int32),
        )

    def _places(self, query: Hashes) -> npt.NDArray[np.int64]:
        places = np.searchsorted(self.hashes, query)
        places = places[places < len(self.hashes)] if len(query) else places
        found: npt.NDArray[np.int64] = places[np.isin(self.hashes[places], query)]
        return found

    def count_shared(self, query: Hashes) -> Rows:
        """Return how many distinctive hashes each row shares with a sorted unique query, shape ``(rows,)``."""
        hits = [self.rows[self.offsets[place] : self.offsets[place + 1]] for place in self._places(query)]
        joined = np.concatenate([*hits, np.empty(0, dtype=np.int32)])
        return np.bincount(joined, minlength=len(self.sizes)).astype(np.int32)
