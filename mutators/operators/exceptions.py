"""Operators on error handling: which errors are caught, and what becomes of them. Method: own."""

from collections.abc import Iterator

from tree_sitter import Node

from mutators.base import Edits, Operator
from mutators.document import Document
from mutators.syntax import code_children, field, remove_clause, remove_item, remove_statement, replace_node

_BROAD = frozenset({b"Exception", b"BaseException"})


def _caught(clause: Node) -> Node | None:
    """Return the expression that names the errors of an ``except`` clause; None when it's bare."""
    value = field(clause, "value")
    return value.named_child(0) if value is not None and value.type == "as_pattern" else value


def _drop_handler(document: Document) -> Iterator[Edits]:
    for node in document.nodes("try_statement"):
        clauses = [child for child in node.named_children if child.type == "except_clause"]
        has_finally = any(child.type == "finally_clause" for child in node.named_children)
        if len(clauses) > 1 or (has_finally and not field(node, "alternative")):
            edits = (remove_clause(document, clause) for clause in clauses)
            yield from ((edit,) for edit in edits if edit is not None)


def _narrow_except(document: Document) -> Iterator[Edits]:
    for clause in document.nodes("except_clause"):
        caught = _caught(clause)
        if caught is not None and caught.type == "tuple":
            items = code_children(caught)
            if len(items) == 2:
                yield (replace_node(caught, document.slice(items[0])),)
                yield (replace_node(caught, document.slice(items[1])),)
            elif len(items) > 2:
                yield from ((remove_item(items, index),) for index in range(len(items)))


def _widen_except(document: Document) -> Iterator[Edits]:
    for clause in document.nodes("except_clause"):
        caught = _caught(clause)
        if caught is not None and document.slice(caught) not in _BROAD:
            yield (replace_node(caught, b"Exception"),)


def _swallow_error(document: Document) -> Iterator[Edits]:
    for node in document.nodes("raise_statement"):
        clause = node.parent.parent if node.parent is not None else None
        if clause is not None and clause.type == "except_clause":
            yield (remove_statement(document, node),)


EXCEPTION = (
    Operator(
        name="drop_handler",
        theme="exception",
        summary="remove one of several `except` clauses, or the one beside a `finally`",
        before=(
            "def f(x):\n    try:\n        return 1 / x\n    except TypeError:\n        return 1\n"
            "    except ZeroDivisionError:\n        return 2\n"
        ),
        after=("def f(x):\n    try:\n        return 1 / x\n    except ZeroDivisionError:\n        return 2\n"),
        find=_drop_handler,
    ),
    Operator(
        name="narrow_except",
        theme="exception",
        summary="catch one error less",
        before="def f(x):\n    try:\n        g(x)\n    except (OSError, ValueError):\n        return 0\n",
        after="def f(x):\n    try:\n        g(x)\n    except OSError:\n        return 0\n",
        find=_narrow_except,
    ),
    Operator(
        name="widen_except",
        theme="exception",
        summary="catch every `Exception` where only some were caught",
        before="def f(x):\n    try:\n        g(x)\n    except OSError:\n        return 0\n",
        after="def f(x):\n    try:\n        g(x)\n    except Exception:\n        return 0\n",
        find=_widen_except,
    ),
    Operator(
        name="swallow_error",
        theme="exception",
        summary="remove the `raise` at the top of an `except` clause",
        before=(
            "def f(x):\n    try:\n        g(x)\n    except OSError as error:\n        raise ValueError(x) from error\n"
        ),
        after="def f(x):\n    try:\n        g(x)\n    except OSError as error:\n        pass\n",
        find=_swallow_error,
    ),
)
