"""Operators on conditions: comparisons, filters, `and`, `or` and `not`. Method: own."""

from collections.abc import Iterator

from tree_sitter import Node

from mutators.base import Edits, Operator
from mutators.document import Document
from mutators.syntax import code_children, delete, field, negate, replace_node

_EXACT = frozenset({"==", "!=", "in", "not in", "is", "is not"})
_MIRROR = {"<": b">", ">": b"<", "<=": b">=", ">=": b"<="}
_COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)


def _has_plain_else(node: Node) -> bool:
    clauses = node.children_by_field_name("alternative")
    return len(clauses) == 1 and clauses[0].type == "else_clause"


def _is_exact(node: Node) -> bool:
    """Whether another operator already writes the exact opposite of a condition."""
    if node.type == "not_operator":
        return True
    operators = [child.type for child in node.children_by_field_name("operators")]
    return len(operators) == 1 and operators[0] in _EXACT


def _negate_condition(document: Document) -> Iterator[Edits]:
    for node in document.nodes("if_statement", "elif_clause"):
        condition = field(node, "condition")
        if condition is not None and not _has_plain_else(node) and not _is_exact(condition):
            yield negate(condition)
    for node in document.nodes("if_clause"):
        parts = code_children(node)
        if len(parts) == 1 and not _is_exact(parts[0]):
            yield negate(parts[0])


def _drop_operand(document: Document) -> Iterator[Edits]:
    for node in document.nodes("boolean_operator"):
        left, right = field(node, "left"), field(node, "right")
        if left is not None and right is not None:
            yield (delete(left.end_byte, right.end_byte),)
            yield (delete(left.start_byte, right.start_byte),)


def _drop_filter(document: Document) -> Iterator[Edits]:
    for node in document.nodes("if_clause"):
        before = node.prev_sibling
        if before is not None and node.parent is not None and node.parent.type in _COMPREHENSIONS:
            yield (delete(before.end_byte, node.end_byte),)


def _flip_comparison(document: Document) -> Iterator[Edits]:
    for node in document.nodes("comparison_operator"):
        for operator in node.children_by_field_name("operators"):
            if operator.type in _MIRROR:
                yield (replace_node(operator, _MIRROR[operator.type]),)


def _shorten_comparison(document: Document) -> Iterator[Edits]:
    for node in document.nodes("comparison_operator"):
        operands = code_children(node)
        if len(operands) > 2:
            yield (delete(operands[-2].end_byte, operands[-1].end_byte),)
            yield (delete(operands[0].start_byte, operands[1].start_byte),)


CONDITION = (
    Operator(
        name="negate_condition",
        theme="condition",
        summary="negate the condition of an `if` without plain `else`, of an `elif`, a filter or a `case` guard",
        before="def f(x):\n    if x > 1:\n        x = 1\n    return x\n",
        after="def f(x):\n    if not (x > 1):\n        x = 1\n    return x\n",
        find=_negate_condition,
    ),
    Operator(
        name="drop_operand",
        theme="condition",
        summary="drop one side of an `and` or `or`",
        before="def f(a, b):\n    return a and b\n",
        after="def f(a, b):\n    return a\n",
        find=_drop_operand,
    ),
    Operator(
        name="drop_filter",
        theme="condition",
        summary="drop a filter of a comprehension",
        before="def f(x):\n    return [i for i in x if i]\n",
        after="def f(x):\n    return [i for i in x]\n",
        find=_drop_filter,
    ),
    Operator(
        name="flip_comparison",
        theme="condition",
        summary="turn an ordering comparison around",
        before="def f(a, b):\n    return a < b\n",
        after="def f(a, b):\n    return a > b\n",
        find=_flip_comparison,
    ),
    Operator(
        name="shorten_comparison",
        theme="condition",
        summary="drop the first or last operand of a chained comparison",
        before="def f(a):\n    return 0 < a < 9\n",
        after="def f(a):\n    return 0 < a\n",
        find=_shorten_comparison,
    ),
)
