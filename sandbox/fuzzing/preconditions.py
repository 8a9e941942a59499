"""Preconditions that a statement names in words: some the fuzzer can keep, the others forbid drawing freely.

"Sorted" and "distinct" are kept when the examples are so; for a promise such as "exactly one solution" or "a tree" no
input can be drawn safely unless constraints are declared or a second right solution can object. A hidden test that
breaks a precondition would refuse right solutions, which is worse than a test less. Method: own.
"""

import re
from dataclasses import dataclass

_SORTED = re.compile(r"\b(?:sorted|ascending|increasing|non-?decreasing)\b", re.IGNORECASE)
_DISTINCT = re.compile(
    r"\b(?:distinct|unique|(?:no|without) (?:duplicates?|repeat\w*)|pairwise different)\b", re.IGNORECASE
)
_PROMISES = re.compile(
    r"(?:exactly|only) one (?:valid )?(?:solution|answer)|you (?:may|can) assume|guarantee[ds]?"
    r"|always (?:exists?|possible)|(?:is|are) (?:always )?well-formed|no cycles?\b"
    r"|\b(?:rotated|acyclic|bipartite|connected|spanning)\b"
    r"|\b(?:is|as|given) an? (?:rooted |undirected |binary |valid )*tree\b"
    r"|\bpermutation of (?:\$?1|\$?0|the (?:first|integers|numbers))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preconditions:
    """What the words of a statement ask of inputs."""

    ordered: bool = False
    distinct: bool = False
    promise: str = ""
    """The words of a promise that no draw can be made to keep; empty for none."""


NO_PRECONDITIONS = Preconditions()


def read_preconditions(statement: str) -> Preconditions:
    """Return the preconditions that a statement names."""
    promise = _PROMISES.search(statement)
    return Preconditions(
        ordered=_SORTED.search(statement) is not None,
        distinct=_DISTINCT.search(statement) is not None,
        promise=" ".join(promise[0].split()).lower() if promise else "",
    )
