import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.checker_proof import checker_self_test
from sandbox.checkers import CHECKERS, compare
from schemas.candidate import Checker, CheckerName, TaskStyle, TestCase, TestOrigin
from schemas.errors import ConfigError, SchemaError
from schemas.values import encode_call, encode_text

FUNCTION, STDIN = TaskStyle.FUNCTION, TaskStyle.STDIN
NAMES = CheckerName
LOOSE = {"rel_tol": 1e-6, "abs_tol": 1e-9}

VALUE_TABLE = [
    (NAMES.EXACT, 1, 1, True),
    (NAMES.EXACT, True, 1, False),
    (NAMES.EXACT, 1, 1.0, False),
    (NAMES.EXACT, 0.0, -0.0, False),
    (NAMES.EXACT, math.nan, math.nan, True),
    (NAMES.EXACT, [1, 2], (1, 2), False),
    (NAMES.EXACT, (1, 2), [1, 2], False),
    (NAMES.EXACT, {1, 2}, {2, 1}, True),
    (NAMES.EXACT, {1}, frozenset({1}), False),
    (NAMES.EXACT, {"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    (NAMES.EXACT, {1: 0}, {True: 0}, False),
    (NAMES.EXACT, "1", 1, False),
    (NAMES.EXACT, b"a", "a", False),
    (NAMES.EXACT, None, False, False),
    (NAMES.FLOAT, 1, 1.0, True),
    (NAMES.FLOAT, 0.1 + 0.2, 0.3, True),
    (NAMES.FLOAT, 1.0, 1.1, False),
    (NAMES.FLOAT, 1, True, False),
    (NAMES.FLOAT, 1_000_000_000, 1_000_000_001, False),
    (NAMES.FLOAT, 1_000_000_000, 1_000_000_001.0, True),
    (NAMES.FLOAT, math.nan, math.nan, True),
    (NAMES.FLOAT, math.nan, 1.0, False),
    (NAMES.FLOAT, math.inf, math.inf, True),
    (NAMES.FLOAT, math.inf, -math.inf, False),
    (NAMES.FLOAT, math.inf, 1e308, False),
    (NAMES.FLOAT, 10**400, 1.0, False),
    (NAMES.FLOAT, [1.0, {"k": (2.0,)}], [1.0000000001, {"k": (2,)}], True),
    (NAMES.FLOAT, [1.0], (1.0,), False),
    (NAMES.FLOAT, [1.0], [1.0, 2.0], False),
    (NAMES.FLOAT, {1.0, 0.5}, {0.5 + 1e-12, 1.0 - 1e-12}, True),
    (NAMES.FLOAT, {"a": 1.0}, {"b": 1.0}, False),
    (NAMES.FLOAT, 1 + 1j, complex(1 + 1e-12, 1), True),
    (NAMES.FLOAT, 1 + 1j, 1 - 1j, False),
    (NAMES.FLOAT, "a", "a", True),
    (NAMES.FLOAT, "1.0", "1.00", False),
    (NAMES.FLOAT, b"a", b"b", False),
    (NAMES.UNORDERED, [3, 1, 2], [1, 2, 3], True),
    (NAMES.UNORDERED, [1, 1, 2], [1, 2, 2], False),
    (NAMES.UNORDERED, [[1, 2], [3]], [[3], [1, 2]], True),
    (NAMES.UNORDERED, [[1, 2]], [[2, 1]], False),
    (NAMES.UNORDERED, [1, 2], (2, 1), False),
    (NAMES.UNORDERED, (1, 2), (2, 1), True),
    (NAMES.UNORDERED, 5, 5, True),
    (NAMES.UNORDERED, [1], [True], False),
    (NAMES.LINES, "a \nb\n\n", "a\nb", True),
    (NAMES.TOKENS, "a  b", "a b", True),
    (NAMES.TOKENS, ["a"], ["a"], True),
    (NAMES.TOKENS, "1", 1, False),
    (NAMES.TOKENS, 1, 1, True),
]


@pytest.mark.parametrize(("name", "expected", "actual", "accepted"), VALUE_TABLE)
def test_values_compare_as_documented(name, expected, actual, accepted):
    checker = Checker(name=name, **(LOOSE if name is NAMES.FLOAT else {}))
    assert compare(checker, FUNCTION, encode_text(expected), encode_text(actual)) is accepted


@pytest.mark.parametrize(
    ("name", "expected", "actual", "accepted"),
    [
        (NAMES.EXACT, "a\n", "a\n", True),
        (NAMES.EXACT, "a\n", "a", False),
        (NAMES.LINES, "a\nb\n", "a  \nb\r\n\n\n", True),
        (NAMES.LINES, "a\nb", "a b", False),
        (NAMES.LINES, "a", " a", False),
        (NAMES.LINES, "a\n\nb", "a\nb", False),
        (NAMES.LINES, "", "\n\n", True),
        (NAMES.UNORDERED, "b\na\n", "a\nb", True),
        (NAMES.UNORDERED, "a\na", "a", False),
        (NAMES.TOKENS, "1 2\n3", "1\n2 3 ", True),
        (NAMES.TOKENS, "1 2", "2 1", False),
        (NAMES.TOKENS, "1 1", "1", False),
        (NAMES.TOKENS, "YES", "Yes", False),
        (NAMES.TOKENS_CASELESS, "YES 1", "yes  1", True),
        (NAMES.TOKENS_CASELESS, "YES", "NO", False),
        (NAMES.TOKENS_FLOAT, "0.333333 x", "0.3333333333 x", True),
        (NAMES.TOKENS_FLOAT, "0.33", "0.34", False),
        (NAMES.TOKENS_FLOAT, "3", "3.0", True),
        (NAMES.TOKENS_FLOAT, "3000000", "3000001", False),
        (NAMES.TOKENS_FLOAT, "+3", "003", True),
        (NAMES.TOKENS_FLOAT, "-0", "0", True),
        (NAMES.TOKENS_FLOAT, "1e3", "1000.0", True),
        (NAMES.TOKENS_FLOAT, "1.0", "nan", False),
        (NAMES.TOKENS_FLOAT, "1.0", "inf", False),
        (NAMES.TOKENS_FLOAT, "nan", "nan", True),
        (NAMES.TOKENS_FLOAT, "1_0.0", "10.0", False),
        (NAMES.TOKENS_FLOAT, "1.0 2.0", "1.0", False),
        (NAMES.TOKENS_FLOAT, "9" * 5000, "9" * 5000 + "0", False),
    ],
)
def test_texts_compare_as_documented(name, expected, actual, accepted):
    checker = Checker(name=name, rel_tol=1e-5, abs_tol=1e-9)
    assert compare(checker, STDIN, expected, actual) is accepted


@pytest.mark.parametrize("name", list(CheckerName))
def test_every_checker_name_has_a_comparison(name):
    assert name in CHECKERS


@pytest.mark.parametrize("name", list(CheckerName))
@given(value=st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(st.text(max_size=2), inner, max_size=3) | st.sets(st.floats(), max_size=4),
    max_leaves=8))  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_every_checker_accepts_the_expected_value_itself(name, value):
    text = encode_text(value)
    assert compare(Checker(name=name), FUNCTION, text, text)


@given(st.permutations(list(range(8))))
def test_unordered_ignores_every_order(items):
    assert compare(Checker(name=NAMES.UNORDERED), FUNCTION, encode_text(list(range(8))), encode_text(items))


@pytest.mark.parametrize(
    "actual", ["", "{", "1.5", "NaN", '{"$int":"1"}', "[" * 3000, '{"$set":[2,1]}', '{"$eq":true}']
)
@pytest.mark.parametrize("name", list(CheckerName))
def test_malformed_output_is_never_accepted(name, actual):
    assert not compare(Checker(name=name), FUNCTION, encode_text({1, 2}), actual)


def test_a_malformed_expected_value_is_our_error():
    with pytest.raises(SchemaError, match="is no encoded value"):
        compare(Checker(), FUNCTION, "1.5", "1")


@pytest.mark.parametrize(
    ("name", "style", "message"),
    [
        (NAMES.FLOAT, STDIN, "checker 'float' can't judge stdin tasks"),
        (NAMES.EXACT, TaskStyle.SUITE, "checker 'exact' can't judge suite tasks"),
    ],
)
def test_a_checker_that_means_nothing_for_a_style_is_refused(name, style, message):
    with pytest.raises(ConfigError, match=message):
        compare(Checker(name=name), style, "1", "1")


def function_cases(*pairs):
    return [
        TestCase.make(encode_call((given,), {}), encode_text(expected), origin=TestOrigin.BANK)
        for given, expected in pairs
    ]


def stdin_cases(*pairs):
    return [TestCase.make(given, expected, origin=TestOrigin.BANK) for given, expected in pairs]


@pytest.mark.parametrize(
    ("checker", "style", "cases"),
    [
        (Checker(), FUNCTION, function_cases((1, 2), (2, 4))),
        (Checker(), FUNCTION, function_cases((None, None), ([], []), ("", ""), (1, 1))),
        (Checker(name=NAMES.FLOAT, **LOOSE), FUNCTION, function_cases((1.0, 0.5), (2.0, 1.0))),
        (Checker(name=NAMES.UNORDERED), FUNCTION, function_cases(([1, 2], [2]), ([3], []))),
        (Checker(name=NAMES.LINES), STDIN, stdin_cases(("1\n", "2\n"), ("2\n", "\n"))),
    ],
)
def test_a_sound_checker_has_no_faults(checker, style, cases):
    assert checker_self_test(checker, style, cases) == ()


def test_a_tolerance_that_swallows_everything_is_found():
    checker = Checker(name=NAMES.FLOAT, abs_tol=100.0)
    cases = function_cases((1.5, 0.5), (2.5, 1.25))
    assert checker_self_test(checker, FUNCTION, cases) == ("accepts_echo", "accepts_other_output")


def test_a_checker_without_cases_is_refused():
    with pytest.raises(ConfigError, match="without test cases"):
        checker_self_test(Checker(), FUNCTION, [])
