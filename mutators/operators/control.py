"""Operators on branches and loops: what runs, and how often. Method: own."""

from collections.abc import Iterator

from tree_sitter import Node

from mutators.base import Edits, Operator
from mutators.document import Document
from mutators.splice import Edit
from mutators.syntax import (
    code_children,
    field,
    line_span,
    only_statement,
    remove_clause,
    remove_statement,
    swap_nodes,
)

_JUMPS = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})
_SIMPLE = frozenset({"expression_statement", "return_statement", "delete_statement"})


def _swap_branches(document: Document) -> Iterator[Edits]:
    for node in document.nodes("if_statement"):
        clauses = node.children_by_field_name("alternative")
        body = field(node, "consequence")
        if len(clauses) != 1 or clauses[0].type != "else_clause" or body is None:
            continue
        other = field(clauses[0], "body")
        if other is not None and body.start_point.column == other.start_point.column:
            yield swap_nodes(document, body, other)
    for node in document.nodes("conditional_expression"):
        parts = code_children(node)
        if len(parts) == 3:
            yield swap_nodes(document, parts[0], parts[2])


def _remove_guard(document: Document) -> Iterator[Edits]:
    for node in document.nodes("if_statement"):
        statement = only_statement(field(node, "consequence"))
        if statement is not None and statement.type in _JUMPS and field(node, "alternative") is None:
            yield (remove_statement(document, node),)


def _remove_branch(document: Document) -> Iterator[Edits]:
    for node in document.nodes("else_clause", "elif_clause"):
        edit = remove_clause(document, node)
        if edit is not None:
            yield (edit,)


def _remove_loop(document: Document) -> Iterator[Edits]:
    for node in document.nodes("for_statement", "while_statement"):
        yield (remove_statement(document, node),)


def _indentation(document: Document, node: Node) -> Edit | None:
    """Return an edit that keeps the indentation of a statement on one line of its own; None elsewhere."""
    span = line_span(document, node.start_byte, node.end_byte)
    if span is None or node.type not in _SIMPLE or b"\n" in document.slice(node):
        return None
    return Edit(start=span[0], end=node.start_byte, replacement=document.utf8[span[0] : node.start_byte])


def _loop_bodies(document: Document) -> Iterator[tuple[Node, list[Node]]]:
    """Yield the loops without ``else`` and the statements of their bodies, where the body stands on its own lines."""
    for node in document.nodes("for_statement", "while_statement"):
        body = field(node, "body")
        if body is None or field(node, "alternative") is not None:
            continue
        statements = code_children(body)
        if statements and line_span(document, statements[0].start_byte, statements[-1].end_byte):
            yield node, statements


def _indent_into_loop(document: Document) -> Iterator[Edits]:
    for loop, statements in _loop_bodies(document):
        following = loop.next_named_sibling
        edit = None if following is None else _indentation(document, following)
        if edit is not None:
            start = statements[0].start_byte
            indentation = document.utf8[document.line_start(start) : start]
            yield (Edit(start=edit.start, end=edit.end, replacement=indentation),)


def _dedent_from_loop(document: Document) -> Iterator[Edits]:
    for loop, statements in _loop_bodies(document):
        edit = _indentation(document, statements[-1])
        if edit is not None and len(statements) > 1:
            indentation = document.utf8[document.line_start(loop.start_byte) : loop.start_byte]
            yield (Edit(start=edit.start, end=edit.end, replacement=indentation),)


CONTROL = (
    Operator(
        name="swap_branches",
        theme="control",
        summary="exchange the two branches of an `if`/`else` or of a conditional expression",
        before="def f(x):\n    return 1 if x else 2\n",
        after="def f(x):\n    return 2 if x else 1\n",
        find=_swap_branches,
    ),
    Operator(
        name="remove_guard",
        theme="control",
        summary="remove an `if` that only returns, raises, continues or breaks",
        before="def f(x):\n    if not x:\n        return 0\n    return 1 / x\n",
        after="def f(x):\n    return 1 / x\n",
        find=_remove_guard,
    ),
    Operator(
        name="remove_branch",
        theme="control",
        summary="remove an `elif` or `else` clause",
        before="def f(x):\n    if x:\n        y = 1\n    else:\n        y = 2\n    return y\n",
        after="def f(x):\n    if x:\n        y = 1\n    return y\n",
        find=_remove_branch,
    ),
    Operator(
        name="remove_loop",
        theme="control",
        summary="remove a loop with its body",
        before="def f(x):\n    s = 0\n    for i in x:\n        s += i\n    return s\n",
        after="def f(x):\n    s = 0\n    return s\n",
        find=_remove_loop,
    ),
    Operator(
        name="indent_into_loop",
        theme="control",
        summary="move the statement behind a loop to the end of the loop's body",
        before="def f(x):\n    for i in x:\n        print(i)\n    return 1\n",
        after="def f(x):\n    for i in x:\n        print(i)\n        return 1\n",
        find=_indent_into_loop,
    ),
    Operator(
        name="dedent_from_loop",
        theme="control",
        summary="move the last statement of a loop's body behind the loop",
        before="def f(x):\n    for i in x:\n        i += 1\n        print(i)\n",
        after="def f(x):\n    for i in x:\n        i += 1\n    print(i)\n",
        find=_dedent_from_loop,
    ),
)
