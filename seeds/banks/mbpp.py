"""MBPP-style rows, full (``text``) and sanitized (``prompt``): a sentence, a solution and a list of asserts.

The entry point is the first function of the solution that the asserts call. MBPP itself is a benchmark: the config must
allow it by name before it's read as training material. Source: Austin et al., arXiv 2108.07732.
"""

from collections.abc import Mapping
from dataclasses import replace

from schemas.candidate import Candidate
from schemas.source import SourceRef
from seeds.assembly import TaskText, assemble, check_reference
from seeds.asserts import called_functions, defined_functions
from seeds.banks.format import BankFormat, open_row, read_signature
from seeds.examples import written_calls
from seeds.fields import Fields
from seeds.python_source import parse_module, unify_line_ends
from seeds.task_tests import TestMaterial, tests_from_code


def parse(row: Mapping[str, object], ref: SourceRef) -> Candidate:
    """Return the candidate of a row.

    Raises:
        SeedError: a field is missing or wrong, or the row has no usable solution or test.
    """
    fields = open_row(row, ref)
    statement = fields.text("text" if fields.has("text") else "prompt")
    reference = check_reference(fields.text("code"), fields.place)
    code = _test_code(fields)
    entry_point = _entry_point(code, reference, fields)
    signature = read_signature(entry_point, starter="", reference=reference, preamble="")
    material = TestMaterial(
        place=fields.place,
        statement=statement,
        reference=reference,
        signature=signature,
        shown=written_calls(statement, entry_point, signature.parameters),
    )
    tests = tests_from_code(code, material)
    text = TaskText(statement=statement, reference=reference, title=entry_point)
    ref = replace(ref, original_id=fields.label("task_id"))
    return assemble(text, tests, signature=signature, ref=ref, place=fields.place)


def _test_code(fields: Fields) -> str:
    asserts = [*fields.texts("test_list"), *fields.texts("challenge_test_list", [])]
    if not asserts:
        raise fields.fail("test_list", "is empty: there are no tests", reason="empty_tests")
    setup = [*fields.texts("test_imports", []), fields.text("test_setup_code", "")]
    return unify_line_ends("\n".join(part for part in [*setup, *asserts] if part.strip()))


def _entry_point(code: str, reference: str, fields: Fields) -> str:
    module = parse_module(reference)
    called = called_functions(code, defined_functions(module) if module else frozenset())
    if not called:
        raise fields.fail("test_list", "calls no function that the code defines", reason="no_entry_point")
    return called[0]


FORMAT = BankFormat(name="mbpp", parse=parse, benchmark=True)
