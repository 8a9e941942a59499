"""Compiling text without warnings, and telling whether two compiled texts mean the same.

Used to check candidates: a mutant that doesn't compile or compiles to the same bytecode is dropped before anything
runs. Method: own; bytecode comparison after Trivial Compiler Equivalence (Papadakis et al., ICSE 2015).
"""

import ast
from types import CodeType

from schemas.syntax import parse_source, silence_warnings

_BAD_SOURCE = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError)
_MOST_BITS = 14_000  # less than 4,300 digits, beyond which repr and ast.unparse fail


def parse_error(source: bytes | str) -> tuple[int, int, str] | None:
    """Return line, column and message of what keeps the source from being parsed; None when it parses."""
    try:
        tree = parse_source(source)
    except SyntaxError as error:
        return error.lineno or 1, error.offset or 1, error.msg
    except _BAD_SOURCE as error:
        return 1, 1, str(error)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value.bit_length() > _MOST_BITS:
            return node.lineno, node.col_offset + 1, "an integer of more digits than Python writes"
    return None


def compile_quietly(source: bytes | str) -> CodeType | None:
    """Return the compiled module; None when it doesn't compile."""
    try:
        with silence_warnings():
            return compile(source, "<mutant>", "exec", dont_inherit=True, optimize=0)
    except _BAD_SOURCE:
        return None


def bytecode_key(code: CodeType) -> tuple[object, ...]:
    """Return a value that is equal for two modules exactly if they do the same, line numbers aside."""
    constants = tuple(
        bytecode_key(constant) if isinstance(constant, CodeType) else (type(constant).__name__, repr(constant))
        for constant in code.co_consts
    )
    return (
        code.co_code,
        constants,
        code.co_names,
        code.co_varnames,
        code.co_cellvars,
        code.co_freevars,
        code.co_flags,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_name,
        code.co_exceptiontable,
    )
