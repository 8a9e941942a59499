"""Questions about syntax nodes, and the edits that operators are made of.

Everything here works on UTF-8 offsets of a `Document`. Method: own.
"""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from mutators.document import Document
from mutators.splice import Edit

_BLANK = re.compile(rb"[ \t\f]*\Z")
_REST_OF_LINE = re.compile(rb"[ \t\f]*(#[^\r\n]*)?(\r?\n|\Z)")
_ATOMS = frozenset({"identifier", "integer", "attribute", "call", "subscript", "parenthesized_expression"})
_TIGHT = frozenset({"+", "-", "*", "/", "//", "%"})


def replace_node(node: Node, text: bytes) -> Edit:
    """Return the edit that puts the text in the node's place."""
    return Edit(start=node.start_byte, end=node.end_byte, replacement=text)


def insert(offset: int, text: bytes) -> Edit:
    """Return the edit that puts the text before an offset."""
    return Edit(start=offset, end=offset, replacement=text)


def delete(start: int, end: int) -> Edit:
    """Return the edit that removes a range."""
    return Edit(start=start, end=end, replacement=b"")


def swap_nodes(document: Document, left: Node, right: Node) -> tuple[Edit, ...]:
    """Return the edits that exchange two nodes; none when their texts are equal."""
    if document.slice(left) == document.slice(right):
        return ()
    return (replace_node(left, document.slice(right)), replace_node(right, document.slice(left)))


def negate(node: Node) -> tuple[Edit, Edit]:
    """Return the edits that put ``not ( )`` around an expression."""
    return insert(node.start_byte, b"not ("), insert(node.end_byte, b")")


def field(node: Node, name: str) -> Node | None:
    """Return the child in a field."""
    return node.child_by_field_name(name)


def operator_text(node: Node) -> str:
    """Return the operator of a binary, boolean or unary expression; empty for other nodes."""
    child = node.child_by_field_name("operator")
    return "" if child is None else child.type


def code_children(node: Node) -> list[Node]:
    """Return the named children that aren't comments."""
    return [child for child in node.named_children if child.type != "comment"]


def only_statement(block: Node | None) -> Node | None:
    """Return a block's statement when it has exactly one."""
    children = [] if block is None else code_children(block)
    return children[0] if len(children) == 1 else None


def line_span(document: Document, start: int, end: int) -> tuple[int, int] | None:
    """Return the range of the whole lines of a range, comment and line end included.

    None when other code shares its first or last line.
    """
    first = document.line_start(start)
    rest = _REST_OF_LINE.match(document.utf8, end)
    if rest is None or not _BLANK.match(document.utf8[first:start]):
        return None
    return first, rest.end()


def remove_statement(document: Document, node: Node) -> Edit:
    """Return the edit that removes a statement: its lines, or ``pass`` in its place where a block would be empty."""
    span = line_span(document, node.start_byte, node.end_byte)
    parent = node.parent
    if span is None or parent is None or len(code_children(parent)) < 2:
        return replace_node(node, b"pass")
    return delete(*span)


def remove_clause(document: Document, node: Node) -> Edit | None:
    """Return the edit that removes the lines of a clause (``else``, ``except``); None when it shares them."""
    span = line_span(document, node.start_byte, node.end_byte)
    return None if span is None else delete(*span)


def remove_item(items: Sequence[Node], index: int) -> Edit:
    """Return the edit that removes one of several comma-separated nodes together with one comma."""
    if index + 1 < len(items):
        return delete(items[index].start_byte, items[index + 1].start_byte)
    return delete(items[index - 1].end_byte, items[index].end_byte)


def shift_expression(document: Document, node: Node) -> Iterator[Edit]:
    """Yield the edits that make an integer expression one larger or one smaller.

    A literal changes in place and keeps its base. Expressions that don't look like integers give nothing.
    """
    kind = node.type
    if kind == "integer":
        yield from (replace_node(node, text) for text in shift_literal(document.slice(node)))
    elif kind == "unary_operator" and operator_text(node) == "-":
        argument = field(node, "argument")
        if argument is not None and argument.type == "integer":
            yield from shift_expression(document, argument)
    elif kind == "binary_operator" and operator_text(node) in _TIGHT:
        right = field(node, "right")
        if right is not None and right.type == "integer" and operator_text(node) in {"+", "-"}:
            yield from shift_expression(document, right)
        else:
            yield from _add_one(node)
    elif kind in _ATOMS:
        yield from _add_one(node)


def _add_one(node: Node) -> Iterator[Edit]:
    yield insert(node.end_byte, b" + 1")
    yield insert(node.end_byte, b" - 1")


def shift_literal(literal: bytes) -> Iterator[bytes]:
    """Yield the literals of the next larger and the next smaller integer, none below zero, in the same base."""
    text = literal.decode("ascii")
    if text[-1] in "jJ":
        return
    value = int(text, 0)
    base = {"0x": "#x", "0o": "#o", "0b": "#b"}.get(text[:2].lower(), "d")
    for shifted in (value + 1, value - 1):
        if shifted >= 0:
            yield format(shifted, base).encode("ascii")


def positional_arguments(call: Node) -> list[Node]:
    """Return the positional arguments before any star or keyword."""
    arguments = field(call, "arguments")
    found: list[Node] = []
    if arguments is None or arguments.type != "argument_list":
        return found
    for child in code_children(arguments):
        if child.type in {"keyword_argument", "list_splat", "dictionary_splat"}:
            break
        found.append(child)
    return found


def callee_name(document: Document, call: Node) -> bytes:
    """Return the name that is called when it is a plain name; empty for methods and other expressions."""
    function = field(call, "function")
    return document.slice(function) if function is not None and function.type == "identifier" else b""


def method_node(call: Node) -> Node | None:
    """Return the node of the method's name when the call is a method call."""
    function = field(call, "function")
    return field(function, "attribute") if function is not None and function.type == "attribute" else None
