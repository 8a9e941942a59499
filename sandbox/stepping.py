"""A budget of steps for programs that we made ourselves: a limit that is the same on every machine.

Mutants of a reference often loop for ever, and whether a clock stops them in time depends on the machine. So loops,
functions and comprehensions of a mutant are instrumented to count their turns, and a call ends when it has taken more
than its budget. Real solutions never run this way. Used by hardening. Method: own; mutmut's timeouts are the
contrast.
"""

import ast
from functools import cache
from typing import TypeVar

from schemas.syntax import parse_source

STEP_LIMIT = "StepLimitExceeded"
STEP_SKIP = "StepLimitSkipped"
MAX_LIMIT_HITS = 3
"""Calls of one program that may run out of steps before the rest are skipped."""

_TICK = "__tick__"
_PRELUDE = """
class {limit_name}(BaseException): pass
class {skip_name}(BaseException): pass
class __Steps__:
    def __init__(self): self.taken = self.hits = 0
    def tick(self):
        self.taken += 1
        if self.taken > {limit}:
            self.hits += 1
            self.taken = 0
            raise {limit_name}("more than {limit} steps")
    def start(self):
        self.taken = 0
        if self.hits >= {hits}: raise {skip_name}("too many calls ran out of steps")
__steps__ = __Steps__()
{tick} = __steps__.tick
def __bounded__(target):
    def call(*args, **kwargs):
        __steps__.start()
        return target(*args, **kwargs)
    return call
def __counted__(target):
    def call(*args, **kwargs):
        __steps__.start()
        target(*args, **kwargs)
        return __steps__.taken
    return call
"""
_Scope = TypeVar("_Scope", ast.FunctionDef, ast.AsyncFunctionDef, ast.For, ast.AsyncFor, ast.While)


@cache
def make_prelude(*, limit: int, max_hits: int = MAX_LIMIT_HITS) -> str:
    """Return the source that must run before instrumented ones, in the same namespace.

    Its ``__bounded__`` and ``__counted__`` wrap an entry point. A call that takes more than ``limit`` steps raises
    `STEP_LIMIT` (a ``BaseException``); after ``max_hits`` such calls every further one raises `STEP_SKIP` at once.
    """
    return _PRELUDE.format(limit=limit, hits=max_hits, limit_name=STEP_LIMIT, skip_name=STEP_SKIP, tick=_TICK)


def instrument_source(source: str) -> str:
    """Return the source with counted steps; it needs what `make_prelude` returns.

    Raises:
        SyntaxError: the source doesn't parse.
    """
    return ast.unparse(_Ticker().visit(parse_source(source)))


def _tick() -> ast.expr:
    return ast.Call(func=ast.Name(id=_TICK, ctx=ast.Load()), args=[], keywords=[])


class _Ticker(ast.NodeTransformer):
    """Puts a tick at the start of every loop turn, function call and comprehension turn."""

    def _visit_scope(self, node: _Scope, place: int = 0) -> _Scope:
        self.generic_visit(node)
        node.body.insert(place, ast.Expr(value=_tick()))
        return node

    def visit_For(self, node: ast.For) -> ast.For:  # the visitor's protocol
        return self._visit_scope(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AsyncFor:
        return self._visit_scope(node)

    def visit_While(self, node: ast.While) -> ast.While:
        return self._visit_scope(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return self._visit_scope(node, 1 if ast.get_docstring(node, clean=False) is not None else 0)

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs.insert(0, ast.Compare(left=_tick(), ops=[ast.Is()], comparators=[ast.Constant(value=None)]))
        return node
