"""Assert-style test code as calls with expected values, or the reason why not."""

import pytest

from schemas.candidate import Checker, CheckerName
from schemas.values import Raised
from seeds.asserts import ParsedAsserts, called_functions, parse_asserts

EXACT = Checker()
UNORDERED = Checker(name=CheckerName.UNORDERED)


def calls(code: str, entry: str = "f") -> list[tuple[tuple[object, ...], dict[str, object], object, Checker]]:
    parsed = parse_asserts(code, entry)
    assert parsed.why == ""
    return [(c.call.args, dict(c.call.kwargs), c.expected, c.checker) for c in parsed.calls]


def close(*, rel: float = 0.0, absolute: float = 0.0) -> Checker:
    return Checker(name=CheckerName.FLOAT, rel_tol=rel, abs_tol=absolute)


@pytest.mark.parametrize(
    ("test", "args", "expected", "checker"),
    [
        ("f(1, -2) == [3, (4,)]", (1, -2), [3, (4,)], EXACT),
        ("5 == f('a')", ("a",), 5, EXACT),
        ("(f([1])) == {1: 2}", ([1],), {1: 2}, EXACT),
        ("f(0) is None", (0,), None, EXACT),
        ("f(0) is True", (0,), True, EXACT),
        ("f(2)", (2,), True, EXACT),
        ("not f(2)", (2,), False, EXACT),
        ("f(10**5) == float('inf')", (100_000,), float("inf"), EXACT),
        ("abs(f(1) - 0.5) < 1e-6", (1,), 0.5, close(absolute=1e-6)),
        ("abs(0.5 - f(1)) <= 0.01", (1,), 0.5, close(absolute=0.01)),
        ("0.01 > abs(f(1) - 2.0/3.0)", (1,), 2.0 / 3.0, close(absolute=0.01)),
        ("math.isclose(f(1), 0.3)", (1,), 0.3, close(rel=1e-9)),
        ("math.isclose(0.3, f(1), rel_tol=0.001, abs_tol=1)", (1,), 0.3, close(rel=0.001, absolute=1.0)),
        ("f(1) == pytest.approx(0.3, abs=0.5)", (1,), 0.3, close(rel=1e-6, absolute=0.5)),
        ("sorted(f(1)) == [1, 2]", (1,), [1, 2], UNORDERED),
        ("set(f(1)) == set((4, 5))", (1,), [4, 5], UNORDERED),
        ("{4, 5} == set(f(1))", (1,), [4, 5], UNORDERED),
        ("Counter(f(1)) == Counter([3, 3])", (1,), [3, 3], UNORDERED),
    ],
)
def test_each_shape_of_assertion_is_understood(
    test: str, args: tuple[object, ...], expected: object, checker: Checker
) -> None:
    assert calls(f"assert {test}, 'message'") == [(args, {}, expected, checker)]


def test_check_functions_are_read_with_their_own_parameter() -> None:
    code = """
METADATA = {'author': 'x'}

def check(function):
    "Docstring."
    # Comment
    assert True, "never mind"
    assert function(n = 1, xs=[]) == 2
    assert function(2, xs=[1]) == 3

check(f)
"""
    assert calls(code) == [((), {"n": 1, "xs": []}, 2, EXACT), ((2,), {"xs": [1]}, 3, EXACT)]


def test_methods_are_called_through_the_entry_point() -> None:
    assert calls("assert Solution().f(3) == 4", "Solution().f") == [((3,), {}, 4, EXACT)]


def test_names_hold_values_and_results() -> None:
    code = "from math import inf\nxs = [1, inf]\nlimit: int = 3\nresult = f(xs, limit)\nassert result == xs"
    assert calls(code) == [(([1, float("inf")], 3), {}, [1, float("inf")], EXACT)]


def test_loops_over_literal_tables_are_unrolled() -> None:
    code = "for given, (wanted, _) in [(1, (2, 0)), (3, (4, 0))]:\n    assert f(given) == wanted"
    assert calls(code) == [((1,), {}, 2, EXACT), ((3,), {}, 4, EXACT)]
    assert len(calls("for x in range(2, 8):\n    assert f(x, x + 1) == str(x)")) == 6


def test_joined_assertions_are_taken_apart() -> None:
    assert [item[2] for item in calls("assert f(1) == 2 and f(2) == 3")] == [2, 3]


def test_expected_exceptions_are_values_too() -> None:
    code = "with pytest.raises(ValueError):\n    f(-1)\ntry:\n    f(-2)\n    assert False\nexcept KeyError:\n    pass"
    assert [(item[0], item[2]) for item in calls(code)] == [((-1,), Raised("ValueError")), ((-2,), Raised("KeyError"))]


def test_test_functions_of_pytest_are_read() -> None:
    assert (
        len(calls("import pytest\n\ndef test_a():\n    assert f(1) == 1\n\ndef test_b():\n    assert f(2) == 2")) == 2
    )


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("assert f(1) != 2", "line 1: the assertion"),
        ("assert f(1) > 2", "line 1: the assertion"),
        ("assert f(g(1)) == 2", "the call 'g(1)' isn't plain data"),
        ("assert f(1) == f(2)", "isn't plain data"),
        ("assert is_same_list(f(list_node([1])), list_node([2]))", "no known shape"),
        ("x = 1\nassert x == 1", "line 2: the assertion"),
        ("import random\nassert f(random.random()) == 1", "line 2:"),
        ("def helper(x):\n    return x\nassert f(1) == 2", "helper function 'helper'"),
        ("class T:\n    pass", "ClassDef"),
        ("for x in {1, 2}:\n    assert f(x) == 1", "a loop over a set"),
        ("while True:\n    assert f(1) == 1", "While"),
        ("if f(1):\n    assert f(1) == 1", "a condition"),
        ("f(1)", "does something"),
        ("assert f(**{}) == 1", "**"),
        ("with open('x'):\n    f(1)", "a with statement"),
        ("with pytest.raises(Exception):\n    f(1)", "an expected exception"),
        ("def check(a, b):\n    assert a(1) == 2", "helper function 'check'"),
        ("for x in range(30000):\n    assert f(x) == 1", "more than 20000"),
        ("assert f(1) == [", "isn't Python 3"),
        ("print 'python 2'", "isn't Python 3"),
        ("a, b = f(1)\nassert a == 1", "taken apart"),
    ],
)
def test_what_is_not_understood_leaves_the_code_unparsed_with_a_reason(code: str, why: str) -> None:
    parsed = parse_asserts(code, "f")
    assert parsed.calls == ()
    assert why in parsed.why


def test_code_without_assertions_has_no_calls_and_no_reason() -> None:
    assert parse_asserts("import math\nx = 1\n", "f") == ParsedAsserts()


def test_the_code_is_never_run(tmp_path: object) -> None:
    assert parse_asserts(f"open({str(tmp_path) + '/made'!r}, 'w')\nassert f(1) == 1", "f").why


def test_functions_are_named_in_the_order_of_their_first_call() -> None:
    code = "assert set(g(f(1))) == {h(2)}\nassert f(2)"
    assert called_functions(code, frozenset({"f", "g", "h", "other"})) == ("g", "f", "h")
    assert called_functions("not python(", frozenset({"f"})) == ()
