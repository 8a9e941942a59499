"""Rows of a .json file: an array of rows, an object of rows by key, or a single row.

An array is decoded element by element, so a large file never lies in memory as a whole. Method: own, on the standard
library's decoder.
"""

import codecs
import json
import zlib
from collections.abc import Iterator
from typing import IO

from seeds.files import MAX_ROW_BYTES, BrokenPart, SourceFile, open_binary

MAX_OBJECT_BYTES = 256 * 2**20
"""An object of rows is decoded as a whole; a larger one must be an array or JSON Lines."""

_CHUNK = 2**16
_BLANK = " \t\r\n"


class _Buffer:
    """Decoded text of a stream, of which the consumed front is dropped."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self.text = ""
        self.ended = False

    def grow(self) -> None:
        """Append as much text as is there already, at least one chunk."""
        data = self._stream.read(max(_CHUNK, len(self.text)))
        self.ended = not data
        self.text += self._decoder.decode(data, final=self.ended)

    def skip_blanks(self) -> str:
        """Drop blanks in front and return the next character, or an empty string at the end."""
        while True:
            self.text = self.text.lstrip(_BLANK)
            if self.text or self.ended:
                return self.text[:1]
            self.grow()


def iter_json_rows(file: SourceFile) -> Iterator[tuple[str, object] | BrokenPart]:
    """Yield ``(file:number, row)`` for an array, ``(file:key, row)`` for an object of rows, in the file's order.

    An object whose values aren't all objects is a single row. After the first element that isn't JSON nothing can be
    found any more, so the rest of the file is one `BrokenPart`.

    Raises:
        ConfigError: the file can't be opened.
    """
    with open_binary(file) as stream:
        buffer = _Buffer(stream)
        number = 0
        try:
            first = buffer.skip_blanks()
            if first == "[":
                buffer.text = buffer.text[1:]
                for number, row in enumerate(_elements(buffer), 1):
                    yield f"{file.name}:{number}", row
            elif first:
                yield from _object_rows(file, buffer)
        except UnicodeDecodeError:
            yield _broken(file, number + 1, "not_utf8", "from here on the file isn't UTF-8")
        except EOFError:
            yield _broken(
                file, number + 1, "truncated_file", "the file ends inside a row; the rows before it were kept"
            )
        except (OSError, zlib.error) as error:
            yield _broken(file, number + 1, "corrupt_file", f"the file can't be read any further: {error}")
        except OverflowError:
            yield _broken(file, number + 1, "row_too_large", f"a row of more than {MAX_ROW_BYTES:,} bytes")
        except (ValueError, RecursionError) as error:
            yield _broken(file, number + 1, "broken_json", f"not valid JSON; the rows before it were kept: {error}")


def _broken(file: SourceFile, number: int, reason: str, detail: str) -> BrokenPart:
    return BrokenPart(locator=f"{file.name}:{number}", reason=reason, detail=detail)


def _elements(buffer: _Buffer) -> Iterator[object]:
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    first = True
    while True:
        mark = buffer.skip_blanks()
        if mark == "]":
            return
        if not first:
            if mark != ",":
                raise ValueError("a comma or ] is missing after the row") if mark else EOFError
            buffer.text = buffer.text[1:]
            buffer.skip_blanks()
        first = False
        yield _next_value(buffer, decoder)


def _next_value(buffer: _Buffer, decoder: json.JSONDecoder) -> object:
    while True:
        try:
            value, end = decoder.raw_decode(buffer.text)
        except json.JSONDecodeError as error:
            cut_off = error.pos >= len(buffer.text) - 8 or error.msg.startswith("Unterminated string")
            if not cut_off:
                raise
            if buffer.ended:
                raise EOFError from error
            if len(buffer.text) > MAX_ROW_BYTES:
                raise OverflowError from error
        else:
            if end < len(buffer.text) or buffer.ended:
                buffer.text = buffer.text[end:]
                return value
        buffer.grow()


def _object_rows(file: SourceFile, buffer: _Buffer) -> Iterator[tuple[str, object] | BrokenPart]:
    while not buffer.ended:
        buffer.grow()
        if len(buffer.text) > MAX_OBJECT_BYTES:
            detail = f"an object of more than {MAX_OBJECT_BYTES:,} bytes; write the rows as an array or as JSON Lines"
            yield _broken(file, 1, "file_too_large", detail)
            return
    value = json.loads(buffer.text, parse_constant=_refuse_constant)
    if isinstance(value, dict) and value and all(isinstance(row, dict) for row in value.values()):
        for key, row in value.items():
            yield f"{file.name}:{key}", row
    else:
        yield f"{file.name}:1", value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")
