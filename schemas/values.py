"""The typed encoding of Python values: plain JSON that keeps types, any float, any integer and any text apart.

Test inputs, expected values and what a solution returned all travel in it. The module imports nothing but the standard
library, since its source is also mounted into the sandbox. Encoding never calls a method that a subclass could
override; `check_encoded` accepts exactly what `encode_value` can write. Method: own.
"""

import base64
import binascii
import itertools
import json
import sys
from collections.abc import Callable, Collection, Iterable
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_DEPTH = 100
"""Containers inside one another."""
MAX_NODES = 1_000_000
"""Values in one encoded value."""
MAX_CHARS = 16 * 2**20
"""Characters, bytes and digits in one encoded value."""

_PLAIN_INT = 2**53
_DECIMAL_BITS = 4096
_MOST_OF_ONE_HASH = 50
_PLAIN_NUMBERS = (bool, int, float, complex)
_CONSTRUCTORS: dict[str, Callable[[Iterable[object]], object]] = {"$tuple": tuple, "$set": set, "$frozenset": frozenset}


class EncodingError(ValueError):
    """The value has no encoding, or the JSON is none: unknown type, cycle, too deep, too large, not canonical."""


class Raised(NamedTuple):
    """What a call that raised decodes to; no dataclass, since that import slows the start of every sandbox."""

    name: str
    """Name of the exception's class."""


def encode_value(value: object) -> Json:
    """Return the encoding of a value; equal values of equal types have one encoding.

    Subclasses of the builtin types are taken by their raw content, and numpy's numbers and truth values are those of
    Python, as they are to ``==``; its arrays aren't, and have no encoding. `Raised` stands at the top only.

    Raises:
        EncodingError: a type without encoding, a cycle, or a value beyond the limits of this module.
    """
    if type(value) is Raised:
        return {"$raises": value.name}
    return _Encoder().encode(value, 0)


def encode_text(value: object) -> str:
    """Return the canonical JSON text of the value's encoding.

    Raises:
        EncodingError: as for `encode_value`.
    """
    return _dump(encode_value(value))


def decode_value(encoded: Json) -> object:
    """Return a fresh value of an encoding; nothing in it is shared with an earlier call.

    Raises:
        EncodingError: not an encoding.
    """
    check_encoded(encoded)
    if type(encoded) is dict and "$raises" in encoded:
        return Raised(str(encoded["$raises"]))
    return _decode(encoded)


def decode_text(text: str) -> object:
    """Return the value of a canonical JSON text.

    Raises:
        EncodingError: not JSON, or not an encoding.
    """
    return decode_value(parse_json(text))


def encode_call(args: Iterable[object], kwargs: dict[str, object]) -> str:
    """Return the canonical JSON ``{"args": [...], "kwargs": {...}}`` of a call.

    Raises:
        EncodingError: an argument has no encoding.
    """
    named = {str(name): encode_value(value) for name, value in kwargs.items()}
    return _dump({"args": [encode_value(value) for value in args], "kwargs": named})


def decode_call(text: str) -> tuple[tuple[object, ...], dict[str, object]]:
    """Return fresh positional and keyword arguments of an encoded call.

    Raises:
        EncodingError: not an encoded call.
    """
    call = parse_json(text)
    if type(call) is not dict or set(call) != {"args", "kwargs"}:
        raise EncodingError('an encoded call is {"args": [...], "kwargs": {...}}')
    args, kwargs = call["args"], call["kwargs"]
    if type(args) is not list or type(kwargs) is not dict:
        raise EncodingError('"args" of an encoded call is a list, "kwargs" an object')
    return tuple(map(decode_value, args)), {name: decode_value(value) for name, value in kwargs.items()}


def encode_exception(name: str) -> str:
    """Return the canonical JSON that stands for a call that raised an exception of that class name."""
    return _dump({"$raises": name})


def parse_json(text: str) -> Json:
    """Return parsed JSON.

    Raises:
        EncodingError: not JSON, or nested too deeply to be read.
    """
    try:
        parsed: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EncodingError(f"not JSON: {error}") from error
    return parsed


def check_hashes(items: Collection[object]) -> None:
    """Accept items that a hash table can hold; many different ones of one hash would make it take hours.

    Raises:
        EncodingError: too many items share a hash.
        TypeError: an item can't be hashed.
    """
    if len(items) <= _MOST_OF_ONE_HASH:
        return
    counts: dict[int, int] = {}
    for item in items:
        found = hash(item)
        counts[found] = counts.get(found, 0) + 1
    if max(counts.values()) > _MOST_OF_ONE_HASH:
        raise EncodingError("too many items of a set or mapping share a hash")


def check_encoded(encoded: Json) -> None:
    """Accept what `encode_value` can write, and nothing else; sets and mappings must be in canonical order.

    No hash table is built of the content, so a hostile text can't make this slow.

    Raises:
        EncodingError: something else, with the reason.
    """
    if type(encoded) is dict and list(encoded) == ["$raises"]:
        if type(encoded["$raises"]) is not str:
            raise EncodingError('"$raises" holds the name of an exception')
        return
    _Checker().check(encoded, 0)


def _dump(encoded: object) -> str:
    return json.dumps(encoded, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _encode_int(number: int) -> Json:
    if -_PLAIN_INT <= number <= _PLAIN_INT:
        return number
    return {"$int": str(number) if number.bit_length() <= _DECIMAL_BITS else hex(number)}


def _encode_str(text: str) -> Json:
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        return {"$str": [ord(char) for char in text]}
    return text


def _encode_bytes(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


class _Budget:
    """Counts depth, nodes and characters of one value."""

    def __init__(self) -> None:
        self._nodes = 0
        self._chars = 0

    def spend(self, depth: int, chars: int = 0, *, nodes: int = 1) -> None:
        self._nodes += nodes
        self._chars += chars
        if depth > MAX_DEPTH:
            raise EncodingError(f"nested deeper than {MAX_DEPTH} levels")
        if self._nodes > MAX_NODES:
            raise EncodingError(f"more than {MAX_NODES} values")
        if self._chars > MAX_CHARS:
            raise EncodingError(f"more than {MAX_CHARS} characters")


class _Encoder:
    """Encodes one value; `issubclass(type(x), ...)` can't be fooled by ``__class__`` or a metaclass."""

    def __init__(self) -> None:
        self._budget = _Budget()
        self._open: set[int] = set()

    def encode(self, value: object, depth: int) -> Json:
        if value is None or value is True or value is False:
            self._budget.spend(depth)
            return value
        kind = type(value)
        if issubclass(kind, (str, bytes, int, float, complex)):
            return self._encode_scalar(value, depth)
        if issubclass(kind, (list, tuple, set, frozenset, dict)) and kind is not Raised:
            return self._encode_container(value, depth)
        found, number = _take_number(value)
        if found:
            return self.encode(number, depth)
        raise EncodingError(f"a value of type {_type_name(kind)} has no encoding{_advise(kind)}")

    def _encode_scalar(self, value: Any, depth: int) -> Json:
        kind = type(value)
        if issubclass(kind, str):
            text = str.__str__(value)
            self._budget.spend(depth, len(text))
            return _encode_str(text)
        if issubclass(kind, bytes):
            encoded = _encode_bytes(bytes.__getitem__(value, slice(None)))
            self._budget.spend(depth, len(encoded))
            return {"$bytes": encoded}
        if issubclass(kind, int):
            integer = int.__add__(value, 0)
            self._budget.spend(depth, 8 + integer.bit_length() // 3)
            return _encode_int(integer)
        self._budget.spend(depth)
        if issubclass(kind, float):
            return {"$float": float.__repr__(value)}
        number = complex.__pos__(value)
        return {"$complex": [repr(number.real), repr(number.imag)]}

    def _encode_container(self, value: Any, depth: int) -> Json:
        if id(value) in self._open:
            raise EncodingError("a value that contains itself has no encoding")
        self._budget.spend(depth)
        self._open.add(id(value))
        try:
            return self._encode_content(value, depth + 1)
        finally:
            self._open.discard(id(value))

    def _encode_content(self, value: Any, depth: int) -> Json:
        kind = type(value)
        if issubclass(kind, list):
            return self._encode_items(list(list.__iter__(value)), depth)
        if issubclass(kind, tuple):
            return {"$tuple": self._encode_items(list(tuple.__iter__(value)), depth)}
        if issubclass(kind, set):
            return {"$set": self._encode_unique(list(set.__iter__(value)), depth)}
        if issubclass(kind, frozenset):
            return {"$frozenset": self._encode_unique(list(frozenset.__iter__(value)), depth)}
        pairs = [(self.encode(key, depth), self.encode(item, depth)) for key, item in dict.items(value)]
        return {"$map": [[key, item] for key, item in _in_order(pairs)]}

    def _encode_unique(self, items: list[Any], depth: int) -> list[Json]:
        return [item for item, _ in _in_order([(item, None) for item in self._encode_items(items, depth)])]

    def _encode_items(self, items: list[Any], depth: int) -> list[Json]:
        if _are_plain(items):
            self._budget.spend(depth, 8 * len(items), nodes=len(items))
            return items
        return [self.encode(item, depth) for item in items]


def _are_plain(items: list[Any]) -> bool:
    """Return whether all are integers that stand for themselves: the common case, and ten times faster this way."""
    if not items or not all(type(item) is int for item in items):
        return False
    smallest, largest = min(items), max(items)
    return bool(smallest >= -_PLAIN_INT and largest <= _PLAIN_INT)


def _in_order(pairs: list[tuple[Json, Json]]) -> list[tuple[Json, Json]]:
    """Return pairs sorted by the canonical JSON of their keys, no two of which may be alike."""
    keyed = sorted(((_dump(pair[0]), pair) for pair in pairs), key=itemgetter(0))
    if any(left[0] == right[0] for left, right in itertools.pairwise(keyed)):
        raise EncodingError("a set or dict that holds two keys with one encoding, such as two NaN")
    return [pair for _, pair in keyed]


def _numpy_base(name: str, kind: type) -> Any:
    """Return a class of numpy, if that was imported and the type is a subclass of it."""
    base = getattr(sys.modules.get("numpy"), name, None)
    return base if type(base) is type and issubclass(kind, base) else None


def _take_number(value: object) -> tuple[bool, object]:
    """Return whether a value is a number of numpy, and which one; no method of a subclass is called."""
    base = _numpy_base("generic", type(value))
    number = base.item(value) if base else None
    return type(number) in _PLAIN_NUMBERS, number


def _advise(kind: type) -> str:
    return "; return its tolist()" if _numpy_base("ndarray", kind) else ""


def _type_name(kind: type) -> str:
    return str(type.__dict__["__name__"].__get__(kind))


class _Checker:
    """Walks parsed JSON and refuses whatever isn't the one spelling of a value."""

    def __init__(self) -> None:
        self._budget = _Budget()

    def check(self, encoded: Json, depth: int) -> None:
        self._budget.spend(depth, len(encoded) if type(encoded) is str else 0)
        if type(encoded) is int and not -_PLAIN_INT <= encoded <= _PLAIN_INT:
            raise EncodingError('an integer beyond 2**53 is written {"$int": "..."}')
        if type(encoded) is float:
            raise EncodingError('a float is written {"$float": "..."}')
        if type(encoded) is str and _encode_str(encoded) != encoded:
            raise EncodingError('text with lone surrogates is written {"$str": [...]}')
        if type(encoded) is list:
            self._check_items(encoded, depth + 1)
        if type(encoded) is dict:
            self._check_tagged(encoded, depth)

    def _check_items(self, items: list[Json], depth: int) -> None:
        if _are_plain(items):
            self._budget.spend(depth, 8 * len(items), nodes=len(items))
            return
        for item in items:
            self.check(item, depth)

    def _check_tagged(self, tagged: dict[str, Json], depth: int) -> None:
        if len(tagged) != 1:
            raise EncodingError("an object in an encoding has exactly one key")
        ((tag, content),) = tagged.items()
        if tag in {"$int", "$float", "$bytes"} and type(content) is str:
            self._budget.spend(depth, 0 if tag == "$float" else len(content), nodes=0)
            if not _is_canonical_scalar(tag, content):
                raise EncodingError(f"not the canonical content of {tag}")
        elif tag in _CONSTRUCTORS and type(content) is list:
            self._check_items(content, depth + 1)
            if tag != "$tuple":
                _check_increasing(content)
        elif tag == "$map" and type(content) is list:
            self._check_pairs(content, depth + 1)
        elif tag == "$str" and type(content) is list:
            self._budget.spend(depth, len(content), nodes=0)
            _check_code_points(content)
        elif tag == "$complex" and type(content) is list:
            _check_complex(content)
        else:
            raise EncodingError(f"unknown tag {tag[:40]!r} in an encoding")

    def _check_pairs(self, pairs: list[Json], depth: int) -> None:
        keys = []
        for pair in pairs:
            if type(pair) is not list or len(pair) != 2:
                raise EncodingError('"$map" holds pairs')
            self._check_items(pair, depth)
            keys.append(pair[0])
        _check_increasing(keys)


def _check_increasing(items: list[Json]) -> None:
    texts = [_dump(item) for item in items]
    if any(left >= right for left, right in itertools.pairwise(texts)):
        raise EncodingError("sets and mappings are sorted by canonical JSON, without duplicates")


def _check_code_points(points: list[Json]) -> None:
    numbers = [point for point in points if type(point) is int and 0 <= point < 0x110000]
    if len(numbers) != len(points) or not any(0xD800 <= number < 0xE000 for number in numbers):
        raise EncodingError('"$str" holds the code points of a text with lone surrogates')


def _check_complex(parts: list[Json]) -> None:
    if len(parts) != 2 or not all(type(part) is str and _is_canonical_scalar("$float", part) for part in parts):
        raise EncodingError('"$complex" holds two floats')


def _is_canonical_scalar(tag: str, content: str) -> bool:
    if not content.isascii():
        return False
    try:
        if tag == "$int":
            return _encode_int(int(content, 0)) == {"$int": content}
        if tag == "$float":
            return repr(float(content)) == content
        return _encode_bytes(base64.b64decode(content, validate=True)) == content
    except (ValueError, binascii.Error):
        return False


def _decode(encoded: Json) -> object:
    if type(encoded) is list:
        return [_decode(item) for item in encoded]
    if type(encoded) is not dict:
        return encoded
    ((tag, content),) = encoded.items()
    if type(content) is list:
        return _decode_listed(tag, content)
    text = str(content)
    if tag == "$bytes":
        return base64.b64decode(text)
    return int(text, 0) if tag == "$int" else float(text)


def _decode_listed(tag: str, content: list[Json]) -> object:
    if tag == "$complex":
        real, imaginary = (float(str(part)) for part in content)
        return complex(real, imaginary)
    if tag == "$str":
        return "".join(chr(point) for point in content if type(point) is int)
    if tag == "$tuple":
        return tuple(_decode(item) for item in content)
    try:
        if tag == "$map":
            pairs = [(_decode(pair[0]), _decode(pair[1])) for pair in content if type(pair) is list]
            check_hashes([key for key, _ in pairs])
            return dict(pairs)
        items = [_decode(item) for item in content]
        check_hashes(items)
        return _CONSTRUCTORS[tag](items)
    except TypeError as error:
        raise EncodingError(f"{tag} holds a value that can't be hashed") from error
