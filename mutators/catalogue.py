"""The table of operators for the documentation: ``python -m mutators.catalogue > docs/operators.md``.

Method: own.
"""

import difflib
import sys
from collections.abc import Iterator
from itertools import groupby

from mutators.base import MutationOperator
from mutators.registry import OPERATORS

_THEMES = {
    "control": "Branches and loops",
    "condition": "Conditions",
    "statement": "Statements",
    "exception": "Error handling",
    "bound": "Bounds and numbers",
    "expression": "Operands and elements",
    "call": "Calls",
    "name": "Names",
    "mutmut": "From mutmut 3.8.1",
}
_HEAD = """# Mutation operators

Each operator breaks working code in one place. `operators:` of a repository source takes these names; without it, all
are used. Docstrings, annotations, imports, decorators, `__all__`, versions, `TYPE_CHECKING` blocks, logging calls and
lines with `# pragma: no mutate` are never changed; in repositories neither is code outside functions. A mutant that
doesn't compile, or that compiles to the bytecode of the original, is dropped before it runs.

This file is written by `python -m mutators.catalogue`; a test compares them.
"""


def render_catalogue() -> str:
    """Return the documentation of all operators as Markdown, grouped by theme."""
    order = list(_THEMES)
    operators = sorted(
        (operator for _, operator in OPERATORS), key=lambda operator: (order.index(operator.theme), operator.name)
    )
    parts = [_HEAD]
    for theme, group in groupby(operators, key=lambda operator: operator.theme):
        parts.append(f"\n## {_THEMES[theme]}\n\n| name | what it does | example |\n| --- | --- | --- |\n")
        parts += [f"| `{operator.name}` | {_cell(operator.summary)} | {_example(operator)} |\n" for operator in group]
    return "".join(parts)


def _example(operator: MutationOperator) -> str:
    """Return the changed lines of the example, before and after an arrow; the whole body where lines only move."""
    before, after = operator.before.splitlines(), operator.after.splitlines()
    removed, added = [], []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            removed += before[i1:i2]
            added += after[j1:j2]
    if {line.strip() for line in removed} == {line.strip() for line in added}:
        removed, added = before[1:], after[1:]
    return f"{_code(removed)} → {_code(added)}"


def _code(lines: list[str]) -> str:
    return "<br>".join(_lines(lines)) or "nothing"


def _lines(lines: list[str]) -> Iterator[str]:
    depth = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    for line in lines:
        text = line[depth:].lstrip()
        indent = "&nbsp;" * (len(line) - depth - len(text))
        yield f"{indent}`{_cell(text)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render_catalogue())
