"""Writes the test file of a row whose test code couldn't be parsed into cases.

The file is trusted: it's laid beside the solution, which is the preamble followed by the solver's code. It takes from
the solution nothing but the names that the tests need and the reference defines; imports and the preamble's own code
are repeated in it, so that a solution can't replace them. Where the asserts stand alone, each becomes one test. Method:
own.
"""

import ast
import builtins
from collections.abc import Sequence

from schemas.candidate import Suite, SuiteFile
from seeds.python_source import FunctionNode, bound_names, loaded_names, parse_module

SUITE_PATH = "test_solution.py"

_HARMLESS = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef)


def build_suite(test_code: str, *, entry_point: str, preamble: str, reference: str, why: str) -> Suite | None:
    """Return the suite of a test code, or None when it isn't Python 3 or asserts nothing.

    Args:
        test_code: asserts at the top, or a function ``check(candidate)``.
        entry_point: ``two_sum`` or ``Solution().twoSum``.
        preamble: code that runs before the solution.
        why: why the code couldn't be parsed into cases.
    """
    module = parse_module(test_code)
    if module is None or not any(isinstance(node, ast.Assert) for node in ast.walk(module)):
        return None
    check = next((n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == "check"), None)
    tests = _check_tests(module, check, entry_point) if check is not None else _plain_tests(module)
    parts = [*_imports_from(preamble, module, reference, entry_point), preamble.strip(), *tests]
    content = "\n\n".join(part for part in parts if part) + "\n"
    return Suite(files=(SuiteFile(path=SUITE_PATH, content=content),), why=why)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _split(body: Sequence[ast.stmt], setup: Sequence[str]) -> list[str]:
    """Return one test function per assert, each after the same set-up lines."""
    asserts = [ast.unparse(node) for node in body if isinstance(node, ast.Assert)]
    return [_function(f"test_{number:03}", [*setup, text]) for number, text in enumerate(asserts, 1)]


def _function(name: str, lines: Sequence[str]) -> str:
    body = "\n".join(f"    {line}" for text in lines for line in text.splitlines())
    return f"def {name}():\n{body}"


def _check_tests(module: ast.Module, check: ast.FunctionDef, entry_point: str) -> list[str]:
    rest = [ast.unparse(node) for node in module.body if node is not check and not isinstance(node, ast.Expr | ast.If)]
    body = [node for node in check.body if not _is_text(node)]
    parameter = check.args.args[0].arg if check.args.args else "candidate"
    if all(isinstance(node, ast.Assert | ast.Import | ast.ImportFrom) for node in body):
        imports = [ast.unparse(node) for node in body if not isinstance(node, ast.Assert)]
        return [*rest, *_split(body, [*imports, f"{parameter} = {entry_point}"])]
    return [*rest, ast.unparse(check), _function("test_check", [f"check({entry_point})"])]


def _plain_tests(module: ast.Module) -> list[str]:
    body = [node for node in module.body if not _is_text(node)]
    if any(isinstance(n, FunctionNode) and n.name.startswith("test") for n in body):
        return [ast.unparse(node) for node in body]
    if all(isinstance(node, (ast.Assert, *_HARMLESS)) for node in body):
        rest = [ast.unparse(node) for node in body if not isinstance(node, ast.Assert)]
        return [*rest, *_split(body, [])]
    hoisted = [ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = [ast.unparse(node) for node in body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return [*hoisted, _function("test_all", lines)]


def _imports_from(preamble: str, tests: ast.Module, reference: str, entry_point: str) -> list[str]:
    """Return the import lines of the names that the tests read and only the solution binds."""
    given = parse_module(preamble) or ast.Module(body=[], type_ignores=[])
    solution = parse_module(reference) or ast.Module(body=[], type_ignores=[])
    bound = bound_names(tests) | bound_names(given) | frozenset(dir(builtins))
    root = entry_point.split("(", maxsplit=1)[0].split(".", maxsplit=1)[0]
    wanted = (loaded_names(tests) - bound) | {root}
    imports = [
        ast.unparse(node)
        for node in solution.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        and any((alias.asname or alias.name).split(".")[0] in wanted for alias in node.names)
    ]
    defined = sorted(wanted & _defined(solution) | {root})
    return ["\n".join([*imports, f"from solution import {', '.join(defined)}"])]


def _defined(module: ast.Module) -> frozenset[str]:
    body: list[ast.stmt] = [n for n in module.body if not isinstance(n, ast.Import | ast.ImportFrom)]
    top = [n.name for n in body if isinstance(n, FunctionNode | ast.ClassDef)]
    assigned = [t.id for n in body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)]
    return frozenset(top + assigned)
