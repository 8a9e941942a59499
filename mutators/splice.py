"""Byte-exact edits: replace byte ranges of a file and leave every other byte alone.

All mutation of code goes through here, so line ends, byte order marks, encodings and text inside strings survive. An
edit names bytes of the file as it lies on disk. Method: own.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import AnyStr, Self

from schemas.candidate import FileEdit
from schemas.errors import MutationError


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Edit:
    """Bytes ``start:end`` become the replacement; ``start == end`` inserts."""

    start: int
    end: int
    replacement: bytes

    def to_file_edit(self, path: str) -> FileEdit:
        """Return the edit as records carry it."""
        return FileEdit(path=path, start=self.start, end=self.end, replacement_hex=self.replacement.hex())

    @classmethod
    def from_file_edit(cls, edit: FileEdit) -> Self:
        """Return the edit that a record carries.

        Raises:
            MutationError: the replacement isn't hexadecimal.
        """
        try:
            replacement = bytes.fromhex(edit.replacement_hex)
        except ValueError as error:
            raise MutationError(f"{edit.path}: replacement {edit.replacement_hex[:40]!r} isn't hexadecimal") from error
        return cls(start=edit.start, end=edit.end, replacement=replacement)


def splice(source: bytes, edits: Iterable[Edit | FileEdit]) -> bytes:
    """Return the source with every edit made.

    Args:
        edits: in any order; insertions at one place keep the order in which they're given.

    Raises:
        MutationError: an edit lies outside the source, or two edits overlap.
    """
    plain = [Edit.from_file_edit(edit) if isinstance(edit, FileEdit) else edit for edit in edits]
    pieces: list[bytes] = []
    position = 0
    for edit in sorted(plain, key=lambda edit: (edit.start, edit.end)):
        if not 0 <= edit.start <= edit.end <= len(source):
            raise MutationError(f"edit {edit.start}:{edit.end} doesn't fit into a source of {len(source)} bytes")
        if edit.start < position:
            raise MutationError(f"edit {edit.start}:{edit.end} overlaps one that ends at byte {position}")
        pieces += (source[position : edit.start], edit.replacement)
        position = edit.end
    pieces.append(source[position:])
    return b"".join(pieces)


def normalize(source: bytes, edits: Iterable[Edit]) -> Edit:
    """Return the one smallest edit that gives the same bytes, as far right as it goes.

    Two lists of edits give equal bytes if and only if their normal forms are equal. Edits that change nothing give an
    empty edit at the end of the source.

    Raises:
        MutationError: an edit lies outside the source, or two edits overlap.
    """
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    start = ordered[0].start if ordered else len(source)
    end = max((edit.end for edit in ordered), default=start)
    moved = [replace(edit, start=edit.start - start, end=edit.end - start) for edit in ordered]
    old, new = source[start:], splice(source[start:end], moved) + source[end:]
    ahead = shared_prefix(old, new)
    room = min(len(old), len(new)) - ahead
    behind = min(len(source) - end, room)
    if behind < room:
        behind += shared_prefix(
            old[ahead : len(old) - behind][::-1],
            new[ahead : len(new) - behind][::-1],
        )
    return Edit(start=start + ahead, end=len(source) - behind, replacement=new[ahead : len(new) - behind])


def shared_prefix(left: AnyStr, right: AnyStr) -> int:
    """Return the number of leading bytes (or characters) that both have in common."""
    size, block = min(len(left), len(right)), 64
    position = 0
    while position < size and left[position : position + block] == right[position : position + block]:
        position += block
    for index in range(position, size):
        if left[index] != right[index]:
            return index
    return size
