r"""How values travel between the judge and a program in any language: a prefix code that every driver can read.

========= ==========================================================================================
``N``     null
``T F``   true, false
``I42;``  an integer of any size, in decimal digits
``D...``  a float: 16 hexadecimal digits of its IEEE 754 double, most significant first
``S3:``   a text of that many bytes: UTF-8, with lone surrogates encoded as if they were code points
``B3:``   that many bytes
``L2:``   a list of two values, which follow
``P2:``   a tuple of two values
``E2:``   a set of two values, in any order
``M2:``   a map of two entries: key, value, key, value
========= ==========================================================================================

A driver reads ``C`` + number of calls + ``;`` and then for each call its arguments in the order of the signature. For
each call it writes one record to descriptor 3: ``V<bytes>;<value>`` for a result, ``X<bytes>;<name>\n<message>`` for
an exception or panic, ``E<bytes>;<message>`` when the result is no value of the declared type. What comes back is
untrusted and is parsed here, outside. Method: own.
"""

import re
import struct
from collections.abc import Iterable, Sequence

from sandbox.languages.types import CallType, Type
from schemas.errors import SchemaError
from schemas.values import MAX_DEPTH, MAX_NODES, EncodingError, check_hashes, decode_call

_MAX_DIGITS = 100_000
_PIECE_DIGITS = 4000
_PIECE = 10**_PIECE_DIGITS
_INT64 = range(-(2**63), 2**63)
_DOUBLE = re.compile(rb"[0-9A-Fa-f]{16}")


def encode_calls(calls: Sequence[str], types: CallType) -> bytes:
    """Return what a driver reads for encoded calls.

    Raises:
        SchemaError: an input is no encoded call, or its arguments don't have the types of the signature.
    """
    parts = [b"C%d;" % len(calls)]
    for call in calls:
        try:
            args, kwargs = decode_call(call)
            values = _bind(args, kwargs, types)
            parts += [encode(value, each) for value, (_, each) in zip(values, types.parameters, strict=True)]
        except (EncodingError, ValueError) as error:
            raise SchemaError(f"test input {call[:80]!r} doesn't fit the signature: {error}") from error
    return b"".join(parts)


def _bind(args: tuple[object, ...], kwargs: dict[str, object], types: CallType) -> list[object]:
    names = [name for name, _ in types.parameters]
    missing = names[len(args) :]
    if len(args) > len(names) or set(missing) != kwargs.keys():
        raise ValueError(f"{len(args)} arguments and {sorted(kwargs)} for the parameters {names}")
    return [*args, *(kwargs[name] for name in missing)]


def encode(value: object, kind: Type) -> bytes:  # noqa: C901, PLR0911, PLR0912  # one line per type
    """Return the wire form of a value of a type; an ``int`` may stand where a ``float`` is declared.

    Raises:
        ValueError: the value isn't of that type.
    """
    match kind.name, value:
        case "optional", None:
            return b"N"
        case "optional", _:
            return encode(value, kind.parts[0])
        case "none", None:
            return b"N"
        case "bool", bool():
            return b"T" if value else b"F"
        case "bigint", int() if not isinstance(value, bool):
            return b"I" + _write_digits(value) + b";"
        case "int", int() if not isinstance(value, bool) and value in _INT64:
            return b"I%d;" % value
        case "float", (float() | int()) if not isinstance(value, bool):
            return b"D" + _pack_double(value).hex().encode()
        case "str", str():
            return _sized(b"S", value.encode("utf-8", "surrogatepass"))
        case "bytes", bytes():
            return _sized(b"B", value)
        case "list", list():
            return _many(b"L", value, kind.parts[0])
        case "set", set() | frozenset():
            return _many(b"E", value, kind.parts[0])
        case "tuple", tuple() if len(value) == len(kind.parts):
            return b"P%d:" % len(value) + b"".join(map(encode, value, kind.parts))
        case "map", dict():
            pairs = [encode(key, kind.parts[0]) + encode(item, kind.parts[1]) for key, item in value.items()]
            return b"M%d:" % len(value) + b"".join(pairs)
    raise ValueError(f"{value!r:.60} isn't of the type {kind}")


def _pack_double(value: float) -> bytes:
    try:
        return struct.pack(">d", value)
    except (struct.error, OverflowError) as error:
        raise ValueError("an integer beyond every float") from error


def _sized(tag: bytes, data: bytes) -> bytes:
    return tag + b"%d:" % len(data) + data


def _many(tag: bytes, values: Iterable[object], kind: Type) -> bytes:
    encoded = [encode(value, kind) for value in values]
    if tag == b"E":
        encoded.sort()
    return tag + b"%d:" % len(encoded) + b"".join(encoded)


def decode(data: bytes) -> object:
    """Return the value of a wire form; a set comes back as a set.

    Raises:
        EncodingError: no wire form, or beyond the limits of `schemas.values`.
    """
    reader = Reader(data)
    value = reader.read_value()
    if not reader.is_at_end():
        raise EncodingError("bytes after the value")
    return value


class Reader:
    """Reads what a driver wrote, believing nothing."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._nodes = 0

    def is_at_end(self) -> bool:
        """Return whether everything has been read."""
        return self._at == len(self._data)

    def take(self, size: int) -> bytes:
        """Return the next bytes.

        Raises:
            EncodingError: there are fewer.
        """
        piece = self._data[self._at : self._at + size]
        if len(piece) != size:
            raise EncodingError("the value ends too early")
        self._at += size
        return piece

    def number(self, end: bytes) -> int:
        """Return the decimal number up to an end mark, which is passed over.

        Raises:
            EncodingError: none is there, or it is too long.
        """
        stop = self._data.find(end, self._at, self._at + _MAX_DIGITS)
        digits = self._data[self._at : stop] if stop >= 0 else b""
        if not digits.removeprefix(b"-").isdigit():
            raise EncodingError("a malformed number")
        self._at = stop + 1
        return _parse_digits(digits)

    def size(self, end: bytes = b":") -> int:
        """Return a size that can be true.

        Raises:
            EncodingError: it is negative, or larger than what is left.
        """
        number = self.number(end)
        if not 0 <= number <= len(self._data) - self._at:
            raise EncodingError("a size beyond the data")
        return number

    def read_value(self, depth: int = 0) -> object:
        """Return the next value.

        Raises:
            EncodingError: no wire form, too deep or too large.
        """
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise EncodingError("too deep" if depth > MAX_DEPTH else "too many values")
        tag = self.take(1)
        if tag in b"NTF":
            return {b"N": None, b"T": True, b"F": False}[tag]
        if tag == b"I":
            return self.number(b";")
        if tag == b"D":
            return self._float()
        if tag == b"S":
            return self._text()
        if tag == b"B":
            return self.take(self.size())
        return self._container(tag, depth)

    def _float(self) -> float:
        digits = self.take(16)
        if not _DOUBLE.fullmatch(digits):
            raise EncodingError("a malformed float")
        number: float = struct.unpack(">d", bytes.fromhex(digits.decode("ascii")))[0]
        return number

    def _text(self) -> str:
        try:
            text = self.take(self.size()).decode("utf-8", "surrogatepass")
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # joins surrogate pairs
        except UnicodeDecodeError as error:
            raise EncodingError("a malformed text") from error

    def _container(self, tag: bytes, depth: int) -> object:
        if tag not in b"LPEM":
            raise EncodingError(f"an unknown tag {tag!r}")
        count = self.size()
        values = [self.read_value(depth + 1) for _ in range(count * 2 if tag == b"M" else count)]
        if tag == b"L":
            return values
        if tag == b"P":
            return tuple(values)
        keys = values if tag == b"E" else values[::2]
        try:
            check_hashes(keys)
            unique = set(keys) if tag == b"E" else dict(zip(keys, values[1::2], strict=True))
        except TypeError as error:
            raise EncodingError("a key or a set's item that can't be hashed") from error
        if len(unique) != count or sum(key != key for key in keys) > 1:  # noqa: PLR0124  # NaN differs from itself
            raise EncodingError("a key or a set's item that is there twice")
        return unique


def _write_digits(number: int) -> bytes:
    """Return the decimal digits of a number of any length; Python refuses more than some thousand at once."""
    rest, pieces = abs(number), []
    while rest >= _PIECE:
        rest, piece = divmod(rest, _PIECE)
        pieces.append(f"{piece:0{_PIECE_DIGITS}}")
    sign = "-" if number < 0 else ""
    return "".join([sign, str(rest), *reversed(pieces)]).encode()


def _parse_digits(digits: bytes) -> int:
    text = digits.decode("ascii")
    return -_join_digits(text[1:]) if text.startswith("-") else _join_digits(text)


def _join_digits(text: str) -> int:
    """Return the number, from halves: joined piece after piece, a hundred long ones would take seconds."""
    if len(text) <= _PIECE_DIGITS:
        return int(text)
    low = len(text) // 2
    shift: int = 10**low
    return _join_digits(text[:-low]) * shift + _join_digits(text[-low:])
