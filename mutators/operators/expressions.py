"""Operators on operands and elements: what is combined, and in which order. Method: own."""

from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from mutators.base import Edits, Operator
from mutators.document import Document
from mutators.syntax import callee_name, code_children, delete, field, operator_text, positional_arguments, swap_nodes

_ORDERED = frozenset({"-", "/", "//", "%", "**", "<<", ">>", "@"})
_SEQUENCES = frozenset({"string", "concatenated_string", "list", "list_comprehension", "tuple"})
_SPLATS = frozenset({"list_splat", "list_splat_pattern"})
_TYPE_CHECKS = frozenset({b"isinstance", b"issubclass"})
_MAX_ELEMENTS = 4
"""Longer literals are tables; exchanging their rows is noise."""


def _swap_operands(document: Document) -> Iterator[Edits]:
    for node in document.nodes("binary_operator"):
        left, right = field(node, "left"), field(node, "right")
        if left is None or right is None:
            continue
        joins = operator_text(node) == "+" and not _SEQUENCES.isdisjoint({left.type, right.type})
        if joins or operator_text(node) in _ORDERED:
            yield swap_nodes(document, left, right)


def _break_chain(document: Document) -> Iterator[Edits]:
    for node in document.nodes("binary_operator"):
        left = field(node, "left")
        if left is None or left.type != "binary_operator":
            continue
        first = field(left, "left")
        if first is not None:
            yield (delete(first.end_byte, left.end_byte),)


def _swap_elements(document: Document) -> Iterator[Edits]:
    for node in document.nodes("expression_list", "tuple", "pattern_list", "tuple_pattern", "list"):
        elements = code_children(node)
        if (
            _is_unordered(document, node)
            or len(elements) > _MAX_ELEMENTS
            or any(item.type in _SPLATS for item in elements)
        ):
            continue
        for left, right in pairwise(elements):
            yield swap_nodes(document, left, right)


def _is_unordered(document: Document, node: Node) -> bool:
    """Whether nobody asks for the order of the elements: errors to catch, types to check, members to look up."""
    parent = node.parent
    if parent is None or parent.type in {"except_clause", "as_pattern", "comparison_operator"}:
        return True
    call = parent.parent
    return call is not None and call.type == "call" and callee_name(document, call) in _TYPE_CHECKS


def _swap_pair(document: Document) -> Iterator[Edits]:
    for node in document.nodes("dictionary_comprehension"):
        pair = field(node, "body")
        key, value = (None, None) if pair is None else (field(pair, "key"), field(pair, "value"))
        if key is not None and value is not None:
            yield swap_nodes(document, key, value)


def _swap_arguments(document: Document) -> Iterator[Edits]:
    for node in document.nodes("call"):
        for left, right in pairwise(positional_arguments(node)):
            yield swap_nodes(document, left, right)


def _drop_keyword(document: Document) -> Iterator[Edits]:
    for node in document.nodes("keyword_argument"):
        before = _previous(node)
        after = node.next_named_sibling
        if before is not None:
            yield (delete(before.end_byte, node.end_byte),)
        elif after is not None:
            yield (delete(node.start_byte, after.start_byte),)
        else:
            yield (delete(node.start_byte, node.end_byte),)


def _previous(node: Node) -> Node | None:
    before = node.prev_named_sibling
    return None if before is None or before.type == "comment" else before


EXPRESSION = (
    Operator(
        name="swap_operands",
        theme="expression",
        summary="exchange the operands of an operator for which their order counts",
        before="def f(a, b):\n    return a - b\n",
        after="def f(a, b):\n    return b - a\n",
        find=_swap_operands,
    ),
    Operator(
        name="break_chain",
        theme="expression",
        summary="drop the middle operand of a chain of arithmetic",
        before="def f(a, b, c):\n    return a + b + c\n",
        after="def f(a, b, c):\n    return a + c\n",
        find=_break_chain,
    ),
    Operator(
        name="swap_elements",
        theme="expression",
        summary="exchange neighbouring elements of a short tuple, list or unpacking",
        before="def f(a, b):\n    return a, b\n",
        after="def f(a, b):\n    return b, a\n",
        find=_swap_elements,
    ),
    Operator(
        name="swap_pair",
        theme="expression",
        summary="exchange key and value of a dictionary comprehension",
        before="def f(x):\n    return {k: v for k, v in x}\n",
        after="def f(x):\n    return {v: k for k, v in x}\n",
        find=_swap_pair,
    ),
    Operator(
        name="swap_arguments",
        theme="expression",
        summary="exchange neighbouring positional arguments of a call",
        before="def f(a, b):\n    return divmod(a, b)\n",
        after="def f(a, b):\n    return divmod(b, a)\n",
        find=_swap_arguments,
    ),
    Operator(
        name="drop_keyword",
        theme="expression",
        summary="drop a keyword argument, so that the default takes its place",
        before="def f(x):\n    return sorted(x, reverse=True)\n",
        after="def f(x):\n    return sorted(x)\n",
        find=_drop_keyword,
    ),
)
