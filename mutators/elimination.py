"""Which rewritten tasks are refused before any of them is run.

Stands between a model's rewriting and the prover. Method: the elimination rules of Evol-Instruct (arXiv 2304.12244,
section 3.2) without a judge model: sameness is decided on normalised text and on the syntax tree of the reference.
Apologies and empty answers are caught where the answer is read.
"""

import ast
import re

from schemas.candidate import Candidate
from schemas.errors import ModelError
from schemas.syntax import parse_source

_WORD = re.compile(r"[a-z0-9]+")
_SAME = 0.95  # Jaccard of statement words from which a rewriting counts as the parent
_TEMPLATE = re.compile(
    r"\b(?:rewritten|reworked|original|parent) (?:task|problem|question|prompt|statement|solution)\b"
    r"|\b(?:given|new|previous) prompt\b|\bold rule\b|\bthe (?:task|solution) above\b"
    r"|\bsecond_solution\b|\bentry_point\b|</?(?:task|solution)>",
    re.IGNORECASE,
)


def refuse_poor_rewriting(child: Candidate, parent: Candidate) -> None:
    """Pass a rewriting that says something new and speaks of its subject only.

    Raises:
        ModelError: ``same_as_parent``, ``leaks_template`` or ``unchanged_reference``.
    """
    overlap = measure_overlap(child.statement, parent.statement)
    if overlap >= _SAME:
        raise ModelError(f"the statement shares {overlap:.0%} of its words with its parent", reason="same_as_parent")
    leak = _TEMPLATE.search(child.statement)
    if leak and not _TEMPLATE.search(parent.statement):
        raise ModelError(f"the statement speaks of {leak[0]!r}", reason="leaks_template")
    if normalise_code(child.reference) == normalise_code(parent.reference):
        raise ModelError("the reference solution is the parent's", reason="unchanged_reference")


def measure_overlap(left: str, right: str) -> float:
    """Return the Jaccard similarity of two texts' words in [0, 1], case and punctuation aside."""
    words_left, words_right = set(_WORD.findall(left.lower())), set(_WORD.findall(right.lower()))
    union = words_left | words_right
    return len(words_left & words_right) / len(union) if union else 1.0


def normalise_code(source: str) -> str:
    """Return the syntax tree as text, with names numbered in order and docstrings left out.

    Text that doesn't parse is returned without its blanks.
    """
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "".join(source.split())
    return ast.dump(_Renamer(_bound_names(tree)).visit(tree))


def _bound_names(tree: ast.AST) -> set[str]:
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    return bound


class _Renamer(ast.NodeTransformer):
    """Numbers the names that the code itself binds; builtins and modules keep theirs."""

    def __init__(self, bound: set[str]) -> None:
        self._bound = bound
        self._names: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(id=self._rename(node.id), ctx=node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(arg=self._rename(node.arg))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.name = self._rename(node.name)
        node.returns = None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        self.generic_visit(node)
        return node

    def _rename(self, name: str) -> str:
        return self._names.setdefault(name, f"n{len(self._names)}") if name in self._bound else name
