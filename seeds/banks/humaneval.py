"""HumanEval-style rows: a function header with docstring, its body, and ``def check(candidate)``.

HumanEval itself is a benchmark: the config must allow it by name before it's read as training material. Source: Chen
et al., arXiv 2107.03374.
"""

import ast
from collections.abc import Mapping
from dataclasses import replace

from schemas.candidate import Candidate
from schemas.source import SourceRef
from seeds.assembly import TaskText, assemble, check_reference
from seeds.banks.format import BankFormat, open_row, read_signature
from seeds.examples import written_calls
from seeds.python_source import find_function, parse_module
from seeds.task_tests import TestMaterial, tests_from_code


def parse(row: Mapping[str, object], ref: SourceRef) -> Candidate:
    """Return the candidate of a row; everything above the header is its preamble.

    Raises:
        SeedError: a field is missing or wrong, or the row has no usable solution or test.
    """
    fields = open_row(row, ref)
    prompt, entry_point = fields.text("prompt"), fields.text("entry_point")
    reference = check_reference(prompt + fields.text("canonical_solution"), fields.place)
    module = parse_module(reference)
    node = find_function(module, entry_point) if module else None
    if node is None:
        raise fields.fail("entry_point", f"{entry_point!r} isn't defined by the prompt", reason="no_entry_point")
    preamble = "".join(reference.splitlines(keepends=True)[: node.lineno - 1]).strip()
    signature = read_signature(entry_point, starter="", reference=reference, preamble=preamble)
    statement = ast.get_docstring(node) or prompt
    material = TestMaterial(
        place=fields.place,
        statement=statement,
        reference=reference,
        signature=signature,
        shown=written_calls(statement, entry_point, signature.parameters),
    )
    tests = tests_from_code(fields.text("test"), material)
    text = TaskText(statement=statement, reference=reference, starter_code=prompt, title=entry_point)
    ref = replace(ref, original_id=fields.label("task_id"))
    return assemble(text, tests, signature=signature, ref=ref, place=fields.place)


FORMAT = BankFormat(name="humaneval", parse=parse, benchmark=True)
