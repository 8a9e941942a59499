import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.languages.types import Type, parse_type, read_call_type
from sandbox.languages.wire import Reader, decode, encode, encode_calls
from schemas.candidate import Parameter, Signature
from schemas.errors import ConfigError, SchemaError
from schemas.values import EncodingError, encode_call, encode_text

SCALARS = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "bigint": st.integers() | st.integers(min_value=10**4299, max_value=10**9000).map(lambda number: -number),
    "float": st.floats(),
    "bool": st.booleans(),
    "str": st.text(st.characters(exclude_categories=[])),
    "bytes": st.binary(),
    "none": st.none(),
}
HASHABLE = ("int", "bool", "str", "bytes")


def values_of(kind):
    parts = [values_of(part) for part in kind.parts]
    match kind.name:
        case "list":
            return st.lists(*parts, max_size=4)
        case "set":
            return st.sets(*parts, max_size=4)
        case "map":
            return st.dictionaries(*parts, max_size=4)
        case "tuple":
            return st.tuples(*parts)
        case "optional":
            return st.none() | parts[0]
    return SCALARS[kind.name]


def containers(inner):
    keys = st.sampled_from(HASHABLE).map(Type)
    return (
        inner.map(lambda kind: Type("list", (kind,)))
        | keys.map(lambda kind: Type("set", (kind,)))
        | st.tuples(keys, inner).map(lambda pair: Type("map", pair))
        | st.lists(inner, max_size=3).map(lambda kinds: Type("tuple", tuple(kinds)))
        | st.sampled_from(HASHABLE).map(lambda name: Type("optional", (Type(name),)))
    )


TYPES = st.recursive(st.sampled_from(sorted(SCALARS)).map(Type), containers, max_leaves=4)


@given(TYPES.flatmap(lambda kind: st.tuples(st.just(kind), values_of(kind))))
def test_every_value_of_every_type_comes_back(pair):
    kind, value = pair
    assert encode_text(decode(encode(value, kind))) == encode_text(value)


@given(st.binary(max_size=60) | st.text(alphabet="NTFIDSBLPEM0123456789:;-a", max_size=40).map(str.encode))
def test_whatever_a_program_writes_is_read_or_refused(data):
    try:
        value = decode(data)
    except EncodingError:
        return
    encode_text(value)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("int", "int"),
        ("typing.List[List[float]]", "list[list[float]]"),
        ("dict[tuple[int, str], bytes | None]", "map[tuple[int, str], optional[bytes]]"),
        ("Optional[set[bigint]]", "optional[set[bigint]]"),
        ("None", "none"),
        ("'list[str]'", "list[str]"),
        ("Union[None, bool]", "optional[bool]"),
    ],
)
def test_type_expressions_are_read(annotation, kind):
    assert str(parse_type(annotation)) == kind


@pytest.mark.parametrize(
    "annotation",
    [
        "",
        "list",
        "object",
        "int | str",
        "dict[int]",
        "TreeNode",
        "int +",
        "list[int",
        pytest.param("int | " * 20_000 + "None", id="too many parts"),
        pytest.param("-" * 100_000 + "1", id="too deep"),
    ],
)
def test_a_type_without_counterpart_is_refused_with_its_name(annotation):
    with pytest.raises(ConfigError, match=r"the type .* of x can't be used"):
        parse_type(annotation, "x")


SIGNATURE = Signature(
    entry_point="f",
    parameters=(Parameter(name="a", annotation="int"), Parameter(name="b", annotation="list[float]")),
    returns="str",
)


def test_calls_are_bound_to_the_parameters_and_ints_may_stand_for_floats():
    types = read_call_type(SIGNATURE)
    calls = (encode_call((1, [2, math.inf]), {}), encode_call((), {"b": [], "a": -3}))
    assert encode_calls(calls, types) == b"C2;I1;L2:D4000000000000000D7ff0000000000000I-3;L0:"


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((1,), {}),
        ((1, [], 2), {}),
        ((1, []), {"a": 1}),
        ((True, []), {}),
        ((2**63, []), {}),
        ((1, ["x"]), {}),
        ((1,), {"c": []}),
        ((1, [10**400]), {}),
    ],
)
def test_a_call_that_does_not_fit_the_signature_is_refused(args, kwargs):
    with pytest.raises(SchemaError, match="doesn't fit the signature"):
        encode_calls((encode_call(args, kwargs),), read_call_type(SIGNATURE))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"L9999999999999:",
        b"L1:" * 200 + b"N",
        b"I;",
        b"I1",
        b"D12",
        b"Dzzzzzzzzzzzzzzzz",
        b"S2:\xff\xff",
        b"E2:NN",
        b"E1:L0:",
        b"NN",
        b"I--1;",
        b"L-1:",
        b"D7ff8 0000 0000 00",
        b"E2:D7ff8000000000000D7ff8000000000001",
        b"M2:D7ff8000000000000ND7ff8000000000000N",
    ],
)
def test_malformed_values_are_refused(data):
    with pytest.raises(EncodingError):
        decode(data)


@pytest.mark.parametrize("form", [b"E%d:", b"M%d:"])
def test_items_made_to_share_a_hash_cannot_keep_the_judge_busy(form):
    items = [b"I%d;" % (number * (2**61 - 1)) for number in range(100_000)]
    data = form % len(items) + b"".join(item + (b"N" if form == b"M%d:" else b"") for item in items)
    with pytest.raises(EncodingError, match="share a hash"):
        decode(data)


def test_a_reader_tells_what_is_left():
    reader = Reader(b"V1;N")
    assert reader.take(1) == b"V"
    assert reader.take(reader.size(b";")) == b"N"
    assert reader.is_at_end()
