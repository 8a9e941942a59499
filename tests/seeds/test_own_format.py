"""The project's own way to write a task."""

import pytest

from schemas.candidate import Candidate, Checker, CheckerName, TaskStyle, TestOrigin, TestTier
from schemas.errors import SeedError
from schemas.source import SourceKind, SourceRef
from schemas.values import Raised, decode_call, decode_text
from seeds.fields import Fields
from seeds.own_format import parse_task

REF = SourceRef(source="own", kind=SourceKind.BANK, locator="o.jsonl:1", license="MIT")


def row(**changes: object) -> dict[str, object]:
    base: dict[str, object] = {
        "id": "shift",
        "style": "function",
        "statement": "Shift the numbers.",
        "signature": "def shift(nums: list[int], by: int = 1) -> list[int]",
        "constraints": {"nums": {"max_length": 9, "unique": True, "sorted": False, "[]": {"min": -3, "max": 3}}},
        "examples": [{"args": [[1, 2], 3], "expected": [4, 5]}],
        "tests": [
            {"args": [[]], "expected": [], "tier": "edge"},
            {"args": [[0]], "kwargs": {"by": 2}, "expected": [2]},
        ],
        "reference": "def shift(nums: list[int], by: int = 1) -> list[int]:\n    return [n + by for n in nums]\n",
    }
    return base | changes


def stream(**changes: object) -> dict[str, object]:
    base: dict[str, object] = {
        "id": 12,
        "style": "stdin",
        "statement": "Echo.",
        "tests": [{"input": "a", "output": "a"}, {"input": "b", "output": "b"}, {"input": "c", "output": "c"}],
        "reference": "print(input())",
    }
    return base | changes


def parse(given: dict[str, object]) -> Candidate:
    return parse_task(Fields(given, "source 'own' (o.jsonl:1)"), REF, origin=TestOrigin.BANK)


def test_examples_are_public_and_tests_hidden() -> None:
    candidate = parse(row())
    assert [(t.public, t.origin, t.tier) for t in candidate.tests] == [
        (True, TestOrigin.EXAMPLE, TestTier.BASIC),
        (False, TestOrigin.BANK, TestTier.EDGE),
        (False, TestOrigin.BANK, TestTier.BASIC),
    ]
    assert [decode_call(t.input) for t in candidate.tests] == [(([1, 2], 3), {}), (([],), {}), (([0], 2), {})]


def test_the_signature_keeps_constraints_by_path() -> None:
    signature = parse(row()).signature
    assert signature is not None
    assert (signature.entry_point, signature.returns) == ("shift", "list[int]")
    nums, by = signature.parameters
    assert sorted((c.path, c.rule, c.value_json) for c in nums.constraints) == [
        ("", "max_length", "9"),
        ("", "unique", "null"),
        ("[]", "max", "3"),
        ("[]", "min", "-3"),
    ]
    assert (by.default, by.constraints) == ("1", ())


def test_an_entry_point_of_its_own_may_be_a_method() -> None:
    candidate = parse(row(entry_point="Solution().shift", reference="class Solution:\n    shift = None\n"))
    assert candidate.signature is not None
    assert candidate.signature.entry_point == "Solution().shift"


def test_tagged_values_stand_for_what_json_lacks() -> None:
    given = {"$tuple": [1, {"$set": [2]}, {"$map": [[{"$tuple": [3]}, None]]}, {"$float": "inf"}, {"$bytes": "AP8="}]}
    tests = [{"args": [given, {"plain": [{"$frozenset": []}]}], "expected": None}]
    (test,) = parse(row(examples=[], tests=tests)).tests
    expected = ((1, {2}, {(3,): None}, float("inf"), b"\x00\xff"), {"plain": [frozenset()]})
    assert decode_call(test.input)[0] == expected


def test_an_exception_may_be_expected() -> None:
    (_, test) = parse(row(tests=[{"args": ["x"], "raises": "TypeError"}])).tests
    assert decode_text(test.expected) == Raised("TypeError")


def test_without_examples_the_first_two_tests_are_public() -> None:
    assert [t.public for t in parse(stream()).tests] == [True, True, False]


def test_asserts_may_stand_for_tests() -> None:
    candidate = parse(row(examples=[], tests=[], asserts=["assert shift([1]) == [2]", "assert shift([], 4) == []"]))
    assert [decode_call(t.input)[0] for t in candidate.tests] == [([1],), ([], 4)]


def test_asserts_that_are_not_plain_data_run_as_a_suite() -> None:
    candidate = parse(row(examples=[], tests=[], asserts="assert len(shift([1])) == 1"))
    assert candidate.style is TaskStyle.SUITE
    assert candidate.suite is not None


def test_a_declared_checker_is_taken_as_it_stands() -> None:
    checker = {"name": "float", "rel_tol": 0.5}
    words = {"statement": "Return any valid shift in any order."}
    assert parse(row(checker=checker, **words)).checker == Checker(name=CheckerName.FLOAT, rel_tol=0.5)
    assert parse(stream(checker={"name": "tokens_caseless"})).checker.name is CheckerName.TOKENS_CASELESS


def test_a_row_may_have_its_own_licence_and_address() -> None:
    ref = parse(row(license="CC0-1.0", url="https://example.org/1")).source
    assert (ref.license, ref.url, ref.original_id) == ("CC0-1.0", "https://example.org/1", "shift")
    assert parse(row()).source.license == "MIT"


def test_the_id_is_that_of_the_content() -> None:
    first = parse(row())
    assert parse(row(id="other", tags=["x"], title="T")).record_id == first.record_id
    assert parse(row(statement="Else.")).record_id != first.record_id
    assert parse(row(tests=[])).record_id != first.record_id
    assert parse(row(checker={"name": "unordered"})).record_id != first.record_id


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"style": None}, "wrong_type"),
        ({"style": "functoin"}, "unknown_style"),
        ({"style": "suite"}, "unknown_style"),
        ({"statement": ""}, "empty_statement"),
        ({"reference": " "}, "no_reference"),
        ({"reference": "def shift(:"}, "reference_syntax"),
        ({"signature": "shift(nums)"}, "bad_signature"),
        ({"signature": "def a(): pass\ndef b()"}, "bad_signature"),
        ({"constraints": {"num": {"min": 1}}}, "unknown_parameter"),
        ({"constraints": {"by": {"minimum": 1}}}, "unknown_rule"),
        ({"constraints": {"by": {"min": "1"}}}, "wrong_type"),
        ({"constraints": {"by": {"min": True}}}, "wrong_type"),
        ({"constraints": {"by": {"choices": []}}}, "wrong_type"),
        ({"constraints": {"nums": {"max_length": -1}}}, "wrong_type"),
        ({"constraints": {"nums": {"unique": 1}}}, "wrong_type"),
        ({"constraints": {"nums": {"alphabet": ""}}}, "wrong_type"),
        ({"constraints": []}, "wrong_type"),
        ({"examples": [], "tests": []}, "empty_tests"),
        ({"tests": {}}, "wrong_type"),
        ({"tests": [1]}, "wrong_type"),
        ({"tests": [{"args": [[1]]}]}, "missing_field"),
        ({"tests": [{"args": 1, "expected": 1}]}, "wrong_type"),
        ({"tests": [{"args": [{"$float": "abc"}], "expected": 1}]}, "wrong_type"),
        ({"tests": [{"args": [{"$map": [1]}], "expected": 1}]}, "wrong_type"),
        ({"tests": [{"args": [{"$unknown": 1}], "expected": 1}]}, "wrong_type"),
        ({"tests": [{"args": [{"$set": [[1]]}], "expected": 1}]}, "wrong_type"),
        ({"tests": [{"args": [{"$map": [[[1], 2]]}], "expected": 1}]}, "wrong_type"),
        ({"tests": [{"args": [], "expected": 1, "tier": "easy"}]}, "unknown_tier"),
        ({"tests": [{"args": [[1, 2], 3], "expected": [4, 5]}]}, "repeated_test"),
        ({"tests": [{"args": [[1, 2], 3], "expected": [0]}]}, "contradictory_tests"),
        ({"asserts": "assert shift([]) == []"}, "mixed_tests"),
        ({"asserts": "x = 1", "tests": [], "examples": []}, "empty_tests"),
        ({"checker": {"name": "lines"}}, "unknown_checker"),
        ({"checker": {"name": "float", "abs_tol": -1}}, "wrong_type"),
        ({"statement": "Return any valid shift."}, "many_answers"),
        ({"id": True}, "wrong_type"),
        ({"alternatives": "x"}, "wrong_type"),
    ],
)
def test_bad_rows_say_what_is_wrong(changes: dict[str, object], word: str) -> None:
    with pytest.raises(SeedError, match=r"source 'own' \(o\.jsonl:1\)") as caught:
        parse(row(**changes))
    assert caught.value.reason == word


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"tests": []}, "empty_tests"),
        ({"tests": [{"input": "a"}]}, "missing_field"),
        ({"tests": [{"input": 1, "output": "a"}]}, "wrong_type"),
        ({"checker": {"name": "float"}}, "unknown_checker"),
    ],
)
def test_bad_stdin_rows_say_what_is_wrong(changes: dict[str, object], word: str) -> None:
    with pytest.raises(SeedError) as caught:
        parse(stream(**changes))
    assert caught.value.reason == word


def test_misspelt_words_get_the_nearest_right_one() -> None:
    with pytest.raises(SeedError, match="Did you mean 'function'"):
        parse(row(style="functoin"))
    with pytest.raises(SeedError, match="Did you mean 'nums'"):
        parse(row(constraints={"num": {}}))
