"""Connected components of named nodes, the same for any order of the edges.

Deduplication joins records with it, splits join families. Method: union-find with path halving (Tarjan 1975).
"""

from collections import defaultdict


class Components:
    """A growing partition of names."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, name: str) -> str:
        """Return the smallest name of the component, adding the name when it's new."""
        parent = self._parent
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    def join(self, left: str, right: str) -> None:
        """Put two names into one component."""
        first, second = sorted((self.find(left), self.find(right)))
        self._parent[second] = first

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the components, each sorted, in the order of their smallest names."""
        members: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(self._parent):
            members[self.find(name)].append(name)
        return tuple(tuple(group) for _, group in sorted(members.items()))
