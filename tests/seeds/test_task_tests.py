"""No row brings so many tests that it holds up the others."""

import random
from dataclasses import replace

import pytest

from schemas.candidate import Signature, TestCase, TestOrigin
from schemas.errors import SeedError
from schemas.values import encode_call
from seeds import task_tests
from seeds.assert_shapes import AssertedCall, PendingCall
from seeds.task_tests import MOST_GIVEN, TestMaterial, limit_tests
from tests.builders import make_candidate

MATERIAL = TestMaterial(place="row 7", statement="Add.", reference="", signature=Signature(entry_point="f"))
CASES = tuple(
    TestCase.make(encode_call([number], {}), str(number), origin=TestOrigin.BANK, public=number in {3, 40})
    for number in range(50)
)
CANDIDATE = replace(make_candidate("task"), tests=CASES)


def test_as_many_tests_as_allowed_stay_as_they_are() -> None:
    assert limit_tests(CANDIDATE, 50) is CANDIDATE


def test_of_more_the_public_ones_and_a_choice_stay_in_order_and_the_rest_is_counted() -> None:
    cut = limit_tests(CANDIDATE, 10)
    assert len(cut.tests) == 10
    assert cut.given_tests_left_out == 40
    assert {test.case_id for test in cut.tests if test.public} == {CASES[3].case_id, CASES[40].case_id}
    assert [CASES.index(test) for test in cut.tests] == sorted(CASES.index(test) for test in cut.tests)
    assert cut.record_id == CANDIDATE.record_id


def test_the_choice_does_not_depend_on_the_order_and_a_larger_one_holds_a_smaller_one() -> None:
    shuffled = replace(CANDIDATE, tests=tuple(random.Random(5).sample(CASES, len(CASES))))
    ten, twenty = (set(limit_tests(CANDIDATE, most).tests) for most in (10, 20))
    assert set(limit_tests(shuffled, 10).tests) == ten < twenty


def test_more_tests_than_anybody_can_choose_from_are_refused() -> None:
    with pytest.raises(SeedError, match="row 7: 100,001 tests; at most 100,000 of one row are read") as streams:
        task_tests.tests_from_streams([("1", "1")] * (MOST_GIVEN + 1), MATERIAL)
    with pytest.raises(SeedError) as calls:
        task_tests.tests_from_calls(
            [AssertedCall(call=PendingCall(args=(1,)), expected=1)] * (MOST_GIVEN + 1), MATERIAL
        )
    assert {streams.value.reason, calls.value.reason} == {"too_many_tests"}
