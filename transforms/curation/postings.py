"""Which rows of a fixed collection share hashes with a query: an inverted index in three flat arrays.

Decontamination keeps one for statements and one for code. A hash that many rows of one group share says little about
any of them, so shares are taken twice: of all hashes of a row, and of its distinctive ones. Method: own;
document-frequency cut as in text search.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from transforms.curation.shingles import Hashes

Counts = npt.NDArray[np.int32]

COMMON_SHARE = 0.01
COMMON_FLOOR = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What a query shares with each row, two arrays of shape ``(rows,)``."""

    shares: npt.NDArray[np.float64]
    """Share of the row that the query holds, of all hashes or of the distinctive ones, whichever is smaller: neither
    common pieces alone nor one rare piece alone makes a row look contained."""
    counts: Counts
    """Number of hashes in common."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Rows by hash. Hash ``i`` stands in rows ``rows[offsets[i]:offsets[i + 1]]``."""

    hashes: Hashes
    offsets: npt.NDArray[np.int64]
    rows: Counts
    distinctive: npt.NDArray[np.bool_]
    """Per entry of ``rows``: whether few rows of that row's group hold the hash."""
    sizes: Counts
    """Hashes of each row."""
    distinctive_sizes: Counts
    """Distinctive hashes of each row."""

    @classmethod
    def build(cls, rows: Sequence[Hashes], groups: Sequence[int]) -> "Postings":
        """Return the index of rows of sorted unique hashes.

        Args:
            rows: one array per row.
            groups: the group (benchmark) of each row. A hash is distinctive in a group when at most 3 of the group's
                rows, or at most 1% of them, hold it.
        """
        numbers = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row) for row in rows])
        values = np.concatenate([*rows, np.empty(0, dtype=np.uint64)])
        group_of = np.asarray(groups, dtype=np.int32)
        distinctive = np.ones(len(values), dtype=np.bool_)
        for group in np.unique(group_of):
            limit = max(COMMON_FLOOR, int(COMMON_SHARE * np.count_nonzero(group_of == group)))
            inside = group_of[numbers] == group
            _, places, counts = np.unique(values[inside], return_inverse=True, return_counts=True)
            distinctive[inside] = counts[places] <= limit
        order = np.lexsort((numbers, values))
        hashes, starts = np.unique(values[order], return_index=True)
        return cls(
            hashes=hashes,
            offsets=np.append(starts, len(values)).astype(np.int64),
            rows=numbers[order],
            distinctive=distinctive[order],
            sizes=np.bincount(numbers, minlength=len(rows)).astype(np.int32),
            distinctive_sizes=np.bincount(numbers[distinctive], minlength=len(rows)).astype(np.int32),
        )

    def _entries(self, query: Hashes) -> npt.NDArray[np.int64]:
        """Return the indices into ``rows`` of every hash of the query."""
        places = np.searchsorted(self.hashes, query)
        inside = places < len(self.hashes)
        places = places[inside][self.hashes[places[inside]] == query[inside]]
        ranges = [np.arange(self.offsets[place], self.offsets[place + 1]) for place in places]
        return np.concatenate([*ranges, np.empty(0, dtype=np.int64)])

    def measure(self, query: Hashes) -> Overlap:
        """Return what a sorted unique query shares with each row.

        Cost: the query's length times the logarithm of the number of hashes, plus the entries that are found.
        """
        entries = self._entries(query)
        found, telling = self.rows[entries], self.rows[entries[self.distinctive[entries]]]
        rows = len(self.sizes)
        counts = np.bincount(found, minlength=rows)
        of_all = counts / np.maximum(self.sizes, 1)
        of_distinctive = np.bincount(telling, minlength=rows) / np.maximum(self.distinctive_sizes, 1)
        return Overlap(shares=np.minimum(of_all, of_distinctive), counts=counts.astype(np.int32))
