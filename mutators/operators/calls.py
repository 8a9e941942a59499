"""Operators on calls: the call left out, or its near relative taken. Method: own."""

from collections.abc import Iterator

from tree_sitter import Node

from mutators.base import Edits, Operator
from mutators.document import Document
from mutators.syntax import callee_name, delete, field, method_node, positional_arguments, replace_node

_WRAPPERS = frozenset(
    {b"abs", b"bool", b"float", b"int", b"list", b"reversed", b"round", b"set", b"sorted", b"str", b"tuple"}
)
_COPIERS = frozenset({b"copy", b"deepcopy", b"dict"})
_NORMALIZERS = frozenset(
    {
        *(b"capitalize", b"casefold", b"lower", b"lstrip", b"replace"),
        *(b"rstrip", b"strip", b"title", b"upper", b"expandtabs"),
    }
)
_RELATIVES = {
    b"add": b"discard",
    b"all": b"any",
    b"any": b"all",
    b"appendleft": b"append",
    b"bisect_left": b"bisect_right",
    b"bisect_right": b"bisect_left",
    b"ceil": b"floor",
    b"difference": b"intersection",
    b"endswith": b"startswith",
    b"floor": b"ceil",
    b"intersection": b"union",
    b"isalnum": b"isalpha",
    b"isalpha": b"isalnum",
    b"issubset": b"issuperset",
    b"issuperset": b"issubset",
    b"items": b"keys",
    b"keys": b"values",
    b"max": b"min",
    b"min": b"max",
    b"popleft": b"pop",
    b"startswith": b"endswith",
    b"union": b"intersection",
    b"values": b"keys",
    b"append": b"extend",
    b"extend": b"append",
}


def _callee(document: Document, call: Node) -> Node | None:
    """Return the node of the called name, of a plain call or of a method call."""
    return field(call, "function") if callee_name(document, call) else method_node(call)


def _unwrap_call(document: Document) -> Iterator[Edits]:
    for node in document.nodes("call"):
        name = callee_name(document, node)
        if name not in _WRAPPERS:
            continue
        arguments, function = field(node, "arguments"), field(node, "function")
        if arguments is not None and arguments.type == "generator_expression":
            if function is not None and name != b"list":
                yield (replace_node(function, b"list"),)
            continue
        values = positional_arguments(node)
        if len(values) == 1:
            yield (delete(node.start_byte, values[0].start_byte), delete(values[0].end_byte, node.end_byte))


def _drop_copy(document: Document) -> Iterator[Edits]:
    for node in document.nodes("call"):
        values, callee = positional_arguments(node), _callee(document, node)
        name = b"" if callee is None else document.slice(callee)
        owner = callee.parent.child_by_field_name("object") if callee is not None and callee.parent else None
        if name in _COPIERS and len(values) == 1:
            yield (delete(node.start_byte, values[0].start_byte), delete(values[0].end_byte, node.end_byte))
        elif name == b"copy" and not values and owner is not None:
            yield (delete(owner.end_byte, node.end_byte),)
    for node in document.nodes("subscript"):
        value, index = field(node, "value"), field(node, "subscript")
        if value is not None and index is not None and document.slice(index) == b":":
            yield (delete(value.end_byte, node.end_byte),)


def _drop_normalizer(document: Document) -> Iterator[Edits]:
    for node in document.nodes("call"):
        method, function = method_node(node), field(node, "function")
        owner = None if function is None else field(function, "object")
        if method is not None and owner is not None and document.slice(method) in _NORMALIZERS:
            yield (delete(owner.end_byte, node.end_byte),)


def _weaken_strip(document: Document) -> Iterator[Edits]:
    for node in document.nodes("call"):
        method = method_node(node)
        if method is not None and document.slice(method) == b"strip":
            yield (replace_node(method, b"lstrip"),)
            yield (replace_node(method, b"rstrip"),)


def _call_relative(document: Document) -> Iterator[Edits]:
    for node in document.nodes("call"):
        callee = _callee(document, node)
        relative = None if callee is None else _RELATIVES.get(document.slice(callee))
        if callee is not None and relative is not None:
            yield (replace_node(callee, relative),)


CALL = (
    Operator(
        name="unwrap_call",
        theme="call",
        summary="leave out `sorted`, `reversed`, `set`, `abs`, `int` and the like around a value",
        before="def f(x):\n    return sorted(x)\n",
        after="def f(x):\n    return x\n",
        find=_unwrap_call,
    ),
    Operator(
        name="drop_copy",
        theme="call",
        summary="share an object where a copy was made (`x.copy()`, `deepcopy(x)`, `dict(x)`, `x[:]`)",
        before="def f(x):\n    y = x.copy()\n    y.append(1)\n    return x, y\n",
        after="def f(x):\n    y = x\n    y.append(1)\n    return x, y\n",
        find=_drop_copy,
    ),
    Operator(
        name="drop_normalizer",
        theme="call",
        summary="leave out `.strip()`, `.lower()`, `.replace()` and the like",
        before="def f(x):\n    return x.lower()\n",
        after="def f(x):\n    return x\n",
        find=_drop_normalizer,
    ),
    Operator(
        name="weaken_strip",
        theme="call",
        summary="strip one side only",
        before="def f(x):\n    return x.strip()\n",
        after="def f(x):\n    return x.lstrip()\n",
        find=_weaken_strip,
    ),
    Operator(
        name="call_relative",
        theme="call",
        summary="call a near relative: `min` for `max`, `any` for `all`, `startswith` for `endswith`",
        before="def f(x):\n    return max(x)\n",
        after="def f(x):\n    return min(x)\n",
        find=_call_relative,
    ),
)
