"""APPS rows, and rows of the same shape such as TACO's.

``solutions`` and ``input_output`` are JSON in text. Without ``fn_name`` the inputs are standard inputs, with it they
are argument lists and the outputs are values, often wrapped in a list of one. The reference is the first solution that
is Python 3 and defines what the tests call; up to eight further ones are kept. Source: Hendrycks et al.,
arXiv 2105.09938; TACO: arXiv 2312.14852.
"""

import ast
from collections.abc import Mapping
from dataclasses import replace

from schemas.candidate import Candidate, Signature
from schemas.source import SourceRef
from seeds.assembly import TaskText, assemble, choose_python3
from seeds.assert_shapes import AssertedCall, PendingCall
from seeds.banks.format import BankFormat, open_row, read_signature
from seeds.examples import labelled_calls, shown_inputs, written_calls
from seeds.fields import Fields
from seeds.python_source import find_function, parse_module, returned_container
from seeds.task_tests import TaskTests, TestMaterial, tests_from_calls, tests_from_streams

PREAMBLE = """\
import bisect, collections, copy, datetime, functools, heapq, itertools, math, operator, random, re, string, sys, time
from bisect import bisect_left, bisect_right, insort
from collections import Counter, OrderedDict, defaultdict, deque
from functools import lru_cache, reduce
from heapq import heapify, heappop, heappush
from itertools import accumulate, combinations, permutations, product
from math import inf
from typing import *
"""
"""What the published grader gives a called function."""


def parse(row: Mapping[str, object], ref: SourceRef) -> Candidate:
    """Return the candidate of a row.

    Raises:
        SeedError: a field is missing or wrong, there is no usable solution or test, or several answers are right.
    """
    fields = open_row(row, ref)
    statement = fields.text("question")
    solutions = _solutions(fields)
    content = fields.json_text("input_output")
    if content is None:
        raise fields.fail("input_output", "is empty: there are no tests", reason="empty_tests")
    tests = fields.wrap("input_output", content)
    starter = fields.text("starter_code", "")
    ref = replace(ref, original_id=_original_id(fields), url=fields.text("url", ""))
    text = TaskText(
        statement=statement,
        reference=solutions[0],
        alternatives=solutions[1:],
        title=fields.text("name", ""),
        starter_code=starter,
        difficulty=fields.text("difficulty", ""),
        tags=_tags(fields),
    )
    if tests.has("fn_name"):
        return _call_based(text, tests, fields, ref)
    if starter.strip():
        message = "asks for a function, but the tests name none"
        raise fields.fail("starter_code", message, reason="no_entry_point")
    return _stdin_based(text, tests, fields, ref)


def _solutions(fields: Fields) -> tuple[str, ...]:
    """Return the solutions that are Python 3, at least one."""
    content = fields.json_text("solutions")
    given = Fields({"solutions": content or []}, fields.place).texts("solutions")
    if not given:
        raise fields.fail("solutions", "is empty: there is no reference", reason="no_reference")
    usable = choose_python3(given)
    if not usable:
        raise fields.fail("solutions", f"holds {len(given)}, none of them Python 3", reason="reference_syntax")
    return usable


def _original_id(fields: Fields) -> str:
    name = next((name for name in ("problem_id", "task_id", "id") if fields.has(name)), "problem_id")
    return fields.label(name)


def _tags(fields: Fields) -> tuple[str, ...]:
    """Return TACO's tags, which are the text of a Python list; APPS has none."""
    text = fields.row.get("tags")
    if not isinstance(text, str) or not text.strip():
        return ()
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return (text,)
    return tuple(str(item) for item in value) if isinstance(value, list) else (text,)


def _paired(tests: Fields) -> list[tuple[object, object]]:
    inputs, outputs = tests.items("inputs"), tests.items("outputs")
    if len(inputs) != len(outputs):
        message = f"has {len(inputs)} entries and outputs {len(outputs)}"
        raise tests.fail("inputs", message, reason="unequal_tests")
    if not inputs:
        raise tests.fail("inputs", "is empty: there are no tests", reason="empty_tests")
    return list(zip(inputs, outputs, strict=True))


def _stdin_based(text: TaskText, tests: Fields, fields: Fields, ref: SourceRef) -> Candidate:
    pairs = [(_stream(tests, "inputs", given), _stream(tests, "outputs", wanted)) for given, wanted in _paired(tests)]
    material = _material(text, Signature(entry_point=""), fields)
    made = tests_from_streams(pairs, material)
    shown = shown_inputs(text.statement, made.tests)
    made = tests_from_streams(pairs, replace(material, shown=shown))
    return assemble(text, made, signature=None, ref=ref, place=fields.place)


def _stream(tests: Fields, name: str, value: object) -> str:
    """Return a stream's text; the published grader joins a list of lines."""
    if isinstance(value, list):
        return "\n".join(Fields({name: value}, tests.place).texts(name))
    if not isinstance(value, str):
        raise tests.wrong_type(name, value, "text or a list of lines")
    return value


def _material(text: TaskText, signature: Signature, fields: Fields) -> TestMaterial:
    return TestMaterial(place=fields.place, statement=text.statement, reference=text.reference, signature=signature)


def _call_based(text: TaskText, tests: Fields, fields: Fields, ref: SourceRef) -> Candidate:
    entry_point, solutions = _choose_entry(tests.text("fn_name"), (text.reference, *text.alternatives), fields)
    text = replace(text, reference=solutions[0], alternatives=solutions[1:])
    signature = read_signature(
        entry_point,
        starter=text.starter_code,
        reference=text.reference,
        preamble=PREAMBLE,
        statement=text.statement,
    )
    calls = _calls(tests, text.reference, signature)
    name = tests.text("fn_name")
    shown = labelled_calls(text.statement, signature.parameters)
    shown |= written_calls(text.statement, name, signature.parameters)
    found = tests_from_calls(calls, replace(_material(text, signature, fields), shown=shown))
    if not isinstance(found, TaskTests):
        raise tests.fail("outputs", f"can't be compared: {found}", reason="wrong_type")
    return assemble(text, found, signature=signature, ref=ref, place=fields.place)


def _choose_entry(name: str, solutions: tuple[str, ...], fields: Fields) -> tuple[str, tuple[str, ...]]:
    """Return the entry point and the solutions that define it, as the first fitting solution spells it."""
    for solution in solutions:
        for entry_point in (f"Solution().{name}", name):
            if _defines(solution, entry_point):
                return entry_point, tuple(source for source in solutions if _defines(source, entry_point))
    raise fields.fail("solutions", f"define no function {name!r}", reason="no_entry_point")


def _defines(source: str, entry_point: str) -> bool:
    module = parse_module(source)
    return module is not None and find_function(module, entry_point) is not None


def _calls(tests: Fields, reference: str, signature: Signature) -> list[AssertedCall]:
    pairs = _paired(tests)
    module = parse_module(reference)
    node = find_function(module, signature.entry_point) if module else None
    container = returned_container(node) if node else None
    outputs = _unwrap([wanted for _, wanted in pairs], signature.returns, returns_list=container is list)
    calls = []
    for (given, _), wanted in zip(pairs, outputs, strict=True):
        if not isinstance(given, list):
            raise tests.wrong_type("inputs", given, "a list of arguments")
        expected = tuple(wanted) if container is tuple and isinstance(wanted, list) else wanted
        calls.append(AssertedCall(call=PendingCall(args=tuple(given)), expected=expected))
    return calls


def _unwrap(outputs: list[object], returns: str, *, returns_list: bool) -> list[object]:
    """Return the values without the list of one around each, unless the result itself is such a list.

    Args:
        returns: the declared result, empty when unknown.
        returns_list: whether the reference evidently returns a list.
    """
    lists = [value for value in outputs if isinstance(value, list) and len(value) == 1]
    if len(lists) < len(outputs):
        return outputs
    is_list = returns_list or returns.removeprefix("typing.").lower().startswith("list")
    holds_lists = all(isinstance(value[0], list) for value in lists)
    if is_list and ("[list" in returns.lower() or not holds_lists):
        return outputs
    return [value[0] for value in lists]


FORMAT = BankFormat(name="apps", parse=parse, benchmark_splits=frozenset({"test"}))
