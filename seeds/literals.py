"""The value of a Python expression that says nothing but data, worked out without running it.

Assert parsing needs the values that test code spells: literals, containers, `set([...])`, `float("inf")`, arithmetic
such as `10**5` and `"a" * 3`, comprehensions over such data. Every step is bounded, so that hostile text costs little;
nothing is ever evaluated by the interpreter. Method: own, over the standard library's syntax tree.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from seeds.hashed_values import check_collisions, counter_of, dict_of, frozenset_of, set_of

MAX_ITEMS = 200_000
"""Items of a container, characters of a text, or steps of a loop."""
MAX_BITS = 14_000
"""Size of an integer; its decimal text then has less than 4,300 digits."""
MAX_STEPS = 4_000_000
"""Nodes and values to visit for one budget."""


class NotLiteralError(ValueError):
    """The expression isn't plain data."""


class Budget:
    """Steps that are left for all the expressions of one row."""

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self._left = steps

    def spend(self, steps: int) -> None:
        """Take steps away.

        Raises:
            NotLiteralError: none are left.
        """
        self._left -= steps
        if self._left < 0:
            raise NotLiteralError("too much to work out")


def evaluate(node: ast.expr, names: Mapping[str, object] | None = None, budget: Budget | None = None) -> object:
    """Return the value of an expression.

    Args:
        names: values of the names that are known around it.
        budget: what all the expressions of a row share; None takes a fresh one.

    Raises:
        NotLiteralError: it isn't plain data, fails, or grows beyond the limits of this module.
    """
    try:
        return _Evaluator(names or {}, budget or Budget()).value(node)
    except NotLiteralError:
        raise
    except (ArithmeticError, TypeError, ValueError, LookupError, RecursionError, MemoryError) as error:
        raise NotLiteralError(f"{type(error).__name__} in {_shorten(node)}") from error


def _shorten(node: ast.AST) -> str:
    return repr(ast.unparse(node)[:60])


def _bounded_range(*args: int) -> list[int]:
    numbers = range(*args)
    if len(numbers) > MAX_ITEMS:
        raise NotLiteralError(f"a range of more than {MAX_ITEMS} numbers")
    return list(numbers)


def _materialise(function: Callable[..., Iterable[object]]) -> Callable[..., object]:
    def call(*args: object, **kwargs: object) -> list[object]:
        return list(function(*args, **kwargs))

    return call


def _sum_numbers(numbers: Iterable[Any]) -> object:
    return sum(numbers)


def _bytes_of(value: object) -> bytes:
    if isinstance(value, int):
        raise NotLiteralError("bytes of a number aren't taken")
    return bytes(value)  # type: ignore[call-overload,no-any-return]


_CALLS: dict[str, Callable[..., object]] = {
    "abs": abs, "bool": bool, "bytes": _bytes_of, "chr": chr, "complex": complex, "Counter": counter_of,
    "dict": dict_of, "enumerate": _materialise(enumerate), "float": float, "frozenset": frozenset_of, "int": int,
    "len": len, "list": list,
    "max": max, "min": min, "ord": ord, "range": _bounded_range, "reversed": _materialise(reversed), "round": round,
    "set": set_of, "sorted": sorted, "str": str, "sum": _sum_numbers, "tuple": tuple, "zip": _materialise(zip),
    "math.sqrt": math.sqrt, "math.floor": math.floor, "math.ceil": math.ceil,
}  # fmt: skip
_CONSTANTS: dict[str, object] = {
    "math.inf": math.inf, "math.nan": math.nan, "math.pi": math.pi, "math.e": math.e, "math.tau": math.tau,
}  # fmt: skip
_METHODS: dict[type, frozenset[str]] = {
    str: frozenset({"split", "lower", "upper", "strip", "encode", "splitlines"}),
    dict: frozenset({"items", "keys", "values"}),
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert,
}  # fmt: skip


class _Evaluator:
    def __init__(self, names: Mapping[str, object], budget: Budget) -> None:
        self._names = dict(names)
        self._budget = budget

    def value(self, node: ast.expr) -> object:
        """Return the value of a node, checked against the limits."""
        self._budget.spend(1)
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise NotLiteralError(f"{_shorten(node)} isn't plain data")
        found = method(node)
        self._budget.spend(_weigh(found))
        return found

    def _constant(self, node: ast.Constant) -> object:
        if node.value is Ellipsis:
            raise NotLiteralError("... isn't plain data")
        return node.value

    def _items(self, nodes: Sequence[ast.expr]) -> Iterator[object]:
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from _iterate(self.value(node.value))
            else:
                yield self.value(node)

    def _list(self, node: ast.List) -> object:
        return list(self._items(node.elts))

    def _tuple(self, node: ast.Tuple) -> object:
        return tuple(self._items(node.elts))

    def _set(self, node: ast.Set) -> object:
        return set_of(self._items(node.elts))

    def _dict(self, node: ast.Dict) -> object:
        pairs = []
        for key, item in zip(node.keys, node.values, strict=True):
            if key is None:
                raise NotLiteralError("** in a mapping isn't taken")
            pairs.append((self.value(key), self.value(item)))
        return dict_of(pairs)

    def _name(self, node: ast.Name) -> object:
        if node.id in self._names:
            return self._names[node.id]
        raise NotLiteralError(f"the name {node.id!r} isn't known")

    def _attribute(self, node: ast.Attribute) -> object:
        name = ast.unparse(node)
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        raise NotLiteralError(f"{_shorten(node)} isn't plain data")

    def _unaryop(self, node: ast.UnaryOp) -> object:
        return _UNARY[type(node.op)](self.value(node.operand))

    def _binop(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        _check_growth(node.op, left, right)
        found = _BINARY[type(node.op)](left, right)
        if isinstance(found, set | frozenset | dict):
            check_collisions(found)
        return found

    def _compare(self, node: ast.Compare) -> object:
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            raise NotLiteralError(f"{_shorten(node)} isn't plain data")
        equal = self.value(node.left) == self.value(node.comparators[0])
        return equal if isinstance(node.ops[0], ast.Eq) else not equal

    def _subscript(self, node: ast.Subscript) -> object:
        if isinstance(node.slice, ast.Slice):
            parts = (node.slice.lower, node.slice.upper, node.slice.step)
            index: object = slice(*(None if part is None else self.value(part) for part in parts))
        else:
            index = self.value(node.slice)
        return operator.getitem(self.value(node.value), index)  # type: ignore[call-overload]

    def _call(self, node: ast.Call) -> object:
        args = list(self._items(node.args))
        if any(keyword.arg is None for keyword in node.keywords):
            raise NotLiteralError("** in a call isn't taken")
        kwargs = {str(keyword.arg): self.value(keyword.value) for keyword in node.keywords}
        return self._callee(node)(*args, **kwargs)

    def _callee(self, node: ast.Call) -> Callable[..., object]:
        name = ast.unparse(node.func)
        if name in _CALLS and name.split(".")[0] not in self._names:
            return _CALLS[name]
        if isinstance(node.func, ast.Attribute):
            owner = self.value(node.func.value)
            if node.func.attr in _METHODS.get(type(owner), ()):
                found: Callable[..., object] = getattr(owner, node.func.attr)
                return found
        raise NotLiteralError(f"the call {_shorten(node)} isn't plain data")

    def _listcomp(self, node: ast.ListComp) -> object:
        return [self.value(node.elt) for _ in self._bind(node.generators)]

    def _setcomp(self, node: ast.SetComp) -> object:
        return set_of(self.value(node.elt) for _ in self._bind(node.generators))

    def _generatorexp(self, node: ast.GeneratorExp) -> object:
        return [self.value(node.elt) for _ in self._bind(node.generators)]

    def _dictcomp(self, node: ast.DictComp) -> object:
        return dict_of((self.value(node.key), self.value(node.value)) for _ in self._bind(node.generators))

    def _bind(self, generators: list[ast.comprehension]) -> Iterator[None]:
        if not generators:
            yield
            return
        first, rest = generators[0], generators[1:]
        for item in _iterate(self.value(first.iter)):
            self._names.update(bind_target(first.target, item))
            if all(self.value(test) for test in first.ifs):
                yield from self._bind(rest)


def bind_target(target: ast.expr, value: object) -> dict[str, object]:
    """Return the names that a loop target binds to the parts of a value.

    Raises:
        NotLiteralError: the target isn't made of names, or the shapes differ.
    """
    if isinstance(target, ast.Name):
        return {target.id: value}
    if not isinstance(target, ast.Tuple | ast.List):
        raise NotLiteralError(f"{_shorten(target)} can't be bound")
    parts = list(_iterate(value))
    if len(parts) != len(target.elts):
        raise NotLiteralError(f"{len(parts)} values for {len(target.elts)} names")
    bound: dict[str, object] = {}
    for item, part in zip(target.elts, parts, strict=True):
        bound.update(bind_target(item, part))
    return bound


def _iterate(value: object) -> Iterable[object]:
    if isinstance(value, set | frozenset):
        raise NotLiteralError("a set has no order to loop in")
    if isinstance(value, Iterable):
        return value
    raise NotLiteralError(f"a {type(value).__name__} can't be looped over")


def _weigh(value: object) -> int:
    """Return the number of values inside, shared ones counted as often as they occur.

    Raises:
        NotLiteralError: more than `MAX_ITEMS`, or an integer of more than `MAX_BITS`.
    """
    count = 0
    queue = [value]
    while queue:
        item = queue.pop()
        count += 1 + (len(item) // 16 if isinstance(item, str | bytes) else 0)
        if isinstance(item, int) and item.bit_length() > MAX_BITS:
            raise NotLiteralError(f"an integer of more than {MAX_BITS} bits")
        if isinstance(item, list | tuple | set | frozenset):
            queue.extend(item)
        elif isinstance(item, dict):
            queue.extend(item)
            queue.extend(item.values())
        if count + len(queue) > MAX_ITEMS:
            raise NotLiteralError(f"more than {MAX_ITEMS} values")
    return count


def _check_growth(kind: ast.operator, left: object, right: object) -> None:
    if isinstance(kind, ast.Mult):
        for sequence, count in ((left, right), (right, left)):
            if not isinstance(sequence, str | bytes | list | tuple) or not isinstance(count, int):
                continue
            if _weigh(sequence) * count > MAX_ITEMS:
                raise NotLiteralError(f"more than {MAX_ITEMS} values")
    if isinstance(left, int) and isinstance(right, int):
        if isinstance(kind, ast.Pow) and left.bit_length() * max(right, 0) > MAX_BITS:
            raise NotLiteralError(f"an integer of more than {MAX_BITS} bits")
        if isinstance(kind, ast.LShift) and left.bit_length() + max(right, 0) > MAX_BITS:
            raise NotLiteralError(f"an integer of more than {MAX_BITS} bits")
    if isinstance(kind, ast.Mod) and isinstance(left, str | bytes):
        raise NotLiteralError("text formatting isn't taken")
