"""Parses Python source in a process with many threads.

CPython before 3.11.9 and 3.12.2 counts the recursion depth of the syntax tree per process: when a callback of the
garbage collector lets another thread parse in between, `ast.parse` raises a SystemError for sound source. Asking again
is the remedy. Method: own; the defect is CPython's gh-106905.
"""

import ast
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_ATTEMPTS = 8
_LOCK = threading.Lock()  # the filters of warnings belong to the whole process


@contextmanager
def silence_warnings() -> Iterator[None]:
    """Keep warnings about a source silent inside the block; one thread at a time, since filters are the process's."""
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def parse_source(source: str | bytes) -> ast.Module:
    """Return the syntax tree of a module; warnings about the source are silent.

    Raises:
        SyntaxError: it isn't Python of this version.
        ValueError: it holds null bytes.
        RecursionError: it's nested too deeply.
        MemoryError: the parser gave up on it.
    """
    tree = _parse(source, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def parse_expression(source: str) -> ast.expr:
    """Return the syntax tree of one expression.

    Raises:
        SyntaxError: it isn't one Python expression.
        ValueError: it holds null bytes.
        RecursionError: it's nested too deeply.
        MemoryError: the parser gave up on it.
    """
    tree = _parse(source, "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def _parse(source: str | bytes, mode: str) -> ast.AST:
    for _ in range(_ATTEMPTS - 1):
        try:
            return _parse_once(source, mode)
        except SystemError:
            continue
    return _parse_once(source, mode)


def _parse_once(source: str | bytes, mode: str) -> ast.AST:
    with silence_warnings():
        tree: ast.AST = compile(source, "<source>", mode, ast.PyCF_ONLY_AST, dont_inherit=True)
    return tree
