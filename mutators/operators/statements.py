"""Operators on single statements: removing them and changing their order. Method: own."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from mutators.base import Edits, Operator
from mutators.document import Document
from mutators.syntax import code_children, field, line_span, remove_statement, swap_nodes

_NAME = re.compile(rb"[A-Za-z_]\w*")
_MEMBERS = frozenset({"attribute", "subscript"})
_ASSIGNMENTS = frozenset({"assignment", "augmented_assignment"})


def _statements(document: Document) -> Iterator[tuple[Node, Node]]:
    """Yield each expression statement with its expression."""
    for node in document.nodes("expression_statement"):
        yield node, node.named_children[0]


def _remove_assignment(document: Document) -> Iterator[Edits]:
    for node, expression in _statements(document):
        target = field(expression, "left")
        if expression.type not in _ASSIGNMENTS or target is None or field(expression, "right") is None:
            continue
        known = expression.type == "augmented_assignment" or target.type in _MEMBERS
        if known or document.slice(target) in document.bindings.before(node):
            yield (remove_statement(document, node),)


def _remove_call(document: Document) -> Iterator[Edits]:
    for node, expression in _statements(document):
        if expression.type in {"call", "await"}:
            yield (remove_statement(document, node),)


def _remove_delete(document: Document) -> Iterator[Edits]:
    for node in document.nodes("delete_statement"):
        yield (remove_statement(document, node),)


def _names(text: bytes) -> frozenset[bytes]:
    return frozenset(_NAME.findall(text))


def _writes(document: Document, expression: Node) -> frozenset[bytes]:
    """Return the names that a statement rebinds or changes, as far as its text tells."""
    target = field(expression, "left") if expression.type in _ASSIGNMENTS else field(expression, "function")
    if target is None or (expression.type == "call" and target.type != "attribute"):
        return frozenset()
    return _names(document.slice(target))


def _reads(document: Document, expression: Node) -> frozenset[bytes]:
    value = field(expression, "right") if expression.type == "assignment" else expression
    return frozenset() if value is None else _names(document.slice(value))


def _swap_statements(document: Document) -> Iterator[Edits]:
    for block in document.nodes("block", "module"):
        for first, second in pairwise(code_children(block)):
            if first.type != "expression_statement" or second.type != "expression_statement":
                continue
            if not all(line_span(document, node.start_byte, node.end_byte) for node in (first, second)):
                continue
            one, two = first.named_children[0], second.named_children[0]
            fresh = _writes(document, one) - frozenset(document.bindings.before(first)) - {b"self"}
            forward = _writes(document, one) & _reads(document, two) and not fresh & _reads(document, two)
            if forward or _reads(document, one) & _writes(document, two):
                yield swap_nodes(document, first, second)


STATEMENT = (
    Operator(
        name="remove_assignment",
        theme="statement",
        summary="remove an assignment (plain, annotated or augmented) to something that already exists",
        before="def f(x):\n    x = x + 1\n    return x\n",
        after="def f(x):\n    return x\n",
        find=_remove_assignment,
    ),
    Operator(
        name="remove_call",
        theme="statement",
        summary="remove a call whose value nobody uses",
        before="def f(x):\n    x.sort()\n    return x\n",
        after="def f(x):\n    return x\n",
        find=_remove_call,
    ),
    Operator(
        name="remove_delete",
        theme="statement",
        summary="remove a `del` statement",
        before="def f(x):\n    del x[0]\n    return x\n",
        after="def f(x):\n    return x\n",
        find=_remove_delete,
    ),
    Operator(
        name="swap_statements",
        theme="statement",
        summary="exchange two neighbouring statements of which one uses what the other changes",
        before="def f(x):\n    x.append(1)\n    x.sort()\n    return x\n",
        after="def f(x):\n    x.sort()\n    x.append(1)\n    return x\n",
        find=_swap_statements,
    ),
)
