"""Unified diffs of bytes that `git apply` takes for every file, in both directions.

Made after a splice and stored in the row. Lines end at the line feed only, so form feeds, lone carriage returns and
U+2028 stay inside their line, as git sees them. Where a hunk holds bytes that aren't UTF-8 (and so can't stand in a
text column), the patch is a git binary patch with deltas in both directions. The text of a patch is meant to be
written in UTF-8 without newline translation. Method: own; formats of git's apply.c, base85.c and patch-delta.c.
"""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from mutators.splice import shared_prefix

_MAX_MATCHED_LINES = 4000
"""A changed middle longer than this on either side is replaced as one block: matching would be quadratic."""
_BASE85 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_QUOTED = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_NO_NEWLINE = b"\n\\ No newline at end of file\n"

_Opcode = tuple[bool, int, int, int, int]
"""Whether the ranges are equal, then the range of old lines and the range of new lines."""


def unified_diff(path: str, before: bytes, after: bytes) -> str:
    """Return the patch that turns one file's bytes into the other's; empty when they're equal.

    Args:
        path: relative to the repository's root, with forward slashes.
    """
    if before == after:
        return ""
    header = f"diff --git {_quote('a/' + path)} {_quote('b/' + path)}\n"
    names = f"--- {_quote('a/' + path)}{_tab(path)}\n+++ {_quote('b/' + path)}{_tab(path)}\n"
    opcodes = _match_lines(before, after)
    old, new = split_lines(before), split_lines(after)
    for context in (3, 2, 1):  # less context may leave out the lines that aren't UTF-8
        hunks = b"".join(_render_hunks(old, new, opcodes, context))
        if b"\0" not in hunks and _is_utf8(hunks):
            return header + names + hunks.decode("utf-8")
    return header + _binary_patch(before, after)


def changed_lines(before: bytes, after: bytes) -> str:
    """Return only the removed lines (``-``) and added lines (``+``), for a person to read."""
    old, new = split_lines(before), split_lines(after)
    shown: list[bytes] = []
    for equal, old_start, old_end, new_start, new_end in _match_lines(before, after):
        if not equal:
            shown += [b"-" + line.rstrip(b"\r\n") for line in old[old_start:old_end]]
            shown += [b"+" + line.rstrip(b"\r\n") for line in new[new_start:new_end]]
    return b"\n".join(shown).decode("utf-8", "replace")


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines with their line feeds; only the last may lack one."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _match_lines(before: bytes, after: bytes) -> list[_Opcode]:
    """Return opcodes that cover both files; equal and changed ones alternate."""
    old, new = split_lines(before), split_lines(after)
    room = min(len(old), len(new))
    head = before.count(b"\n", 0, shared_prefix(before, after))
    head = min(head, room)
    tail = 0
    while tail < room - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    old_end, new_end = len(old) - tail, len(new) - tail
    middle_old, middle_new = old[head:old_end], new[head:new_end]
    opcodes: list[_Opcode] = [(True, 0, head, 0, head)] if head else []
    if max(len(middle_old), len(middle_new)) > _MAX_MATCHED_LINES:
        opcodes.append((False, head, old_end, head, new_end))
    else:
        matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
        opcodes += [
            (tag == "equal", i1 + head, i2 + head, j1 + head, j2 + head)
            for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        ]
    if tail:
        opcodes.append((True, old_end, len(old), new_end, len(new)))
    return opcodes


def _group(opcodes: Sequence[_Opcode], context: int) -> Iterator[list[_Opcode]]:
    """Yield the opcodes of each hunk, equal runs cut to the context."""
    group: list[_Opcode] = []
    last = len(opcodes) - 1
    for index, (equal, i1, i2, j1, j2) in enumerate(opcodes):
        if not equal:
            group.append((equal, i1, i2, j1, j2))
            continue
        if index == 0:
            group.append((True, max(i1, i2 - context), i2, max(j1, j2 - context), j2))
        elif index == last:
            group.append((True, i1, min(i2, i1 + context), j1, min(j2, j1 + context)))
        elif i2 - i1 > 2 * context:
            yield [*group, (True, i1, i1 + context, j1, j1 + context)]
            group = [(True, i2 - context, i2, j2 - context, j2)]
        else:
            group.append((True, i1, i2, j1, j2))
    yield group


def _render_hunks(
    old: Sequence[bytes], new: Sequence[bytes], opcodes: Sequence[_Opcode], context: int
) -> Iterator[bytes]:
    for group in _group(opcodes, context):
        old_range = _render_range(group[0][1], group[-1][2])
        new_range = _render_range(group[0][3], group[-1][4])
        yield f"@@ -{old_range} +{new_range} @@\n".encode("ascii")
        for equal, i1, i2, j1, j2 in group:
            if equal:
                yield from (_render_line(b" ", line) for line in old[i1:i2])
            else:
                yield from (_render_line(b"-", line) for line in old[i1:i2])
                yield from (_render_line(b"+", line) for line in new[j1:j2])


def _render_line(mark: bytes, line: bytes) -> bytes:
    return mark + line if line.endswith(b"\n") else mark + line + _NO_NEWLINE


def _render_range(start: int, end: int) -> str:
    size = end - start
    if size == 1:
        return str(start + 1)
    return f"{start + 1 if size else start},{size}"


def _quote(name: str) -> str:
    """Return the name as git writes it: in C quotes when it holds a control, quote or non-ASCII byte."""
    raw = name.encode("utf-8", "surrogateescape")
    if all(32 <= byte < 127 and byte not in {34, 92} for byte in raw):
        return name
    return '"' + "".join(_quote_byte(byte) for byte in raw) + '"'


def _quote_byte(byte: int) -> str:
    if byte in _QUOTED:
        return _QUOTED[byte]
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _tab(path: str) -> str:
    """Return the tab that ends a name with blanks, so that the name isn't cut there."""
    return "\t" if " " in path else ""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _binary_patch(before: bytes, after: bytes) -> str:
    lines = [f"index {_blob_id(before)}..{_blob_id(after)}", "GIT binary patch"]
    for source, target in ((before, after), (after, before)):
        kind, data = ("delta", _delta(source, target)) if target else ("literal", b"")  # a delta can't be that short
        lines += [f"{kind} {len(data)}", *_base85_lines(_store(data)), ""]
    return "\n".join(lines) + "\n"


def _blob_id(data: bytes) -> str:
    """Return git's name of the content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _delta(source: bytes, target: bytes) -> bytes:
    """Return a git delta: copy what both start with, insert the difference, copy what both end with."""
    head = shared_prefix(source, target)
    room = min(len(source), len(target)) - head
    tail = shared_prefix(source[::-1][:room], target[::-1][:room])
    inserted = target[head : len(target) - tail]
    delta = _varint(len(source)) + _varint(len(target)) + _copy(0, head)
    for start in range(0, len(inserted), 127):
        piece = inserted[start : start + 127]
        delta += bytes([len(piece)]) + piece
    return delta + _copy(len(source) - tail, tail)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _copy(offset: int, size: int) -> bytes:
    """Return the delta commands that copy a range of the source, at most 0xffff bytes each."""
    out = b""
    for start in range(offset, offset + size, 0xFFFF):
        length = min(0xFFFF, offset + size - start)
        out += bytes([0x80 | 0x0F | 0x30]) + start.to_bytes(4, "little") + length.to_bytes(2, "little")
    return out


def _store(data: bytes) -> bytes:
    """Return a zlib stream of stored blocks: the same bytes with every version of zlib."""
    out = b"\x78\x01"
    for start in range(0, max(1, len(data)), 0xFFFF):
        block = data[start : start + 0xFFFF]
        final = start + 0xFFFF >= len(data)
        size = len(block).to_bytes(2, "little")
        out += bytes([final]) + size + bytes(byte ^ 0xFF for byte in size) + block
    return out + zlib.adler32(data).to_bytes(4, "big")


def _base85_lines(data: bytes) -> Iterator[str]:
    """Yield git's base-85 lines: a letter for the number of bytes (1 to 52), then five digits for every four."""
    for start in range(0, len(data), 52):
        piece = data[start : start + 52]
        size = len(piece)
        mark = chr(ord("A") + size - 1) if size <= 26 else chr(ord("a") + size - 27)
        padded = piece + bytes(-size % 4)
        words = (int.from_bytes(padded[i : i + 4], "big") for i in range(0, len(padded), 4))
        yield mark + "".join(_base85_word(word) for word in words)


def _base85_word(word: int) -> str:
    digits = bytearray()
    for _ in range(5):
        word, digit = divmod(word, 85)
        digits.append(_BASE85[digit])
    return digits[::-1].decode("ascii")
