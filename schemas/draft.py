"""A specification that a model wrote, made into a candidate.

Stands between `Specification` and `Candidate`: examples become encoded test cases, constraint rows are checked and put
into the statement, and what contradicts itself is refused before a sandbox is spent on it. Nothing is executed here.
Method: own.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.candidate import (
    Candidate,
    Checker,
    CheckerName,
    Constraint,
    Generation,
    Parameter,
    Signature,
    TaskStyle,
    TestCase,
    TestOrigin,
)
from schemas.canonical import canonical_json, content_id
from schemas.constraints import check_constraint, describe_constraints, find_violation
from schemas.errors import ModelError, SchemaError
from schemas.source import SourceRef
from schemas.specification import ConstraintAnswer, FunctionSpecification, Specification, StdinSpecification
from schemas.syntax import parse_expression, parse_source
from schemas.values import EncodingError, encode_call, encode_exception, encode_text, encode_value

_RAISES = re.compile(r"raises ([A-Za-z_][A-Za-z0-9_]*)\Z")
_TOLERANCE = 1e-9  # of the float checkers; models state none
_PUBLIC_SHARE = 3  # one example in three is shown
_TOLERANT = (CheckerName.FLOAT, CheckerName.TOKENS_FLOAT)
_CHECKERS = {
    TaskStyle.FUNCTION: (CheckerName.EXACT, CheckerName.FLOAT, CheckerName.UNORDERED),
    TaskStyle.STDIN: (
        CheckerName.LINES,
        CheckerName.TOKENS,
        CheckerName.TOKENS_CASELESS,
        CheckerName.TOKENS_FLOAT,
        CheckerName.EXACT,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """What a candidate inherits from the topic or the parent that it was made for."""

    source: SourceRef
    generation: Generation
    domain: str = "algorithms"
    declared_difficulty: str = ""
    tags: tuple[str, ...] = ()
    parent_ids: tuple[str, ...] = ()
    family_key: str = ""
    variant_role: str = ""


def draft_candidate(specification: Specification, lineage: Lineage) -> Candidate:
    """Return the candidate; its first examples are public.

    Raises:
        ModelError: ``invalid_spec``: an example isn't a call of literals, breaks a bound, or contradicts another one.
    """
    if isinstance(specification, FunctionSpecification):
        style, signature = TaskStyle.FUNCTION, _read_signature(specification)
        tests = tuple(_read_call(specification, signature, number) for number in range(len(specification.examples)))
    else:
        style, signature, tests = TaskStyle.STDIN, None, tuple(_read_streams(specification))
    statement = _complete_statement(specification.statement, signature)
    tests = _show_some(_merge(tests))
    second = specification.second_solution.strip()
    checker = _read_checker(specification.checker, style)
    return Candidate(
        record_id=_identify(specification, lineage, statement, tests, checker),
        source=lineage.source,
        style=style,
        statement=statement,
        title=specification.title.strip(),
        domain=lineage.domain,
        declared_difficulty=lineage.declared_difficulty,
        tags=tuple(dict.fromkeys((*lineage.tags, *specification.tags))),
        signature=signature,
        tests=tests,
        checker=checker,
        reference=specification.reference,
        alternatives=(specification.second_solution,) if second else (),
        generation=lineage.generation,
        parent_ids=lineage.parent_ids,
        family_key=lineage.family_key,
        variant_role=lineage.variant_role,
    )


def _identify(
    specification: Specification, lineage: Lineage, statement: str, tests: tuple[TestCase, ...], checker: Checker
) -> str:
    """Return the content id: the statement, whatever a proof depends on, and the parent."""
    entry = specification.entry_point if isinstance(specification, FunctionSpecification) else ""
    cases = [[test.input, test.expected] for test in tests]
    parts = [statement, entry, specification.reference, cases, checker.name.value, list(lineage.parent_ids)]
    return content_id("cand", parts)


def _invalid(place: str, what: str) -> ModelError:
    return ModelError(f"{place}: {what}", reason="invalid_spec")


def _complete_statement(statement: str, signature: Signature | None) -> str:
    bounds = describe_constraints(signature.parameters) if signature else ""
    return statement.strip() + (f"\n\n## Constraints\n\n{bounds}" if bounds else "")


def _read_checker(name: CheckerName, style: TaskStyle) -> Checker:
    allowed = _CHECKERS[style]
    chosen = name if name in allowed and (style, name) != (TaskStyle.STDIN, CheckerName.EXACT) else allowed[0]
    tolerance = _TOLERANCE if chosen in _TOLERANT else 0.0
    return Checker(name=chosen, rel_tol=tolerance, abs_tol=tolerance)


def _read_signature(specification: FunctionSpecification) -> Signature:
    if specification.entry_point not in _defined_names(specification.reference):
        raise _invalid("reference", f"defines no {specification.entry_point!r}")
    names = [parameter.name for parameter in specification.parameters]
    if len(set(names)) != len(names):
        raise _invalid("parameters", "a name stands twice")
    parameters = []
    for number, parameter in enumerate(specification.parameters):
        rows = tuple(
            _read_constraint(row, f"parameters.{number}.constraints.{index}")
            for index, row in enumerate(parameter.constraints)
        )
        for index, row in enumerate(rows):
            try:
                check_constraint(row)
            except SchemaError as error:
                raise _invalid(f"parameters.{number}.constraints.{index}", str(error)) from error
        parameters.append(Parameter(name=parameter.name, annotation=parameter.type, constraints=rows))
    return Signature(entry_point=specification.entry_point, parameters=tuple(parameters), returns=specification.returns)


def _read_constraint(row: ConstraintAnswer, place: str) -> Constraint:
    value = [encode_value(choice) for choice in row.value] if isinstance(row.value, list) else row.value
    try:
        return Constraint(path=row.path, rule=row.rule, value_json=canonical_json(value))
    except ValueError as error:
        raise _invalid(place, f"holds an infinite number: {error}") from error


def _defined_names(source: str) -> set[str]:
    return {node.name for node in parse_source(source).body if isinstance(node, ast.FunctionDef)}


def _read_call(specification: FunctionSpecification, signature: Signature, number: int) -> TestCase:
    example = specification.examples[number]
    place = f"examples.{number}"
    try:
        call = parse_expression(example.call.strip())
        args, kwargs = _read_arguments(call, specification.entry_point)
        raised = _RAISES.match(example.result.strip())
        expected = encode_exception(raised[1]) if raised else encode_text(_read_literal(example.result))
        encoded = encode_call(args, kwargs)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, EncodingError) as error:
        raise _invalid(place, f"isn't a call of literals and its result: {error}") from error
    bound = dict(zip((p.name for p in signature.parameters), args, strict=False)) | kwargs
    if len(args) + len(kwargs) != len(signature.parameters) or len(bound) != len(signature.parameters):
        raise _invalid(place, f"{example.call!r:.120} doesn't give each parameter once")
    for parameter in signature.parameters:
        violation = find_violation(bound.get(parameter.name), parameter)
        if violation:
            raise _invalid(place, f"breaks a constraint: {violation}")
    return TestCase.make(encoded, expected, origin=TestOrigin.MODEL)


def _read_literal(text: str) -> object:
    return ast.literal_eval(parse_expression(text.strip()))


def _read_arguments(call: ast.expr, entry_point: str) -> tuple[list[object], dict[str, object]]:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != entry_point:
        raise ValueError(f"it must call {entry_point}")
    args = [ast.literal_eval(arg) for arg in call.args]
    return args, {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


def _read_streams(specification: StdinSpecification) -> Iterable[TestCase]:
    for example in specification.examples:
        stdin = example.stdin if example.stdin.endswith("\n") else example.stdin + "\n"
        yield TestCase.make(stdin, example.stdout, origin=TestOrigin.MODEL)


def _merge(tests: tuple[TestCase, ...]) -> tuple[TestCase, ...]:
    found: dict[str, TestCase] = {}
    for number, test in enumerate(tests):
        known = found.setdefault(test.case_id, test)
        if known.expected != test.expected:
            raise _invalid(f"examples.{number}", "contradicts an earlier example with the same input")
    return tuple(found.values())


def _show_some(tests: tuple[TestCase, ...]) -> tuple[TestCase, ...]:
    shown = max(1, len(tests) // _PUBLIC_SHARE)
    return tuple(
        TestCase.make(test.input, test.expected, origin=test.origin, tier=test.tier, public=number < shown)
        for number, test in enumerate(tests)
    )
