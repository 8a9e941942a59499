"""What one assertion says about one call: its arguments, the value that is expected, and how the two are compared.

`seeds/asserts.py` walks the test code and asks here for the meaning of each assertion. Shapes that are understood:
``f(x) == e``, ``e == f(x)``, ``f(x) is None|True|False``, ``f(x)`` and ``not f(x)`` (truth alone),
``abs(f(x) - e) < t``, ``math.isclose(f(x), e)``, ``f(x) == pytest.approx(e)``, ``sorted(f(x)) == e``,
``set(f(x)) == e``, ``Counter(f(x)) == e``, and several of them joined by ``and``. Method: own.
"""

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.candidate import Checker, CheckerName
from seeds.literals import Budget, NotLiteralError, evaluate


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall:
    """A call of the tested function whose result is looked at later."""

    args: tuple[object, ...]
    kwargs: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertedCall:
    """One call and what is asserted about it."""

    call: PendingCall
    expected: object
    """The value, or `schemas.values.Raised`. For an unordered comparison a list of the items."""
    checker: Checker = field(default_factory=Checker)
    truth_only: bool = False
    """Whether only the truth of the value was asserted (``assert f(x)``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is known where an assertion stands."""

    callees: frozenset[str]
    """Spellings of the tested function, for instance ``candidate``."""
    names: Mapping[str, object]
    """Values and pending calls by name."""
    budget: Budget

    def value(self, node: ast.expr) -> object:
        """Return the value of plain data.

        Raises:
            NotLiteralError: it isn't plain data.
        """
        known = {name: value for name, value in self.names.items() if not isinstance(value, PendingCall)}
        return evaluate(node, known, self.budget)

    def call(self, node: ast.expr) -> PendingCall | None:
        """Return the call that an expression is, or None when it's something else.

        Raises:
            NotLiteralError: it's a call of the tested function, but its arguments aren't plain data.
        """
        if isinstance(node, ast.Name):
            known = self.names.get(node.id)
            return known if isinstance(known, PendingCall) else None
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in self.callees:
            return None
        if any(keyword.arg is None for keyword in node.keywords):
            raise NotLiteralError("** in a call isn't taken")
        args = self.value(ast.List(elts=node.args, ctx=ast.Load()))
        kwargs = tuple((str(keyword.arg), self.value(keyword.value)) for keyword in node.keywords)
        assert isinstance(args, list)
        return PendingCall(args=tuple(args), kwargs=kwargs)


def read_assertion(test: ast.expr, scope: Scope) -> tuple[AssertedCall, ...]:
    """Return what an assertion says, in the order of its parts; nothing for ``assert True``.

    Raises:
        NotLiteralError: it has none of the shapes above.
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return tuple(found for part in test.values for found in read_assertion(part, scope))
    if isinstance(test, ast.Constant) and test.value is True:
        return ()
    found = None
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        found = _read_comparison(test.left, test.ops[0], test.comparators[0], scope)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        found = _truth(test.operand, scope, expected=False)
    elif isinstance(test, ast.Call):
        found = _read_isclose(test, scope) or _truth(test, scope, expected=True)
    elif isinstance(test, ast.Name):
        found = _truth(test, scope, expected=True)
    if found is None:
        raise NotLiteralError(f"the assertion {ast.unparse(test)[:80]!r} has no known shape")
    return (found,)


def _truth(node: ast.expr, scope: Scope, *, expected: bool) -> AssertedCall | None:
    call = scope.call(node)
    return AssertedCall(call=call, expected=expected, truth_only=True) if call else None


def _read_comparison(left: ast.expr, kind: ast.cmpop, right: ast.expr, scope: Scope) -> AssertedCall | None:
    if isinstance(kind, ast.Gt | ast.GtE):
        left, right = right, left
    if isinstance(kind, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return _read_distance(left, right, scope)
    if isinstance(kind, ast.Is):
        call = scope.call(left)
        plain = isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool))
        return AssertedCall(call=call, expected=scope.value(right)) if call and plain else None
    if isinstance(kind, ast.Eq):
        return _read_equality(left, right, scope) or _read_equality(right, left, scope)
    return None


def _read_equality(actual: ast.expr, expected: ast.expr, scope: Scope) -> AssertedCall | None:
    call = scope.call(actual)
    if call is not None:
        approx = _read_approx(expected, scope)
        if approx is not None:
            return AssertedCall(call=call, expected=approx[0], checker=approx[1])
        return AssertedCall(call=call, expected=scope.value(expected))
    wrapper = _wrapped_call(actual, scope)
    if wrapper is None:
        return None
    items = _as_items(scope.value(expected))
    return AssertedCall(call=wrapper, expected=items, checker=Checker(name=CheckerName.UNORDERED))


def _wrapped_call(node: ast.expr, scope: Scope) -> PendingCall | None:
    wrappers = {"sorted", "set", "Counter", "collections.Counter"}
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and ast.unparse(node.func) in wrappers:
        return scope.call(node.args[0])
    return None


def _as_items(value: object) -> list[object]:
    if isinstance(value, Counter):
        return list(value.elements())
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, list | tuple):
        return list(value)
    raise NotLiteralError(f"a {type(value).__name__} is no list of items")


def _read_approx(node: ast.expr, scope: Scope) -> tuple[object, Checker] | None:
    if not isinstance(node, ast.Call) or ast.unparse(node.func) not in {"pytest.approx", "approx"} or not node.args:
        return None
    rel_tol, abs_tol = _tolerances(node, scope, names=("rel", "abs"), defaults=(1e-6, 1e-12))
    return scope.value(node.args[0]), Checker(name=CheckerName.FLOAT, rel_tol=rel_tol, abs_tol=abs_tol)


def _read_isclose(node: ast.Call, scope: Scope) -> AssertedCall | None:
    if ast.unparse(node.func) not in {"math.isclose", "isclose"} or len(node.args) != 2:
        return None
    left, right = node.args
    call, other = scope.call(left), right
    if call is None:
        call, other = scope.call(right), left
    if call is None:
        return None
    rel_tol, abs_tol = _tolerances(node, scope, names=("rel_tol", "abs_tol"), defaults=(1e-9, 0.0))
    checker = Checker(name=CheckerName.FLOAT, rel_tol=rel_tol, abs_tol=abs_tol)
    return AssertedCall(call=call, expected=scope.value(other), checker=checker)


def _tolerances(
    node: ast.Call, scope: Scope, *, names: tuple[str, str], defaults: tuple[float, float]
) -> tuple[float, float]:
    given = {str(keyword.arg): scope.value(keyword.value) for keyword in node.keywords}
    found = [given.get(name, default) for name, default in zip(names, defaults, strict=True)]
    if not all(isinstance(number, int | float) for number in found) or set(given) - set(names):
        raise NotLiteralError(f"the tolerance of {ast.unparse(node)[:80]!r} isn't understood")
    return float(str(found[0])), float(str(found[1]))


def _read_distance(distance: ast.expr, bound: ast.expr, scope: Scope) -> AssertedCall | None:
    """Return what ``abs(f(x) - e) < t`` says, or None."""
    if not isinstance(distance, ast.Call) or ast.unparse(distance.func) not in {"abs", "math.fabs"}:
        return None
    inner = distance.args[0] if len(distance.args) == 1 else None
    if not isinstance(inner, ast.BinOp) or not isinstance(inner.op, ast.Sub):
        return None
    call, other = scope.call(inner.left), inner.right
    if call is None:
        call, other = scope.call(inner.right), inner.left
    tolerance = scope.value(bound)
    if call is None or not isinstance(tolerance, int | float):
        return None
    checker = Checker(name=CheckerName.FLOAT, abs_tol=float(tolerance))
    return AssertedCall(call=call, expected=scope.value(other), checker=checker)
