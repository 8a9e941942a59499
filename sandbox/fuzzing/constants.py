"""Constants in the reference solution: values at which it decides differently.

Third source of inputs beside constraints and examples. Method: own.
"""

import ast
from dataclasses import dataclass

from schemas.syntax import parse_source

_LONGEST_TEXT = 40
_LARGEST = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """Literals of a source text; numbers with both neighbours."""

    integers: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()


def find_constants(source: str) -> Constants:
    """Return the literals of a Python source, sorted; none when it doesn't parse. Docstrings are left out."""
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Constants()
    integers: set[int] = set()
    floats: set[float] = set()
    texts: set[str] = set()
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in statements:
            continue
        value = node.value
        if type(value) is int and abs(value) <= _LARGEST:
            integers.update((value - 1, value, value + 1))
        elif type(value) is float:
            floats.add(value)
        elif type(value) is str and 0 < len(value) <= _LONGEST_TEXT:
            texts.add(value)
    return Constants(integers=tuple(sorted(integers)), floats=tuple(sorted(floats)), texts=tuple(sorted(texts)))
