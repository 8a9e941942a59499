"""How hard a task looks from its structure, and where in the curriculum it belongs.

The score stage. Nothing is run and no model is asked: the score is a weighted mean of saturating counts, with the
provenance ``structural``. Method: own weights; cyclomatic complexity after McCabe 1976.
"""

import ast
import math
import re
from dataclasses import dataclass

from schemas.candidate import RepositoryMutation
from schemas.proven import Proven
from schemas.syntax import parse_source
from schemas.task import Difficulty
from transforms.curation.lexing import count_code_lines, lex_code

PHASE_ONE_LINES = 30
"""Longest solution, in lines of code, of a phase 1 task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One count of the score: ``weight * min(1, log(1 + count) / log(1 + saturation))``."""

    name: str
    weight: float
    saturation: int


COMPONENTS = (
    Component(name="solution_lines", weight=0.30, saturation=80),
    Component(name="files_touched", weight=0.15, saturation=6),
    Component(name="cyclomatic", weight=0.25, saturation=30),
    Component(name="tests_needed", weight=0.10, saturation=20),
    Component(name="reasoning_chars", weight=0.20, saturation=40_000),
)
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.match_case)
_BRANCH_WORDS = frozenset(["if", "elif", "for", "while", "except", "case", "and", "or", "catch", "assert"])
_OLD_FILE = re.compile(r"^--- (?:a/)?(.+?)(?:\t.*)?$", re.MULTILINE)
_NEW_FILE = re.compile(r"^\+\+\+ (?:b/)?(.+?)(?:\t.*)?$", re.MULTILINE)


def count_cyclomatic(source: str) -> int:
    """Return 1 plus the decision points of a source text, all its functions together.

    A decision point is an ``if`` (statement, expression or comprehension filter), a loop (also a comprehension's), an
    ``except``, ``assert`` or ``case``, and each ``and``/``or``. Text that isn't Python is counted by keywords.
    """
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return 1 + sum(text in _BRANCH_WORDS for text in lex_code(source).texts)
    points = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp):
            points += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            points += 1 + len(node.ifs)
        else:
            points += isinstance(node, _BRANCHES)
    return 1 + points


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    solution_lines: int
    files_touched: int
    cyclomatic: int
    tests_needed: int
    reasoning_chars: int

    def score(self) -> float:
        """Return the score in [0, 1]; the weight of a count that nobody took goes to the others."""
        known = [item for item in COMPONENTS if item.name != "reasoning_chars" or self.reasoning_chars > 0]
        total = sum(
            item.weight * min(1.0, math.log1p(getattr(self, item.name)) / math.log1p(item.saturation)) for item in known
        )
        return round(total / sum(item.weight for item in known), 4)


def _patched_files(patch: str) -> int:
    names = {*_OLD_FILE.findall(patch), *_NEW_FILE.findall(patch)} - {"/dev/null"}
    return max(1, len(names))


def _count_mutation(mutation: RepositoryMutation) -> tuple[int, int, int]:
    """Return changed lines, files and complexity of the fix patch.

    A changed line is an added or removed one, the larger number of the two. The complexity is that of the fixed side
    of the hunks (added and context lines), counted by keywords, since a hunk alone doesn't parse.
    """
    added, removed, fixed_side = 0, 0, []
    for line in mutation.fix_patch.splitlines():
        if line.startswith(("+++", "---", "diff ", "index ", "@@", "\\")):
            continue
        added += line.startswith("+")
        removed += line.startswith("-")
        if not line.startswith("-"):
            fixed_side.append(line[1:])
    decisions = sum(text in _BRANCH_WORDS for text in lex_code("\n".join(fixed_side)).texts)
    return max(added, removed), _patched_files(mutation.fix_patch), 1 + decisions


def assign_phase(record: Proven, *, solution_lines: int, files_touched: int) -> int:
    """Return the curriculum phase.

    1: function, program or suite task with a solution of at most 30 lines. 2: a longer one, or a repository bug in one
    file. 3: a repository bug over several files. 4 (agents over many turns) has no task here.
    """
    if record.candidate.mutation is None:
        return 1 if solution_lines <= PHASE_ONE_LINES else 2
    return 2 if files_touched == 1 else 3


def score_difficulty(record: Proven, *, tests_needed: int | None = None) -> Difficulty:
    """Return the structural difficulty of a proven task.

    Args:
        tests_needed: how many tests a greedy cover of the killed mutants needs; None takes the number of hidden tests,
            which bounds it. A repository task always takes its failing tests.
    """
    candidate = record.candidate
    hidden = sum(not case.public for case in record.tests)
    needed = hidden if tests_needed is None else tests_needed
    if candidate.mutation is not None:
        lines, files, cyclomatic = _count_mutation(candidate.mutation)
        needed = len(record.repository.fail_to_pass) if record.repository is not None else needed
    else:
        lines, files = count_code_lines(candidate.reference), 1
        cyclomatic = count_cyclomatic(candidate.reference)
    counts = _Counts(
        solution_lines=lines,
        files_touched=files,
        cyclomatic=cyclomatic,
        tests_needed=needed,
        reasoning_chars=candidate.generation.reasoning_chars if candidate.generation is not None else 0,
    )
    return Difficulty(
        score=counts.score(),
        provenance="structural",
        solution_lines=lines,
        files_touched=files,
        cyclomatic=cyclomatic,
        tests_needed=needed,
        reasoning_chars=counts.reasoning_chars,
        phase=assign_phase(record, solution_lines=lines, files_touched=files),
    )
