"""Puts the parts of a task together, checks what every task must have, and gives it the id of its content.

Last step of every bank format and of the curated reader. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from schemas.candidate import Candidate, Signature
from schemas.canonical import content_id
from schemas.errors import SeedError
from schemas.source import SourceRef
from seeds.python_source import parse_module, unify_line_ends
from seeds.task_tests import TaskTests

MAX_ALTERNATIVES = 8
"""Further right solutions that a task keeps, in the order of the source."""
MAX_CONSIDERED = 64
"""Solutions among which they are looked for; some rows have hundreds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskText:
    """What a source says about a task beside its tests."""

    statement: str
    reference: str
    title: str = ""
    starter_code: str = ""
    alternatives: tuple[str, ...] = ()
    difficulty: str = ""
    domain: str = "algorithms"
    tags: tuple[str, ...] = field(default=())


def assemble(text: TaskText, tests: TaskTests, *, signature: Signature | None, ref: SourceRef, place: str) -> Candidate:
    """Return the candidate.

    Args:
        signature: None for stdin tasks.
        place: what messages call the row.

    Raises:
        SeedError: ``empty_statement``, ``not_utf8``, ``no_reference`` or ``reference_syntax``.
    """
    if not text.statement.strip():
        raise SeedError(f"{place}: the statement is empty", reason="empty_statement")
    reference = check_reference(text.reference, place)
    for part in (text.statement, reference, text.starter_code, text.title):
        refuse_surrogates(part, place)
    return Candidate(
        record_id=_identify(text, tests, signature, reference),
        source=ref,
        style=tests.style,
        statement=text.statement.strip(),
        title=text.title,
        domain=text.domain,
        declared_difficulty=text.difficulty,
        tags=text.tags,
        signature=signature,
        starter_code=unify_line_ends(text.starter_code),
        tests=tests.tests,
        suite=tests.suite,
        checker=tests.checker,
        reference=reference,
        alternatives=choose_python3(text.alternatives)[:MAX_ALTERNATIVES],
    )


def _identify(text: TaskText, tests: TaskTests, signature: Signature | None, reference: str) -> str:
    """Return the content id: whatever a proof depends on, and the statement."""
    entry = [signature.entry_point, signature.preamble] if signature else []
    cases = [[case.input, case.expected] for case in tests.tests]
    files = [[file.path, file.content] for file in tests.suite.files] if tests.suite else []
    checker = [tests.checker.name.value, tests.checker.rel_tol, tests.checker.abs_tol]
    return content_id("cand", [text.statement.strip(), tests.style.value, entry, reference, cases, files, checker])


def check_reference(source: str, place: str) -> str:
    """Return the reference with LF line ends.

    Raises:
        SeedError: ``no_reference`` when it's empty, ``reference_syntax`` when it isn't Python 3.
    """
    if not source.strip():
        raise SeedError(f"{place}: there is no reference solution", reason="no_reference")
    unified = unify_line_ends(source)
    if parse_module(unified) is None:
        raise SeedError(f"{place}: the reference solution isn't Python 3", reason="reference_syntax")
    return unified


def choose_python3(sources: Sequence[str]) -> tuple[str, ...]:
    """Return the first `MAX_CONSIDERED` solutions that are Python 3, with LF line ends, each text once."""
    unified = dict.fromkeys(unify_line_ends(source) for source in sources if source.strip())
    return tuple(islice((source for source in unified if parse_module(source) is not None), MAX_CONSIDERED))


def refuse_surrogates(text: str, place: str) -> None:
    """Do nothing for text that UTF-8 can hold.

    Raises:
        SeedError: ``not_utf8``.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        where = text[max(0, error.start - 20) : error.start]
        raise SeedError(f"{place}: text holds half a surrogate pair after {where!r}", reason="not_utf8") from error
