"""Examples (input and expected output) as hashes that don't depend on types that a translation changes.

A third look of decontamination: a paraphrase or a translation keeps the examples. Arguments count as a multiset of
values, so that a call by name equals one by position; tuples equal lists, and whole floats equal integers. Method: own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schemas.canonical import canonical_json
from schemas.values import EncodingError, decode_call, decode_text
from transforms.curation.shingles import hash_token

_DECIMAL_BITS = 4096
"""Larger integers are spelt in hexadecimal; Python writes no decimal text of thousands of digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamplePrint:
    """One example: the hash of the pair, and of its output alone."""

    pair: int
    output: int
    text: str
    """Input and output, as far as a person needs them to recognise the example."""


def _plain(value: object) -> object:
    """Return a decoded value as JSON data that forgets what a translation between languages loses."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=canonical_json)
    if isinstance(value, Mapping):
        return sorted(([_plain(key), _plain(item)] for key, item in value.items()), key=canonical_json)
    if isinstance(value, int) and value.bit_length() > _DECIMAL_BITS:
        return hex(value)
    return value if value is None or isinstance(value, bool | int | str) else repr(value)


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _spell_input(text: str) -> tuple[str, ...]:
    """Return the sorted spellings of the arguments, or the words of standard input as one."""
    try:
        positional, named = decode_call(text)
    except EncodingError:
        return (_squeeze(text),)
    return tuple(sorted(canonical_json(_plain(value)) for value in (*positional, *named.values())))


def _spell_output(text: str) -> str:
    try:
        return canonical_json(_plain(decode_text(text)))
    except EncodingError:
        return _squeeze(text)


def print_examples(pairs: Iterable[tuple[str, str]]) -> tuple[ExamplePrint, ...]:
    """Return the prints of examples, each pair once, ordered by hash.

    Args:
        pairs: input and expected output as `TestCase` spells them.

    Returns:
        One print per distinct pair. A pair whose output only repeats the input is left out, since it says nothing.
    """
    found: dict[int, ExamplePrint] = {}
    for test_input, expected in pairs:
        arguments, output = _spell_input(test_input), _spell_output(expected)
        if arguments in {(output,), ()}:
            continue
        pair = hash_token(canonical_json([*arguments, output]))
        text = f"{', '.join(arguments)} -> {output}"
        found[pair] = ExamplePrint(pair=pair, output=hash_token(output), text=text)
    return tuple(found[pair] for pair in sorted(found))
