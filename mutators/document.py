"""A Python file made ready for mutation: decoded, parsed, its nodes sorted by type, its scopes named.

Stands between the bytes of a file and the operators. Operators see the text in UTF-8 with byte offsets; `Document`
maps their edits back to bytes of the file as it lies on disk. Parts whose change would be noise (docstrings,
annotations, imports, decorators, version strings, type-checking blocks, logging) are protected. Method: own, on
tree-sitter.
"""

import codecs
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from mutators.bindings import Bindings
from mutators.compilation import parse_error
from mutators.protection import is_pragma, is_protected
from mutators.splice import Edit
from schemas.errors import MutationError

_LANGUAGE = Language(tree_sitter_python.language())
_SCOPES = frozenset({"function_definition", "class_definition"})
_BOM = codecs.BOM_UTF8


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A function or class, by the bytes it covers."""

    start: int
    end: int
    name: str
    """Qualified, without ``<locals>``: ``Queue.push`` or ``outer.inner``."""
    in_function: bool
    """Whether it is a function or lies in one."""
    parent: int
    """Index of the scope around it; -1 for none."""


class Document:
    """One parsed file.

    Args:
        path: the name that messages use.
        source: the bytes on disk.
        module_level: whether code outside functions is of interest, as in a script; then the block under
            ``if __name__ == "__main__"`` isn't protected either.

    Raises:
        MutationError: the bytes aren't a Python file of this interpreter's version; the message says where.
    """

    def __init__(self, path: str, source: bytes, *, module_level: bool = False) -> None:
        self.path = path
        self.source = source
        self.module_level = module_level
        self.encoding, self.text = _decode(path, source)
        self.utf8 = self.text.encode("utf-8")
        _check_syntax(path, source)
        self.shift = len(_BOM) if source.startswith(_BOM) else 0
        self.root = Parser(_LANGUAGE).parse(self.utf8).root_node
        self.scopes: list[Scope] = []
        self._nodes: dict[str, list[Node]] = {}
        self._protected: list[tuple[int, int]] = []
        self._line_starts = [0, *(match.end() for match in re.finditer(b"\n", self.utf8))]
        self._collect()
        self._scope_starts = [scope.start for scope in self.scopes]

    @cached_property
    def bindings(self) -> Bindings:
        """Return what the functions of the document bind."""
        return Bindings(self.root)

    def nodes(self, *types: str) -> Iterator[Node]:
        """Yield the unprotected nodes of the given types, in document order for each type."""
        for kind in types:
            yield from self._nodes.get(kind, ())

    def slice(self, node: Node) -> bytes:
        """Return the UTF-8 text of a node."""
        return self.utf8[node.start_byte : node.end_byte]

    def line(self, offset: int) -> int:
        """Return the number of the line that a UTF-8 offset lies in, counted from 1 at line feeds."""
        return bisect_right(self._line_starts, offset)

    def line_start(self, offset: int) -> int:
        """Return the UTF-8 offset at which the line of an offset starts."""
        return self._line_starts[bisect_right(self._line_starts, offset) - 1]

    def scope(self, start: int, end: int) -> Scope | None:
        """Return the innermost scope that covers a UTF-8 range; None at module level."""
        index = bisect_right(self._scope_starts, start) - 1
        while index >= 0:
            scope = self.scopes[index]
            if end <= scope.end:
                return scope
            index = scope.parent
        return None

    def is_protected(self, edits: Iterable[Edit]) -> bool:
        """Whether a UTF-8 edit lies in a protected part."""
        return any(start <= edit.start and edit.end <= end for edit in edits for start, end in self._protected)

    def to_source(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """Return UTF-8 edits as edits of the bytes on disk; None when the file's encoding can't hold them."""
        if self.encoding in {"utf-8", "utf-8-sig"}:
            return tuple(
                Edit(start=edit.start + self.shift, end=edit.end + self.shift, replacement=edit.replacement)
                for edit in edits
            )
        try:
            return tuple(
                Edit(
                    start=self._source_offset(edit.start),
                    end=self._source_offset(edit.end),
                    replacement=edit.replacement.decode("utf-8").encode(self.encoding),
                )
                for edit in edits
            )
        except UnicodeEncodeError:
            return None

    def _source_offset(self, offset: int) -> int:
        return len(self.utf8[:offset].decode("utf-8").encode(self.encoding))

    def _collect(self) -> None:
        """Walk the tree once, in document order."""
        stack: list[tuple[Node, int]] = [(self.root, -1)]
        while stack:
            node, scope = stack.pop()
            kind = node.type
            if kind == "comment" and is_pragma(node):
                self._protected.append((self.line_start(node.start_byte), node.end_byte))
            elif is_protected(node, at_module_level=scope < 0, keep_main=self.module_level):
                self._protected.append((node.start_byte, node.end_byte))
            else:
                self._nodes.setdefault(kind, []).append(node)
                if kind in _SCOPES:
                    scope = self._open_scope(node, scope)
                stack.extend((child, scope) for child in reversed(node.children) if child.is_named)

    def _open_scope(self, node: Node, parent: int) -> int:
        name_node = node.child_by_field_name("name")
        name = "" if name_node is None else self.slice(name_node).decode("utf-8")
        outer = self.scopes[parent] if parent >= 0 else None
        self.scopes.append(
            Scope(
                start=node.start_byte,
                end=node.end_byte,
                name=f"{outer.name}.{name}" if outer else name,
                in_function=node.type == "function_definition" or (outer is not None and outer.in_function),
                parent=parent,
            )
        )
        return len(self.scopes) - 1


def _decode(path: str, source: bytes) -> tuple[str, str]:
    """Return the encoding and the text, after checking that it encodes to the same bytes again."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(encoding)
        again = text.encode(encoding)
    except (SyntaxError, UnicodeError, LookupError) as error:
        raise MutationError(f"{path}:1:1: can't be decoded: {error}") from error
    if again != source:
        raise MutationError(f"{path}:1:1: text in {encoding} doesn't encode to the same bytes again")
    return encoding, text


def _check_syntax(path: str, source: bytes) -> None:
    error = parse_error(source)
    if error is not None:
        line, column, message = error
        raise MutationError(f"{path}:{line}:{column}: doesn't parse: {message}")
