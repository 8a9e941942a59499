"""The types that a signature can name in every language, read from Python type expressions.

Drivers are generated from them. ``int`` is a 64-bit integer where a language has no other, ``bigint`` has any size.
Method: own.
"""

import ast
from dataclasses import dataclass

from schemas.candidate import Signature
from schemas.errors import ConfigError
from schemas.syntax import parse_expression

SCALARS = ("int", "bigint", "float", "bool", "str", "bytes", "none")
_NAMES = {"None": "none", "dict": "map", "frozenset": "set", "List": "list", "Set": "set", "Dict": "map"}
_NAMES |= {"Tuple": "tuple", "FrozenSet": "set", "Sequence": "list", "Optional": "optional", "Mapping": "map"}
_ARITY = {"list": 1, "set": 1, "map": 2, "optional": 1}


@dataclass(frozen=True, slots=True)
class Type:
    """One type and the types inside it."""

    name: str
    """One of `SCALARS`, or ``list``, ``set``, ``map``, ``tuple`` (of fixed length) or ``optional``."""
    parts: tuple["Type", ...] = ()

    def __str__(self) -> str:
        return f"{self.name}[{', '.join(map(str, self.parts))}]" if self.parts else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class CallType:
    """The types of a call."""

    parameters: tuple[tuple[str, Type], ...]
    """Name and type, in order."""
    returns: Type


def read_call_type(signature: Signature) -> CallType:
    """Return the types of a signature.

    Raises:
        ConfigError: a type is missing, or has no counterpart in every language; the message names it.
    """
    parameters = tuple((each.name, parse_type(each.annotation, each.name)) for each in signature.parameters)
    return CallType(parameters=parameters, returns=parse_type(signature.returns, "the result"))


def parse_type(annotation: str, whose: str = "a value") -> Type:
    """Return the type that a Python type expression names.

    Args:
        whose: what has the type, for messages.

    Raises:
        ConfigError: no such type.
    """
    try:
        return _read(parse_expression(annotation))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConfigError(
            f"the type {annotation!r:.200} of {whose} can't be used in other languages than Python: {error}; known are "
            f"{', '.join(SCALARS)}, list[T], set[T], dict[K, V], tuple[T, ...] of fixed length and T | None"
        ) from error


def _read(node: ast.expr) -> Type:  # noqa: PLR0911  # one line per form
    match node:
        case ast.Constant(value=None):
            return Type("none")
        case ast.Constant(value=str(text)):
            return _read(parse_expression(text))
        case ast.Attribute(attr=name):
            return _read(ast.Name(name))
        case ast.Name(id=name) if _NAMES.get(name, name) in SCALARS:
            return Type(_NAMES.get(name, name))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _optional((_read(left), _read(right)))
        case ast.Subscript(value=ast.Name(id="Union"), slice=ast.Tuple(elts=elements)):
            return _optional(tuple(map(_read, elements)))
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _container(_NAMES.get(name, name), tuple(map(_read, elements)))
    raise ValueError(f"{ast.unparse(node)} isn't known")


def _container(name: str, parts: tuple[Type, ...]) -> Type:
    if name == "optional" and len(parts) == 1:
        return _optional((*parts, Type("none")))
    if name == "tuple" or _ARITY.get(name) == len(parts):
        return Type(name, parts)
    raise ValueError(f"{name} with {len(parts)} types isn't known")


def _optional(members: tuple[Type, ...]) -> Type:
    others = [member for member in members if member.name != "none"]
    if len(others) != 1 or len(others) == len(members):
        raise ValueError("only a union of one type and None is known")
    return others[0] if others[0].name == "optional" else Type("optional", (others[0],))
