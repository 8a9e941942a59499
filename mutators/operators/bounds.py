"""Operators on numbers that bound something: slices, ranges, indices, constants, defaults. Method: own."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from mutators.base import Edits, Operator
from mutators.document import Document
from mutators.syntax import (
    callee_name,
    delete,
    field,
    positional_arguments,
    replace_node,
    shift_expression,
    shift_literal,
)

_INDEX_NAME = re.compile(rb"[a-z]\Z|.*(?:index|idx|pos|position|offset|cursor)\Z")
_INDEX_TYPES = frozenset({"integer", "unary_operator", "binary_operator"})
_FLIPPED = {"true": b"False", "false": b"True"}
_EMPTY = {"string": b'""', "list": b"[]", "tuple": b"()", "dictionary": b"{}"}


def _slice_bounds(node: Node) -> Iterator[Node]:
    """Yield the start and stop of a slice, as far as they're written."""
    colons = 0
    for child in node.children:
        if child.type == ":":
            colons += 1
        elif child.is_named and child.type != "comment" and colons < 2:
            yield child


def _shift_slice(document: Document) -> Iterator[Edits]:
    for node in document.nodes("slice"):
        for bound in _slice_bounds(node):
            yield from ((edit,) for edit in shift_expression(document, bound))


def _drop_bound(document: Document) -> Iterator[Edits]:
    for node in document.nodes("slice"):
        for bound in _slice_bounds(node):
            yield (delete(bound.start_byte, bound.end_byte),)


def _shift_range(document: Document) -> Iterator[Edits]:
    for node in document.nodes("call"):
        if callee_name(document, node) == b"range":
            for argument in positional_arguments(node)[:2]:
                yield from ((edit,) for edit in shift_expression(document, argument))


def _shift_index(document: Document) -> Iterator[Edits]:
    for node in document.nodes("subscript"):
        indices = node.children_by_field_name("subscript")
        if len(indices) != 1:
            continue
        index = indices[0]
        is_name = index.type == "identifier" and _INDEX_NAME.match(document.slice(index))
        if is_name or index.type in _INDEX_TYPES:
            yield from ((edit,) for edit in shift_expression(document, index))


def _lower_integer(document: Document) -> Iterator[Edits]:
    for node in document.nodes("integer"):
        smaller = list(shift_literal(document.slice(node)))[1:]
        yield from ((replace_node(node, text),) for text in smaller)


def _change_default(document: Document) -> Iterator[Edits]:
    for node in document.nodes("default_parameter", "typed_default_parameter"):
        value = field(node, "value")
        if value is None:
            continue
        if value.type == "integer":
            yield from ((replace_node(value, text),) for text in shift_literal(document.slice(value)))
        elif value.type in _FLIPPED:
            yield (replace_node(value, _FLIPPED[value.type]),)
        elif value.type in _EMPTY and len(document.slice(value)) > 2:
            yield (replace_node(value, _EMPTY[value.type]),)


BOUND = (
    Operator(
        name="shift_slice",
        theme="bound",
        summary="make a bound of a slice one larger or smaller",
        before="def f(x):\n    return x[1:]\n",
        after="def f(x):\n    return x[2:]\n",
        find=_shift_slice,
    ),
    Operator(
        name="drop_bound",
        theme="bound",
        summary="drop a bound of a slice",
        before="def f(x):\n    return x[1:-1]\n",
        after="def f(x):\n    return x[1:]\n",
        find=_drop_bound,
    ),
    Operator(
        name="shift_range",
        theme="bound",
        summary="make the start or stop of a `range` one larger or smaller",
        before="def f(n):\n    return list(range(n))\n",
        after="def f(n):\n    return list(range(n - 1))\n",
        find=_shift_range,
    ),
    Operator(
        name="shift_index",
        theme="bound",
        summary="make an index one larger or smaller",
        before="def f(x, i):\n    return x[i]\n",
        after="def f(x, i):\n    return x[i - 1]\n",
        find=_shift_index,
    ),
    Operator(
        name="lower_integer",
        theme="bound",
        summary="make an integer constant one smaller, in its base",
        before="def f(x):\n    return x & 0b11\n",
        after="def f(x):\n    return x & 0b10\n",
        find=_lower_integer,
    ),
    Operator(
        name="change_default",
        theme="bound",
        summary="change the default of a parameter: an integer by one, a truth value, a text or container to empty",
        before="def f(x, step=2):\n    return x + step\n",
        after="def f(x, step=1):\n    return x + step\n",
        find=_change_default,
    ),
)
