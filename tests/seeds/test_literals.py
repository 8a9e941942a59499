"""Values of expressions without running them, and what is refused."""

import ast
import math
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seeds.literals import Budget, NotLiteralError, bind_target, evaluate


def value(text: str, **names: object) -> object:
    return evaluate(ast.parse(text, mode="eval").body, names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-1", -1),
        ("+2.5", 2.5),
        ("~3", -4),
        ("not 1", False),
        ("[1, (2, 'x'), {3: None}, {4, 5}]", [1, (2, "x"), {3: None}, {4, 5}]),
        ("b'ab'", b"ab"),
        ("1 + 2j", 1 + 2j),
        ("set([1, 2])", {1, 2}),
        ("set()", set()),
        ("frozenset('ab')", frozenset("ab")),
        ("float('inf')", math.inf),
        ("-math.inf", -math.inf),
        ("10**5", 100_000),
        ("2.0/3.0", 2.0 / 3.0),
        ("7 // 2 % 2", 1),
        ("1 << 4 | 1", 17),
        ("'a' * 3 + 'b'", "aaab"),
        ("[0] * 5", [0] * 5),
        ("[*range(3), 9]", [0, 1, 2, 9]),
        ("list(range(1, 4))", [1, 2, 3]),
        ("[x * y for x in [1, 2] for y in (3, 4) if y != 3]", [4, 8]),
        ("{x: str(x) for x in range(2)}", {0: "0", 1: "1"}),
        ("dict(a=1)", {"a": 1}),
        ("'a b'.split()", ["a", "b"]),
        ("sorted({3, 1}, reverse=True)", [3, 1]),
        ("sum([1, 2, 3])", 6),
        ("[1, 2, 3][-1]", 3),
        ("'abcd'[1:3]", "bc"),
        ("n + 1", 8),
    ],
)
def test_plain_data_has_its_value(text: str, expected: object) -> None:
    found = value(text, n=7)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "text",
    [
        "unknown",
        "f(1)",
        "__import__('os')",
        "().__class__",
        "'{}'.format(1)",
        "'%s' % 1",
        "lambda: 1",
        "x if y else z",
        "[1][5]",
        "1 / 0",
        "int('x')",
        "10 ** 10 ** 10",
        "1 << 10 ** 6",
        "'x' * 10 ** 9",
        "[[0] * 10 ** 5] * 10 ** 5",
        "range(10 ** 9)",
        "bytes(10 ** 9)",
        "[x for x in {1, 2}]",
        "sum([[1], [2]], [])",
        "open('x')",
        "{**{}}",
        "f'{1}'",
        "...",
    ],
)
def test_anything_else_is_refused_at_little_cost(text: str) -> None:
    started = time.process_time()
    with pytest.raises(NotLiteralError):
        value(text)
    assert time.process_time() - started < 2


_SAME_HASH = "[i * (2**61 - 1) for i in range(60000)]"


@pytest.mark.parametrize(
    "text",
    [
        "{" + ", ".join(str(i * (2**61 - 1)) for i in range(60_000)) + "}",
        "{" + ", ".join(f"{i * (2**61 - 1)}: 0" for i in range(60_000)) + "}",
        "{i * (2**61 - 1) for i in range(60000)}",
        "{i * (2**61 - 1): i for i in range(60000)}",
        f"set({_SAME_HASH})",
        f"frozenset({_SAME_HASH})",
        f"Counter({_SAME_HASH})",
        "dict([(i * (2**61 - 1), i) for i in range(60000)])",
        " | ".join(f"{{i * (2**61 - 1) for i in range({n * 50}, {n * 50 + 50})}}" for n in range(1, 300)),
    ],
    ids=["set", "mapping", "set loop", "mapping loop", "set()", "frozenset()", "Counter()", "dict()", "union"],
)
def test_items_that_share_a_hash_are_refused_at_little_cost(text: str) -> None:
    node = ast.parse(text, mode="eval").body
    started = time.process_time()
    with pytest.raises(NotLiteralError, match="CollisionError in"):
        evaluate(node)
    assert time.process_time() - started < 3


def test_sets_and_mappings_are_built_in_every_spelling() -> None:
    assert value("dict([(1, 2)], a=3)") == {1: 2, "a": 3}
    assert value("dict({1: 2}) | {2: 3}") == {1: 2, 2: 3}
    assert value("Counter('aab', c=2)") == Counter("aabcc")
    assert value("Counter({'a': 2})") == Counter("aa")
    assert value("set() | frozenset([1]) | {n for n in range(2)}") == {0, 1}
    assert value("set([1] * 1000 + [True])") == {1}
    assert value("Counter('a' * 1000)") == {"a": 1000}
    assert value("dict([(1, 2)] * 1000)") == {1: 2}
    assert value("{n: n for n in range(1000)}") == {n: n for n in range(1000)}


def test_nested_loops_stop_at_the_budget() -> None:
    node = ast.parse("[0 for a in range(400) for b in range(400) for c in range(400)]", mode="eval").body
    with pytest.raises(NotLiteralError, match="too much"):
        evaluate(node, {}, Budget(10_000))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.tuples(inner, inner)
            | st.dictionaries(st.text(), inner, max_size=3)
            | st.sets(st.integers(), max_size=4)
        ),
        max_leaves=12,
    )
)
def test_the_text_of_a_value_gives_the_value_back(original: object) -> None:
    assert value(repr(original), inf=math.inf) == original


def test_loop_targets_bind_the_parts_of_a_value() -> None:
    target = ast.parse("for a, (b, c) in x: pass").body[0]
    assert isinstance(target, ast.For)
    assert bind_target(target.target, (1, [2, 3])) == {"a": 1, "b": 2, "c": 3}
    with pytest.raises(NotLiteralError, match="2 values for 1"):
        bind_target(ast.parse("[a] = x").body[0].targets[0], (1, 2))  # type: ignore[attr-defined]
