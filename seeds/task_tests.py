"""The tests of a task in their final form: parsed cases with one checker, or a suite that says why it is one.

Bank formats and curated tasks give their test code or their calls here. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from schemas.candidate import Candidate, Checker, CheckerName, Signature, Suite, TaskStyle, TestCase, TestOrigin
from schemas.errors import SeedError
from schemas.values import EncodingError, Raised, encode_exception, encode_text
from seeds.assert_shapes import AssertedCall
from seeds.asserts import parse_asserts
from seeds.checking import accepts_any_answer, choose_for_output, choose_for_values, merge_checkers
from seeds.examples import encode_pending, mark_public
from seeds.python_source import FunctionNode, find_function, parse_module, returned_container, returns_booleans
from seeds.suites import build_suite

MOST_GIVEN = 100_000
"""Tests of one row that are read at all; more would fill the memory before anybody could choose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestMaterial:
    """What a row says around its tests."""

    __test__ = False

    place: str
    """What messages call the row."""
    statement: str
    reference: str
    signature: Signature
    shown: frozenset[str] = frozenset()
    """Inputs that the statement shows."""
    tolerance: float = 1e-6
    """For expected floats when the tests name none."""
    origin: TestOrigin = TestOrigin.BANK

    def find_reference(self) -> FunctionNode | None:
        """Return the definition of the entry point in the reference, or None."""
        module = parse_module(self.reference)
        return find_function(module, self.signature.entry_point) if module else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTests:
    """Tests and how they're judged."""

    style: TaskStyle
    tests: tuple[TestCase, ...] = ()
    suite: Suite | None = None
    checker: Checker = field(default_factory=Checker)


def tests_from_code(test_code: str, material: TestMaterial) -> TaskTests:
    """Return the parsed cases of assert-style test code, or the suite that runs it.

    Raises:
        SeedError: ``empty_tests``, ``contradictory_tests``, ``many_answers``, ``ambiguous_order``.
    """
    parsed = parse_asserts(test_code, material.signature.entry_point)
    if not parsed.why and not parsed.calls:
        raise SeedError(f"{material.place}: the test code asserts nothing", reason="empty_tests")
    found = parsed.why or tests_from_calls(parsed.calls, material)
    if isinstance(found, TaskTests):
        return found
    signature = material.signature
    suite = build_suite(
        test_code,
        entry_point=signature.entry_point,
        preamble=signature.preamble,
        reference=material.reference,
        why=found,
    )
    if suite is None:
        raise SeedError(f"{material.place}: the test code asserts nothing: {found}", reason="empty_tests")
    return TaskTests(style=TaskStyle.SUITE, suite=suite)


def tests_from_calls(calls: Sequence[AssertedCall], material: TestMaterial) -> TaskTests | str:
    """Return the cases of the calls and their checker, or in words why no checker of values judges them.

    Raises:
        SeedError: as for `tests_from_code`, and ``too_many_tests``.
    """
    _refuse_too_many(len(calls), material)
    refuse_many_answers(material)
    settled = _settle_truth(calls, material)
    if isinstance(settled, str):
        return settled
    settled_calls, spelled = settled
    checker = choose_for_values(
        spelled,
        [item.expected for item in settled_calls if not isinstance(item.expected, Raised)],
        statement=material.statement,
        returns=material.signature.returns,
        tolerance=material.tolerance,
        place=material.place,
    )
    try:
        cases = [_make_case(item, material) for item in settled_calls]
    except EncodingError as error:
        return f"a value can't be encoded: {error}"
    tests = mark_public(drop_repeats(cases, material.place), material.shown)
    return TaskTests(style=TaskStyle.FUNCTION, tests=tests, checker=checker)


def tests_from_streams(pairs: Sequence[tuple[str, str]], material: TestMaterial) -> TaskTests:
    """Return the cases of standard inputs and outputs, and their checker.

    Raises:
        SeedError: ``empty_tests``, ``contradictory_tests``, ``many_answers`` or ``too_many_tests``.
    """
    _refuse_too_many(len(pairs), material)
    refuse_many_answers(material)
    if not pairs:
        raise SeedError(f"{material.place}: the list of tests is empty", reason="empty_tests")
    cases = [TestCase.make(given, wanted, origin=material.origin) for given, wanted in pairs]
    tests = mark_public(drop_repeats(cases, material.place), material.shown)
    return TaskTests(style=TaskStyle.STDIN, tests=tests, checker=choose_for_output([wanted for _, wanted in pairs]))


def limit_tests(candidate: Candidate, most: int) -> Candidate:
    """Return the candidate with at most so many tests, in their order, and the number of those left out.

    Kept are the public ones first, then those with the lowest ids: a choice that depends on the inputs alone, neither
    on their order nor on what else is read.
    """
    if len(candidate.tests) <= most:
        return candidate
    ranked = sorted(candidate.tests, key=lambda test: (not test.public, test.case_id))
    kept = {test.case_id for test in ranked[:most]}
    tests = tuple(test for test in candidate.tests if test.case_id in kept)
    return replace(candidate, tests=tests, given_tests_left_out=len(candidate.tests) - len(tests))


def _refuse_too_many(count: int, material: TestMaterial) -> None:
    if count > MOST_GIVEN:
        message = f"{material.place}: {count:,} tests; at most {MOST_GIVEN:,} of one row are read"
        raise SeedError(message, reason="too_many_tests")


def refuse_many_answers(material: TestMaterial) -> None:
    """Do nothing for a statement with one right answer.

    Raises:
        SeedError: ``many_answers``, with the sentence that accepts several.
    """
    sentence = accepts_any_answer(material.statement)
    if sentence:
        message = f"{material.place}: several answers are right and no checker knows them all: {sentence[:200]!r}"
        raise SeedError(message, reason="many_answers")


def drop_repeats(cases: Sequence[TestCase], place: str) -> tuple[TestCase, ...]:
    """Return the cases without repeated ones, in order.

    Raises:
        SeedError: ``contradictory_tests`` when one input has two expected outputs.
    """
    kept: dict[str, TestCase] = {}
    for case in cases:
        known = kept.setdefault(case.input, case)
        if known.expected != case.expected:
            outputs = f"{known.expected[:80]} and {case.expected[:80]}"
            message = f"{place}: input {case.input[:120]!r} has two expected outputs: {outputs}"
            raise SeedError(message, reason="contradictory_tests")
    return tuple(kept.values())


def _make_case(item: AssertedCall, material: TestMaterial) -> TestCase:
    given = encode_pending(item.call, material.signature.parameters)
    wanted = item.expected
    expected = encode_exception(wanted.name) if isinstance(wanted, Raised) else encode_text(wanted)
    return TestCase.make(given, expected, origin=material.origin)


def _settle_truth(
    calls: Sequence[AssertedCall], material: TestMaterial
) -> tuple[tuple[AssertedCall, ...], Checker] | str:
    """Return the calls with values of the right type and the checker they spell, or why that isn't possible."""
    node = material.find_reference()
    if any(call.truth_only for call in calls) and (node is None or not returns_booleans(node)):
        return "an assert looks at the truth of a value that isn't evidently a boolean"
    checker = merge_checkers([call.checker for call in calls])
    if checker is None:
        return "some asserts compare in order and some without"
    if checker.name is not CheckerName.UNORDERED:
        return tuple(calls), checker
    container = returned_container(node) if node is not None else None
    if container is None:
        return "the items are compared without order, and the type of their container isn't evident"
    try:
        typed = [replace(call, expected=container(call.expected)) for call in calls]
    except TypeError:
        return "the expected items don't fit the container that the reference returns"
    return tuple(typed), checker
