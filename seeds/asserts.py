"""Turns assert-style test code into calls with expected values, so that the judge can hold the values outside.

Test code is read, never run. Understood are module-level asserts, ``def check(candidate):`` and ``def test_x():``
bodies, constants, results kept in a name, loops over literal tables, and ``pytest.raises``. One statement that isn't
understood makes the whole code unparsed, with the reason; it then runs as a suite. Method: own.
"""

import ast
import math
from dataclasses import dataclass, replace

from schemas.values import Raised
from seeds.assert_shapes import AssertedCall, Scope, read_assertion
from seeds.literals import Budget, NotLiteralError, bind_target
from seeds.python_source import FunctionNode, parse_module

MAX_CALLS = 20_000
"""Calls that one row may unroll to."""

_MATH_NAMES = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedAsserts:
    """The calls of a test code, or why they aren't known."""

    calls: tuple[AssertedCall, ...] = ()
    """In the order of the code."""
    why: str = ""
    """Why the code couldn't be parsed; empty when it could."""


def parse_asserts(source: str, entry_point: str) -> ParsedAsserts:
    """Return every asserted call of the test code, or the reason why one statement isn't understood.

    Args:
        entry_point: how the code may call the tested function (``two_sum`` or ``Solution().twoSum``), beside the
            parameter of ``check``.
    """
    module = parse_module(source)
    if module is None:
        return ParsedAsserts(why="the test code isn't Python 3")
    callees = frozenset({entry_point, "candidate", f"solution.{entry_point}"})
    walker = _Walker()
    try:
        walker.walk(module.body, Scope(callees=callees, names={}, budget=Budget()))
    except NotLiteralError as error:
        return ParsedAsserts(why=f"line {walker.line}: {error}")
    return ParsedAsserts(calls=tuple(walker.calls))


class _Walker:
    """Collects the asserted calls of a body of statements."""

    def __init__(self) -> None:
        self.calls: list[AssertedCall] = []
        self.line = 0
        self._tests: set[str] = set()

    def walk(self, body: list[ast.stmt], scope: Scope) -> Scope:
        """Read the statements and return the scope after them."""
        for statement in body:
            self.line = statement.lineno
            scope = self._read(statement, scope)
            if len(self.calls) > MAX_CALLS:
                raise NotLiteralError(f"more than {MAX_CALLS} asserted calls")
        return scope

    def _read(self, statement: ast.stmt, scope: Scope) -> Scope:
        method = getattr(self, f"_{type(statement).__name__.lower()}", None)
        if method is None:
            raise NotLiteralError(f"a {type(statement).__name__} statement isn't understood")
        after: Scope | None = method(statement, scope)
        return after or scope

    def _pass(self, _statement: ast.Pass, _scope: Scope) -> None:
        """Nothing is said."""

    def _import(self, _statement: ast.Import, _scope: Scope) -> None:
        """Modules aren't needed: whatever uses one isn't plain data."""

    def _importfrom(self, statement: ast.ImportFrom, scope: Scope) -> Scope:
        if statement.module != "math":
            return scope
        known = {a.asname or a.name: _MATH_NAMES[a.name] for a in statement.names if a.name in _MATH_NAMES}
        return replace(scope, names={**scope.names, **known})

    def _assert(self, statement: ast.Assert, scope: Scope) -> None:
        self.calls.extend(read_assertion(statement.test, scope))

    def _assign(self, statement: ast.Assign, scope: Scope) -> Scope:
        call = scope.call(statement.value)
        value = call if call is not None else scope.value(statement.value)
        bound: dict[str, object] = {}
        for target in statement.targets:
            if call is not None and not isinstance(target, ast.Name):
                raise NotLiteralError("a result that is taken apart isn't understood")
            bound.update(bind_target(target, value))
        return replace(scope, names={**scope.names, **bound})

    def _annassign(self, statement: ast.AnnAssign, scope: Scope) -> Scope:
        if statement.value is None:
            return scope
        plain = ast.Assign(targets=[statement.target], value=statement.value, lineno=statement.lineno)
        return self._assign(plain, scope)

    def _expr(self, statement: ast.Expr, _scope: Scope) -> None:
        value = statement.value
        called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
        if not isinstance(value, ast.Constant) and called not in {*self._tests, "print"}:
            raise NotLiteralError(f"{ast.unparse(value)[:80]!r} does something that isn't understood")

    def _functiondef(self, statement: ast.FunctionDef, scope: Scope) -> None:
        parameters = [arg.arg for arg in statement.args.args]
        is_test = statement.name == "check" or statement.name.startswith("test")
        if not is_test or len(parameters) > 1 or statement.decorator_list:
            raise NotLiteralError(f"the helper function {statement.name!r} isn't understood")
        self._tests.add(statement.name)
        self.walk(statement.body, replace(scope, callees=scope.callees | set(parameters)))

    def _if(self, statement: ast.If, _scope: Scope) -> None:
        if ast.unparse(statement.test) != "__name__ == '__main__'":
            raise NotLiteralError("a condition isn't understood")

    def _for(self, statement: ast.For, scope: Scope) -> None:
        if statement.orelse:
            raise NotLiteralError("a loop with else isn't understood")
        table = scope.value(statement.iter)
        if not isinstance(table, list | tuple | str | dict):
            raise NotLiteralError(f"a loop over a {type(table).__name__} isn't understood")
        for item in table:
            self.walk(statement.body, replace(scope, names={**scope.names, **bind_target(statement.target, item)}))

    def _with(self, statement: ast.With, scope: Scope) -> None:
        context = statement.items[0].context_expr
        if len(statement.items) != 1 or not isinstance(context, ast.Call) or len(context.args) != 1:
            raise NotLiteralError("a with statement isn't understood")
        if ast.unparse(context.func) not in {"pytest.raises", "raises"} or context.keywords:
            raise NotLiteralError("a with statement isn't understood")
        self._raises(statement.body, context.args[0], scope)

    def _try(self, statement: ast.Try, scope: Scope) -> None:
        first, rest = statement.body[0], statement.body[1:]
        handlers, fails = statement.handlers, [ast.unparse(item) for item in rest]
        caught = handlers[0].type if len(handlers) == 1 else None
        silent = len(handlers) == 1 and all(isinstance(item, ast.Pass) for item in handlers[0].body)
        if caught is None or not silent or len(fails) != 1 or not fails[0].startswith("assert False"):
            raise NotLiteralError("a try statement isn't understood")
        self._raises([first], caught, scope)

    def _raises(self, body: list[ast.stmt], exception: ast.expr, scope: Scope) -> None:
        call = scope.call(body[0].value) if len(body) == 1 and isinstance(body[0], ast.Expr | ast.Assign) else None
        if call is None or not isinstance(exception, ast.Name) or exception.id in {"Exception", "BaseException"}:
            raise NotLiteralError("an expected exception isn't understood")
        self.calls.append(AssertedCall(call=call, expected=Raised(exception.id)))


def called_functions(source: str, known: frozenset[str]) -> tuple[str, ...]:
    """Return those of the known function names that the code calls, in the order of their first call."""
    module = parse_module(source)
    if module is None:
        return ()
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    names = [node.func.id for node in calls if isinstance(node.func, ast.Name)]
    return tuple(dict.fromkeys(name for name in names if name in known))


def defined_functions(module: ast.Module) -> frozenset[str]:
    """Return the names of the functions that a module defines at its top."""
    return frozenset(node.name for node in module.body if isinstance(node, FunctionNode))
