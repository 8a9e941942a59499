"""What a mutation operator is: a name, words about it, and the edits that it finds in a document.

Operators live in `operators/`, one function each, and are entered in `registry.py`. Method: own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from mutators.document import Document
from mutators.splice import Edit

Edits = tuple[Edit, ...]
"""One mutant: UTF-8 byte ranges of the document and what stands there instead."""


class MutationOperator(Protocol):
    """One way to break code."""

    @property
    def name(self) -> str:
        """The name in configs and rows."""

    @property
    def theme(self) -> str:
        """The group it belongs to: ``control``, ``statement``, ``exception``, ..."""

    @property
    def summary(self) -> str:
        """What it does, for the table in the documentation."""

    @property
    def before(self) -> str:
        """An example."""

    @property
    def after(self) -> str:
        """What one mutant of the example looks like."""

    def find_edits(self, document: Document) -> Iterator[Edits]:
        """Yield the edits of each mutant; a mutant may turn out not to compile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """An operator made of a function."""

    name: str
    theme: str
    summary: str
    before: str
    after: str
    find: Callable[[Document], Iterator[Edits]]

    def find_edits(self, document: Document) -> Iterator[Edits]:
        """Yield the edits of each mutant; a mutant may turn out not to compile."""
        return self.find(document)
