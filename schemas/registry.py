"""A registry in which no entry is ever lost: banks, operators, languages, backends, checkers.

Duplicate registration is an error, an unknown name is an error that offers the nearest one. Method: own.
"""

from collections.abc import Iterator
from typing import Generic, TypeVar

from schemas.errors import ConfigError, SchemaError, suggest_name

T = TypeVar("T")


class Registry(Generic[T]):
    """Names to entries of one kind.

    Args:
        kind: the word that messages use, for instance ``"bank format"``.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._entries: dict[str, T] = {}

    def register(self, name: str, entry: T) -> T:
        """Add an entry and return it.

        Raises:
            SchemaError: the name is taken.
        """
        if name in self._entries:
            raise SchemaError(f"{self._kind} {name!r} is registered twice")
        self._entries[name] = entry
        return entry

    def get(self, name: str) -> T:
        """Return the entry of that name.

        Raises:
            ConfigError: no such name; the message offers the nearest one.
        """
        if name not in self._entries:
            raise ConfigError(f"unknown {self._kind} {name!r}.{suggest_name(name, self._entries)}")
        return self._entries[name]

    def names(self) -> tuple[str, ...]:
        """Return all names, sorted."""
        return tuple(sorted(self._entries))

    def __iter__(self) -> Iterator[tuple[str, T]]:
        return iter(sorted(self._entries.items()))

    def __contains__(self, name: object) -> bool:
        return name in self._entries
