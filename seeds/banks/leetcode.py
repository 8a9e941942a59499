"""LeetCodeDataset rows, both published versions (v0.2.0 with ``meta``, v0.3.x with flat fields).

Tests are ``def check(candidate)`` with keyword calls; ``prompt`` is code that runs before the solution. Asserts that
build linked lists or trees with the prompt's own classes aren't plain data, so such rows run as suites and say so.
Floats get the site's tolerance of 1e-5. Source: Xia et al., arXiv 2504.14655.
"""

from collections.abc import Mapping
from dataclasses import replace

from schemas.candidate import Candidate
from schemas.source import SourceRef
from seeds.assembly import TaskText, assemble, check_reference
from seeds.banks.format import BankFormat, open_row, read_signature
from seeds.examples import labelled_calls
from seeds.fields import Fields
from seeds.task_tests import TestMaterial, tests_from_code

TOLERANCE = 1e-5


def parse(row: Mapping[str, object], ref: SourceRef) -> Candidate:
    """Return the candidate of a row.

    Raises:
        SeedError: a field is missing or wrong, or the row has no usable solution or test.
    """
    fields = open_row(row, ref)
    text = _text_of(fields)
    reference = check_reference(text.reference, fields.place)
    signature = read_signature(
        fields.text("entry_point"),
        starter=text.starter_code,
        reference=reference,
        preamble=fields.text("prompt"),
        statement=text.statement,
    )
    material = TestMaterial(
        place=fields.place,
        statement=text.statement,
        reference=reference,
        signature=signature,
        shown=labelled_calls(text.statement, signature.parameters),
        tolerance=TOLERANCE,
    )
    tests = tests_from_code(fields.text("test"), material)
    ref = replace(ref, original_id=fields.label("task_id"))
    return assemble(text, tests, signature=signature, ref=ref, place=fields.place)


def _text_of(fields: Fields) -> TaskText:
    if fields.has("meta") and not fields.has("problem_description"):
        meta = fields.nested("meta")
        return TaskText(
            statement=meta.text("question_title"),
            reference=fields.text("completion"),
            title=fields.label("task_id"),
            starter_code=meta.text("lang_code", ""),
            difficulty=meta.text("difficulty", ""),
        )
    return TaskText(
        statement=fields.text("problem_description"),
        reference=fields.text("completion"),
        title=fields.label("task_id"),
        starter_code=fields.text("starter_code", ""),
        difficulty=fields.text("difficulty", ""),
        tags=fields.texts("tags", []),
    )


FORMAT = BankFormat(name="leetcode", parse=parse, benchmark_splits=frozenset({"test"}))
