"""Operators on names: another variable or attribute that exists in the same place. Method: own."""

from collections.abc import Iterator

from tree_sitter import Node

from mutators.base import Edits, Operator
from mutators.bindings import enclosing_class
from mutators.document import Document
from mutators.syntax import field, positional_arguments, replace_node


def _read_names(document: Document) -> Iterator[Node]:
    """Yield the names that are returned or passed on their own."""
    for node in document.nodes("return_statement"):
        value = node.named_child(0) if node.named_child_count else None
        if value is not None and value.type == "identifier":
            yield value
    for node in document.nodes("call"):
        yield from (value for value in positional_arguments(node) if value.type == "identifier")


def _wrong_variable(document: Document) -> Iterator[Edits]:
    for node in _read_names(document):
        name = document.slice(node)
        known = document.bindings.before(node)
        others = [other for other in known if other != name]
        if others and name in known:
            yield (replace_node(node, others[0]),)


def _assigned_attributes(document: Document) -> dict[int, list[bytes]]:
    """Return the attribute names that are set on ``self``, by class node, in order of first assignment."""
    found: dict[int, list[bytes]] = {}
    for node in document.nodes("assignment"):
        target = field(node, "left")
        owner = enclosing_class(node)
        if target is None or owner is None or not _is_own_attribute(document, target):
            continue
        name = document.slice(target)
        names = found.setdefault(owner.id, [])
        if name not in names:
            names.append(name)
    return found


def _is_own_attribute(document: Document, node: Node) -> bool:
    owner = field(node, "object") if node.type == "attribute" else None
    return owner is not None and document.slice(owner) == b"self"


def _wrong_attribute(document: Document) -> Iterator[Edits]:
    assigned = _assigned_attributes(document)
    for node in document.nodes("attribute"):
        owner = enclosing_class(node)
        names = [] if owner is None else assigned.get(owner.id, [])
        name = document.slice(node)
        parent = node.parent
        is_target = parent is not None and parent.type == "assignment" and field(parent, "left") == node
        if name in names and len(names) > 1 and not is_target:
            yield (replace_node(node, names[(names.index(name) + 1) % len(names)]),)


NAME = (
    Operator(
        name="wrong_variable",
        theme="name",
        summary="return or pass another variable that was bound before",
        before="def f(a):\n    b = a + 1\n    return b\n",
        after="def f(a):\n    b = a + 1\n    return a\n",
        find=_wrong_variable,
    ),
    Operator(
        name="wrong_attribute",
        theme="name",
        summary="read another attribute of `self` that the class sets",
        before=(
            "class C:\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n\n"
            "    def f(self):\n        return self.a\n"
        ),
        after=(
            "class C:\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n\n"
            "    def f(self):\n        return self.b\n"
        ),
        find=_wrong_attribute,
    ),
)
