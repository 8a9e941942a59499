"""This project's own way to write a task, shared by the JSON Lines bank and the curated YAML files.

docs/bank-format.md and docs/curated-format.md describe it for people; this module is the reader. Values are plain JSON;
what JSON lacks is written in the encoding of `schemas/values.py` (``{"$tuple": [...]}``, ``{"$set": [...]}``). Method:
own.
"""

from collections.abc import Sequence
from dataclasses import replace

from schemas.candidate import Candidate, Checker, CheckerName, Signature, TaskStyle, TestCase, TestOrigin, TestTier
from schemas.errors import suggest_name
from schemas.source import SourceRef
from schemas.values import EncodingError, Raised, check_hashes, decode_value
from seeds.assembly import TaskText, assemble
from seeds.assert_shapes import AssertedCall, PendingCall
from seeds.fields import Fields
from seeds.own_signature import parse_signature
from seeds.task_tests import (
    MOST_GIVEN,
    TaskTests,
    TestMaterial,
    tests_from_calls,
    tests_from_code,
    tests_from_streams,
)


def parse_task(fields: Fields, ref: SourceRef, *, origin: TestOrigin) -> Candidate:
    """Return the candidate that the fields of one task say.

    Raises:
        SeedError: with the reasons that docs/bank-format.md lists.
    """
    style = _style(fields)
    text = _text_of(fields)
    signature = parse_signature(fields) if style is TaskStyle.FUNCTION else None
    material = TestMaterial(
        place=fields.place,
        statement="" if fields.has("checker") else text.statement,
        reference=text.reference,
        signature=signature or Signature(entry_point=""),
        origin=origin,
    )
    tests = _function_tests(fields, material) if signature else _stdin_tests(fields, material)
    if fields.has("checker") and tests.suite is None:
        tests = replace(tests, checker=_checker(fields.nested("checker"), style))
    ref = replace(
        ref,
        original_id=fields.label("id"),
        url=fields.text("url", ref.url),
        license=fields.text("license", ref.license),
    )
    return assemble(text, tests, signature=signature, ref=ref, place=fields.place)


def _style(fields: Fields) -> TaskStyle:
    name = fields.text("style")
    allowed = (TaskStyle.FUNCTION.value, TaskStyle.STDIN.value)
    if name not in allowed:
        message = f"is {name!r}; expected function or stdin.{suggest_name(name, allowed)}"
        raise fields.fail("style", message, reason="unknown_style")
    return TaskStyle(name)


def _text_of(fields: Fields) -> TaskText:
    return TaskText(
        statement=fields.text("statement"),
        reference=fields.text("reference"),
        title=fields.text("title", ""),
        starter_code=fields.text("starter_code", ""),
        alternatives=fields.texts("alternatives", []),
        difficulty=fields.label("difficulty"),
        domain=fields.text("domain", "algorithms"),
        tags=fields.texts("tags", []),
    )


def _checker(fields: Fields, style: TaskStyle) -> Checker:
    name = fields.text("name")
    allowed = _FUNCTION_CHECKERS if style is TaskStyle.FUNCTION else _STDIN_CHECKERS
    if name not in allowed:
        message = f"is {name!r}; expected one of {', '.join(allowed)}.{suggest_name(name, allowed)}"
        raise fields.fail("name", message, reason="unknown_checker")
    tolerances = [fields.row.get(key, 0.0) for key in ("rel_tol", "abs_tol")]
    for key, number in zip(("rel_tol", "abs_tol"), tolerances, strict=True):
        if isinstance(number, bool) or not isinstance(number, int | float) or number < 0:
            raise fields.wrong_type(key, number, "a number of at least 0")
    return Checker(name=CheckerName(name), rel_tol=float(str(tolerances[0])), abs_tol=float(str(tolerances[1])))


_FUNCTION_CHECKERS = tuple(name.value for name in (CheckerName.EXACT, CheckerName.FLOAT, CheckerName.UNORDERED))
_STDIN_CHECKERS = tuple(name.value for name in CheckerName if name is not CheckerName.FLOAT)


def _cases(fields: Fields) -> list[tuple[Fields, bool]]:
    """Return the examples and then the tests, with whether each is an example."""
    found: list[tuple[Fields, bool]] = []
    for name in ("examples", "tests"):
        for index, item in enumerate(fields.items(name, [])):
            if len(found) >= MOST_GIVEN:
                raise fields.fail(name, f"holds more than {MOST_GIVEN:,} tests", reason="too_many_tests")
            found.append((fields.wrap(f"{name}[{index}]", item), name == "examples"))
    return found


def _function_tests(fields: Fields, material: TestMaterial) -> TaskTests:
    cases = _cases(fields)
    calls = [read_case(case) for case, _ in cases]
    asserts = fields.row.get("asserts", "")
    code = "\n".join(fields.texts("asserts")) if isinstance(asserts, list) else fields.text("asserts", "")
    if code.strip() and calls:
        raise fields.fail("asserts", "and tests can't be given together", reason="mixed_tests")
    if code.strip():
        return tests_from_code(code, material)
    if not calls:
        raise fields.fail("tests", "is empty: there are no tests", reason="empty_tests")
    made = tests_from_calls(calls, material)
    if not isinstance(made, TaskTests):
        raise fields.fail("tests", made, reason="wrong_type")
    return replace(made, tests=_label(made.tests, cases, calls_given=len(calls), fields=fields))


def read_case(case: Fields) -> AssertedCall:
    """Return the call and the value of a function test ``{"args": [...], "kwargs": {...}, "expected": ...}``.

    Raises:
        SeedError: ``missing_field`` or ``wrong_type``.
    """
    kwargs = case.nested("kwargs", {}).row
    call = PendingCall(
        args=tuple(_value(case, "args", item) for item in case.items("args", [])),
        kwargs=tuple((name, _value(case, "kwargs", item)) for name, item in sorted(kwargs.items())),
    )
    if case.has("raises"):
        return AssertedCall(call=call, expected=Raised(case.text("raises")))
    if "expected" not in case.row:
        raise case.fail("expected", "is missing; give it or raises", reason="missing_field")
    return AssertedCall(call=call, expected=_value(case, "expected", case.row["expected"]))


def _value(case: Fields, name: str, item: object) -> object:
    """Return the Python value of JSON in which tagged objects stand for what JSON lacks."""
    if isinstance(item, list):
        return [_value(case, name, part) for part in item]
    if not isinstance(item, dict):
        return item
    tag = next(iter(item), "")
    if len(item) != 1 or not tag.startswith("$"):
        return {key: _value(case, name, part) for key, part in item.items()}
    content = item[tag]
    try:
        if tag in _CONTAINERS and isinstance(content, list):
            parts = [_value(case, name, part) for part in content]
            check_hashes(parts if tag != "$tuple" else ())
            return _CONTAINERS[tag](parts)
        if tag == "$map" and isinstance(content, list):
            return _mapping(case, name, content)
        return decode_value({tag: content})
    except TypeError as error:
        raise case.fail(name, f"holds a list or mapping where {tag} can't: {error}", reason="wrong_type") from error
    except EncodingError as error:
        raise case.fail(name, f"holds no encoded value: {error}", reason="wrong_type") from error


_CONTAINERS: dict[str, type] = {"$tuple": tuple, "$set": set, "$frozenset": frozenset}


def _mapping(case: Fields, name: str, pairs: Sequence[object]) -> dict[object, object]:
    found = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise case.wrong_type(name, pair, "a pair in $map")
        found.append((_value(case, name, pair[0]), _value(case, name, pair[1])))
    check_hashes([key for key, _ in found])
    return dict(found)


def _stdin_tests(fields: Fields, material: TestMaterial) -> TaskTests:
    cases = _cases(fields)
    pairs = [(case.text("input"), case.text("output")) for case, _ in cases]
    made = tests_from_streams(pairs, material)
    return replace(made, tests=_label(made.tests, cases, calls_given=len(pairs), fields=fields))


def _label(
    tests: tuple[TestCase, ...], cases: list[tuple[Fields, bool]], *, calls_given: int, fields: Fields
) -> tuple[TestCase, ...]:
    """Return the cases with the tiers they declare; with examples given, exactly those are public.

    Raises:
        SeedError: ``repeated_test`` when an input stands there twice, or an unknown tier.
    """
    if len(tests) != calls_given:
        raise fields.fail("tests", "holds the same input twice", reason="repeated_test")
    has_examples = any(is_example for _, is_example in cases)
    labelled = []
    for test, (case, is_example) in zip(tests, cases, strict=True):
        origin = TestOrigin.EXAMPLE if is_example else test.origin
        public = is_example if has_examples else test.public
        labelled.append(replace(test, tier=_tier(case), public=public, origin=origin))
    return tuple(labelled)


def _tier(case: Fields) -> TestTier:
    name = case.text("tier", TestTier.BASIC.value)
    names = [tier.value for tier in TestTier]
    if name not in names:
        message = f"is {name!r}; expected one of {', '.join(names)}.{suggest_name(name, names)}"
        raise case.fail("tier", message, reason="unknown_tier")
    return TestTier(name)
