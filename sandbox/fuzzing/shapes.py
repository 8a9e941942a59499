"""The shape of a parameter's values: read from its annotation, or from the values in the examples.

First step of fuzzing. Annotations are parsed, never evaluated; what they leave open (``list``, ``Any``, nothing at
all) is filled from the examples. Method: own.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from schemas.syntax import parse_expression


class Kind(StrEnum):
    """What a value is."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STR = "str"
    BYTES = "bytes"
    NONE = "none"
    LIST = "list"
    SET = "set"
    FROZENSET = "frozenset"
    ROW = "row"
    """A tuple of any length."""
    TUPLE = "tuple"
    """A tuple of fixed length, one shape per place."""
    DICT = "dict"
    UNION = "union"
    LITERAL = "literal"
    UNKNOWN = "unknown"


SIZED = (Kind.STR, Kind.BYTES, Kind.LIST, Kind.SET, Kind.FROZENSET, Kind.ROW, Kind.DICT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A kind and the shapes inside it."""

    kind: Kind
    parts: tuple["Shape", ...] = ()
    """Items of a container, keys and values of a mapping, places of a tuple, members of a union."""
    literals: tuple[object, ...] = ()
    """The values of ``Literal[...]``."""

    def is_known(self) -> bool:
        """Return whether values can be drawn, with nothing left open."""
        if self.kind is Kind.UNION or self.kind is Kind.TUPLE:
            return all(part.is_known() for part in self.parts)
        if self.kind in _CONTAINER_PARTS:
            return len(self.parts) == _CONTAINER_PARTS[self.kind] and all(part.is_known() for part in self.parts)
        return self.kind is not Kind.UNKNOWN


UNKNOWN = Shape(kind=Kind.UNKNOWN)
_CONTAINER_PARTS = {Kind.LIST: 1, Kind.SET: 1, Kind.FROZENSET: 1, Kind.ROW: 1, Kind.DICT: 2}
_SCALARS = {
    "int": Kind.INT,
    "float": Kind.FLOAT,
    "bool": Kind.BOOL,
    "str": Kind.STR,
    "bytes": Kind.BYTES,
    "None": Kind.NONE,
}
_CONTAINERS = {
    "list": Kind.LIST,
    "List": Kind.LIST,
    "Sequence": Kind.LIST,
    "MutableSequence": Kind.LIST,
    "Iterable": Kind.LIST,
    "Collection": Kind.LIST,
    "set": Kind.SET,
    "Set": Kind.SET,
    "frozenset": Kind.FROZENSET,
    "FrozenSet": Kind.FROZENSET,
    "dict": Kind.DICT,
    "Dict": Kind.DICT,
    "Mapping": Kind.DICT,
    "MutableMapping": Kind.DICT,
}
_KIND_OF_TYPE: dict[type, Kind] = {
    int: Kind.INT,
    float: Kind.FLOAT,
    bool: Kind.BOOL,
    str: Kind.STR,
    bytes: Kind.BYTES,
    type(None): Kind.NONE,
    list: Kind.LIST,
    set: Kind.SET,
    frozenset: Kind.FROZENSET,
    dict: Kind.DICT,
}
_MAX_DEPTH = 8


def is_hashable(shape: Shape) -> bool:
    """Return whether values of the shape can be keys and members of sets."""
    if shape.kind in {Kind.LIST, Kind.SET, Kind.DICT}:
        return False
    return all(is_hashable(part) for part in shape.parts)


def parse_annotation(text: str) -> Shape:
    """Return the shape that a type expression says; `UNKNOWN` where it says nothing that can be drawn."""
    try:
        node = parse_expression(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNKNOWN
    return _read(node, 0)


def _read(node: ast.expr, depth: int) -> Shape:
    if depth > _MAX_DEPTH:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        return _read_constant(node.value, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union((_read(node.left, depth + 1), _read(node.right, depth + 1)))
    if isinstance(node, ast.Subscript):
        return _read_subscript(_last_name(node.value), node.slice, depth)
    name = _last_name(node)
    kind = _SCALARS.get(name) or _CONTAINERS.get(name)
    return Shape(kind=kind) if kind is not None else UNKNOWN


def _read_constant(value: object, depth: int) -> Shape:
    if isinstance(value, str) and depth == 0:
        return parse_annotation(value)
    return Shape(kind=Kind.NONE) if value is None else UNKNOWN


def _read_subscript(name: str, index: ast.expr, depth: int) -> Shape:
    items = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    if name == "Literal":
        values = tuple(item.value for item in items if isinstance(item, ast.Constant) and item.value is not Ellipsis)
        return Shape(kind=Kind.LITERAL, literals=values) if len(values) == len(items) > 0 else UNKNOWN
    if name in {"tuple", "Tuple"}:
        return _read_tuple(items, depth)
    parts = tuple(_read(item, depth + 1) for item in items)
    if name == "Optional":
        return _union((*parts, Shape(kind=Kind.NONE)))
    if name == "Union":
        return _union(parts)
    if name in {"Annotated", "Final"}:
        return parts[0] if parts else UNKNOWN
    return Shape(kind=_CONTAINERS[name], parts=parts) if name in _CONTAINERS else UNKNOWN


def _read_tuple(items: list[ast.expr], depth: int) -> Shape:
    if len(items) == 2 and isinstance(items[1], ast.Constant) and items[1].value is Ellipsis:
        return Shape(kind=Kind.ROW, parts=(_read(items[0], depth + 1),))
    return Shape(kind=Kind.TUPLE, parts=tuple(_read(item, depth + 1) for item in items))


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _union(parts: Sequence[Shape]) -> Shape:
    flat: list[Shape] = []
    for part in parts:
        for member in part.parts if part.kind is Kind.UNION else (part,):
            if member not in flat:
                flat.append(member)
    if len(flat) < 2:
        return flat[0] if flat else UNKNOWN
    return Shape(kind=Kind.UNION, parts=tuple(flat))


def infer_shape(values: Sequence[object]) -> Shape:
    """Return the narrowest shape that all values have; `UNKNOWN` for no values, and for items never seen."""
    shapes: list[Shape] = []
    by_kind: dict[Kind, list[object]] = {}
    for value in values:
        kind = Kind.TUPLE if type(value) is tuple else _KIND_OF_TYPE.get(type(value), Kind.UNKNOWN)
        by_kind.setdefault(kind, []).append(value)
    if Kind.FLOAT in by_kind and Kind.INT in by_kind:
        by_kind[Kind.FLOAT] += by_kind.pop(Kind.INT)
    for kind, members in sorted(by_kind.items()):
        shapes.append(_infer_kind(kind, members))
    return _union(shapes) if shapes else UNKNOWN


def _infer_kind(kind: Kind, values: list[object]) -> Shape:
    if kind is Kind.DICT:
        mappings = [value for value in values if isinstance(value, dict)]
        keys = [key for mapping in mappings for key in mapping]
        items = [item for mapping in mappings for item in mapping.values()]
        return Shape(kind=kind, parts=(infer_shape(keys), infer_shape(items)))
    if kind is Kind.TUPLE:
        tuples = [value for value in values if isinstance(value, tuple)]
        sizes = {len(value) for value in tuples}
        if len(sizes) == 1 and len(tuples) > 1:
            return Shape(kind=kind, parts=tuple(infer_shape(column) for column in zip(*tuples, strict=True)))
        return Shape(kind=Kind.ROW, parts=(infer_shape([item for value in tuples for item in value]),))
    if kind in _CONTAINER_PARTS:
        items = [item for value in values if isinstance(value, list | set | frozenset) for item in value]
        return Shape(kind=kind, parts=(infer_shape(items),))
    return Shape(kind=kind)


def complete_shape(declared: Shape, values: Sequence[object]) -> Shape:
    """Return the declared shape with everything that it leaves open filled from the values."""
    if declared.is_known():
        return declared
    seen = infer_shape(values)
    if declared.kind is Kind.UNKNOWN or declared.kind is not seen.kind:
        return seen
    if len(declared.parts) != len(seen.parts):
        return seen
    merged = tuple(part if part.is_known() else other for part, other in zip(declared.parts, seen.parts, strict=True))
    return Shape(kind=declared.kind, parts=merged)
