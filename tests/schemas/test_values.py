import enum
import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.canonical import canonical_json
from schemas.values import (
    MAX_DEPTH,
    EncodingError,
    Raised,
    check_encoded,
    decode_call,
    decode_text,
    decode_value,
    encode_call,
    encode_exception,
    encode_text,
    encode_value,
)

NAN = float("nan")
ONE_NAN = st.floats().map(lambda number: number if number == number else NAN)
"""Two NaN in one set have no encoding; one and the same is there once."""
ANY_TEXT = st.text(alphabet=st.characters(codec=None, categories=None), max_size=12)
HASHABLE_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers().map(lambda number: number << 4090),
    ONE_NAN,
    st.complex_numbers(allow_nan=False),
    ANY_TEXT,
    st.binary(max_size=12),
)
HASHABLE = st.recursive(
    HASHABLE_LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(tuple),
        st.frozensets(inner, max_size=4),
    ),
    max_leaves=8,
)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: st.one_of(
        st.lists(inner | st.complex_numbers(), max_size=5),
        st.lists(inner, max_size=5).map(tuple),
        st.sets(HASHABLE, max_size=5),
        st.dictionaries(HASHABLE, inner, max_size=5),
    ),
    max_leaves=20,
)


def same(left: object, right: object) -> bool:
    """Equality that looks at types, at the sign of zero and takes NaN for itself."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return repr(left) == repr(right)
    if isinstance(left, complex):
        return repr(left.real) == repr(right.real) and repr(left.imag) == repr(right.imag)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, (set, frozenset)):
        return len(left) == len(right) and all(any(same(a, b) for b in right) for a in left)
    if isinstance(left, dict):
        pairs = list(right.items())
        return len(left) == len(right) and all(
            any(same(key, other) and same(item, value) for other, value in pairs) for key, item in left.items()
        )
    return left == right


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_every_value_survives_the_round_trip(value):
    text = encode_text(value)
    assert same(decode_text(text), value)
    assert encode_text(decode_text(text)) == text


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_encoding_is_canonical_json_and_passes_its_own_check(value):
    encoded = encode_value(value)
    assert encode_text(value) == canonical_json(encoded)
    check_encoded(json.loads(encode_text(value)))


class Loose(str):
    """Equal to nothing but itself."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other


@pytest.mark.parametrize(
    "value",
    [
        {NAN, float("nan")},
        frozenset([complex(NAN, 0), complex(float("nan"), 0)]),
        {NAN: 1, float("nan"): 2},
        {Loose("a"), Loose("a")},
        {Loose("a"): 1, "a": 2},
    ],
)
def test_keys_that_have_one_encoding_have_none_together(value):
    with pytest.raises(EncodingError, match="two keys with one encoding"):
        encode_value([value])


def test_one_nan_in_a_set_is_encoded():
    assert encode_text({NAN}) == '{"$set":[{"$float":"nan"}]}'


@given(st.lists(VALUES, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "self"]), VALUES, max_size=2))
@settings(max_examples=40, deadline=None)
def test_calls_survive_the_round_trip(args, kwargs):
    got_args, got_kwargs = decode_call(encode_call(args, kwargs))
    assert same(got_args, tuple(args))
    assert same(got_kwargs, kwargs)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
                        st.sampled_from(["$int", "$float", "$set", "$map", "$str", "$bytes", "x"]), inner, max_size=2),
                    max_leaves=12))  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_any_json_is_either_refused_or_canonical(tree):
    try:
        check_encoded(tree)
    except EncodingError:
        return
    try:
        value = decode_value(tree)
    except EncodingError:  # a set of lists
        return
    assert encode_text(value) == canonical_json(tree)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (1.0, '{"$float":"1.0"}'),
        (-0.0, '{"$float":"-0.0"}'),
        (math.inf, '{"$float":"inf"}'),
        (-math.inf, '{"$float":"-inf"}'),
        (math.nan, '{"$float":"nan"}'),
        (2**53, "9007199254740992"),
        (2**53 + 1, '{"$int":"9007199254740993"}'),
        (-(2**64), '{"$int":"-18446744073709551616"}'),
        ("é", '"\\u00e9"'),
        ("\ud83d\ude00", '{"$str":[55357,56832]}'),
        ("\U0001f600", '"\\ud83d\\ude00"'),
        (b"\x00\xff", '{"$bytes":"AP8="}'),
        ((1, [2]), '{"$tuple":[1,[2]]}'),
        ({3, 1}, '{"$set":[1,3]}'),
        (frozenset("ba"), '{"$frozenset":["a","b"]}'),
        ({"b": 1, 2: None}, '{"$map":[["b",1],[2,null]]}'),
        (complex(1, -0.0), '{"$complex":["1.0","-0.0"]}'),
        (Raised("KeyError"), '{"$raises":"KeyError"}'),
    ],
)
def test_encodings_have_the_documented_form(value, text):
    assert encode_text(value) == text


def test_integers_beyond_the_interpreter_s_digit_limit_are_kept():
    number = -(7**20_000)
    assert decode_text(encode_text(number)) == number


class LyingInt(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__

    def __repr__(self):
        return "42"

    __str__ = __repr__

    def __int__(self):
        return 42

    def __index__(self):
        return 42

    def __add__(self, other):
        return 42

    def bit_length(self):
        return 1


class LyingFloat(float):
    def __repr__(self):
        return "4.2"

    __str__ = __repr__

    def __float__(self):
        return 4.2


class LyingStr(str):
    __slots__ = ()

    def __str__(self):
        return "expected"

    def __iter__(self):
        return iter("expected")

    def isascii(self):
        return False


class LyingList(list):
    def __iter__(self):
        return iter([9, 9])

    def __len__(self):
        return 99

    def __getitem__(self, index):
        return 9


class LyingDict(dict):
    def items(self):
        return [("expected", 1)]

    def keys(self):
        return ["expected"]

    def __iter__(self):
        return iter(["expected"])


class LyingTuple(tuple):
    __slots__ = ()

    def __iter__(self):
        return iter((9,))


class LyingSet(set):
    def __iter__(self):
        return iter((9,))


class LyingBytes(bytes):
    def __bytes__(self):
        return b"expected"

    def __getitem__(self, index):
        return b"expected"


class Colour(enum.IntEnum):
    RED = 3


class Point(NamedTuple):
    x: int
    y: int


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (LyingInt(7), 7),
        (LyingFloat(-0.0), -0.0),
        (LyingStr("abc"), "abc"),
        (LyingList([1, 2]), [1, 2]),
        (LyingDict({1: 2}), {1: 2}),
        (LyingTuple((1, 2)), (1, 2)),
        (LyingSet({1}), {1}),
        (LyingBytes(b"ab"), b"ab"),
        (Colour.RED, 3),
        (Point(1, 2), (1, 2)),
        (Counter("aab"), {"a": 2, "b": 1}),
        (defaultdict(list, {1: [2]}), {1: [2]}),
        (OrderedDict([(2, 1), (1, 2)]), {1: 2, 2: 1}),
    ],
)
def test_subclasses_are_taken_by_their_raw_content(value, plain):
    assert encode_text(value) == encode_text(plain)


class Pretender:
    @property
    def __class__(self):
        return int

    def __eq__(self, other):
        return True

    __hash__ = None


class HostileMeta(type):
    def __instancecheck__(cls, instance):
        return True

    def __subclasscheck__(cls, subclass):
        return True

    @property
    def __name__(cls):
        raise SystemExit


class Hostile(metaclass=HostileMeta):
    pass


def make_cycle():
    value: list[object] = []
    value.append({"k": (value,)})
    return value


def make_deep(levels):
    value: object = 0
    for _ in range(levels):
        value = [value]
    return value


def make_bomb():
    return [[0] * 1000] * 1001


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Pretender(), "type Pretender has no encoding"),
        (Hostile(), "has no encoding"),
        (object(), "type object has no encoding"),
        (bytearray(b"a"), "type bytearray has no encoding"),
        (deque([1]), "type deque has no encoding"),
        (range(3), "type range has no encoding"),
        ([Raised("ValueError")], "type Raised has no encoding"),
        (make_cycle(), "contains itself"),
        (make_deep(MAX_DEPTH + 1), "nested deeper than 100"),
        (make_bomb(), "more than 1000000 values"),
        ("x" * (16 * 2**20 + 1), "more than 16777216 characters"),
    ],
    ids=lambda given: given if type(given) is str and len(given) < 80 else "value",
)
def test_what_has_no_encoding_is_refused_with_the_reason(value, message):
    with pytest.raises(EncodingError, match=message):
        encode_value(value)


def test_a_value_at_the_depth_limit_is_kept():
    text = encode_text(make_deep(MAX_DEPTH))
    assert encode_text(decode_text(text)) == text


@pytest.mark.slow
def test_a_large_value_within_the_limits_passes_its_own_check():
    text = encode_text([0.5] * 600_000)
    check_encoded(json.loads(text))


def test_a_shared_part_is_no_cycle():
    part = [1]
    assert encode_text([part, part]) == "[[1],[1]]"


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "1.5",
        "NaN",
        "9007199254740993",
        "{}",
        '{"a":1}',
        '{"$int":"1"}',
        '{"$int":"09007199254740993"}',
        '{"$int":"9007199254740993","$x":1}',
        '{"$int":9007199254740993}',
        '{"$float":"1"}',
        '{"$float":"NaN"}',
        '{"$float":"1e400"}',
        '{"$bytes":"AP8"}',
        '{"$bytes":"A P8="}',
        '{"$set":[2,1]}',
        '{"$set":[1,1]}',
        '{"$map":[[2,0],[1,0]]}',
        '{"$map":[[1,0],[1,1]]}',
        '{"$map":[[1]]}',
        '{"$map":{}}',
        '{"$str":[97]}',
        '{"$str":[-1]}',
        '{"$str":[1114112]}',
        '{"$complex":["1.0"]}',
        '{"$raises":1}',
        '[{"$raises":"ValueError"}]',
        '"\\ud800"',
        "[" * 5000 + "]" * 5000,
    ],
)
def test_what_the_encoder_can_t_write_is_refused(text):
    with pytest.raises(EncodingError):
        decode_text(text)


def test_a_set_of_lists_can_t_be_decoded():
    with pytest.raises(EncodingError, match="hashed"):
        decode_text('{"$set":[[1]]}')


def test_colliding_hashes_don_t_slow_the_check_down():
    modulus = 2**61 - 1
    items = sorted((encode_value(modulus * k) for k in range(20_000)), key=canonical_json)
    check_encoded({"$set": items})


def test_exceptions_have_an_encoding_of_their_own():
    assert encode_exception("KeyError") == '{"$raises":"KeyError"}'
    assert decode_text(encode_exception("KeyError")) == Raised("KeyError")


@pytest.mark.parametrize("text", ["[]", "1", '{"args":[]}', '{"args":{},"kwargs":{}}', '{"args":[1.5],"kwargs":{}}'])
def test_broken_calls_are_refused(text):
    with pytest.raises(EncodingError):
        decode_call(text)


def test_decoded_calls_are_fresh():
    text = encode_call(([1],), {})
    decode_call(text)[0][0].append(2)
    assert decode_call(text) == (([1],), {})


@pytest.mark.timeout(100)
def test_a_set_that_would_take_hours_to_build_is_refused():
    numbers = [{"$int": str((2**61 - 1) * number)} for number in range(2**10, 2**10 + 40_000)]
    ordered = sorted(numbers, key=json.dumps)
    for encoded in ({"$set": ordered}, {"$frozenset": ordered}, {"$map": [[number, 1] for number in ordered]}):
        with pytest.raises(EncodingError, match="share a hash"):
            decode_value(encoded)
    assert len(decode_value({"$tuple": ordered})) == 40_000


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int64(-3), "-3"),
        (np.uint64(2**64 - 1), '{"$int":"18446744073709551615"}'),
        (np.bool_(True), "true"),
        (np.float16(0.5), '{"$float":"0.5"}'),
        (np.float64("nan"), '{"$float":"nan"}'),
        (np.complex64(1 + 2j), '{"$complex":["1.0","2.0"]}'),
        (np.str_("a"), '"a"'),
        ([np.int8(1), (np.float32(2),)], '[1,{"$tuple":[{"$float":"2.0"}]}]'),
        ({np.int64(1): {np.int64(2)}}, '{"$map":[[1,{"$set":[2]}]]}'),
    ],
)
def test_numbers_of_numpy_are_encoded_as_those_of_python(value, text):
    assert encode_text(value) == text
    assert encode_text(decode_text(text)) == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros(2), r"type ndarray has no encoding; return its tolist\(\)"),
        ([np.array(1)], "type ndarray has no encoding"),
        (np.datetime64("2020-01-01"), "type datetime64 has no encoding"),
        (np.longdouble(1), "type longdouble has no encoding"),
        (np.void(b"x"), "type void has no encoding"),
    ],
)
def test_what_else_numpy_has_is_refused_with_the_reason(value, message):
    with pytest.raises(EncodingError, match=message):
        encode_text(value)


def test_no_method_of_a_subclass_of_numpys_is_called():
    class Liar(np.int64):
        def item(self):
            return 99

        __int__ = __index__ = item

    assert encode_text(Liar(5)) == "5"
