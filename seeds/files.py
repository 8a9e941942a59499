"""Finds the files of a source and reads their lines without ever holding more than one row.

First step of every local source: a path from the config (file, glob or folder) becomes files in a stable order, and a
file becomes numbered lines. What can't be read is a `BrokenPart` with a reason, so that the rows before and after it
are kept. Method: own.
"""

import glob
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from schemas.errors import ConfigError

ROW_SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".json.gz", ".parquet")
MAX_ROW_BYTES = 32 * 2**20
"""A longer row is refused unread, so that no row can fill the memory."""

_CHUNK = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of a source."""

    path: Path
    name: str
    """Path relative to what the config names, with forward slashes; the only part that enters a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenPart:
    """A row, or the rest of a file, that couldn't be read."""

    locator: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line that isn't blank."""

    number: int
    """1 for the first line of the file, blank ones counted."""
    data: bytes
    """Without its line end."""


def find_files(
    path: str, base_dir: Path, *, key: str, suffixes: Sequence[str] = ROW_SUFFIXES
) -> tuple[SourceFile, ...]:
    """Return the files that a config path names, sorted by name; hidden ones are left out.

    Args:
        path: a file, a glob (``**`` goes into folders) or a folder (read recursively), relative to ``base_dir``.
        key: the config key that messages name.
        suffixes: endings of the files that can be read.

    Raises:
        ConfigError: nothing is there, or nothing that can be read.
    """
    place = (base_dir / path).expanduser()
    if place.is_file():
        found = [SourceFile(path=place, name=place.name)]
    elif place.is_dir():
        found = _files_below(place, place.rglob("*"))
    else:
        root = base_dir / _fixed_prefix(path)
        # Path.glob can't take absolute patterns, and a base folder may itself hold magic characters.
        hits = glob.glob(path, root_dir=base_dir, recursive=True)  # noqa: PTH207
        found = _files_below(root, (base_dir / hit for hit in hits))
    if not found:
        raise ConfigError(f"{key}: no file at {path!r}; give a file, a glob or a folder")
    usable = [item for item in found if item.name.lower().endswith(tuple(suffixes))]
    if not usable:
        raise ConfigError(f"{key}: {path!r} holds no {' '.join(suffixes)} file (found {found[0].name!r})")
    return tuple(sorted(usable, key=lambda item: item.name))


def _fixed_prefix(pattern: str) -> str:
    parts = []
    for part in Path(pattern).parts[:-1]:
        if glob.has_magic(part):
            break
        parts.append(part)
    return str(Path(*parts)) if parts else "."


def _files_below(root: Path, paths: Iterator[Path]) -> list[SourceFile]:
    found = []
    for path in paths:
        name = path.relative_to(root).as_posix()
        if path.is_file() and not any(part.startswith(".") for part in name.split("/")):
            found.append(SourceFile(path=path, name=name))
    return found


def open_binary(file: SourceFile) -> IO[bytes]:
    """Return the file's content as a stream, unpacked when its name ends in ``.gz``.

    Raises:
        ConfigError: the file can't be opened.
    """
    try:
        if file.name.lower().endswith(".gz"):
            return cast("IO[bytes]", gzip.open(file.path))
        return file.path.open("rb")
    except OSError as error:
        raise ConfigError(f"{file.name!r} can't be opened: {error.strerror}") from error


def iter_lines(file: SourceFile) -> Iterator[Line | BrokenPart]:
    """Yield the lines of a file that aren't blank, in order.

    A line of more than `MAX_ROW_BYTES` is passed over without being held. What stands before the break of a truncated
    or corrupt file is yielded; the rest is one `BrokenPart`.

    Raises:
        ConfigError: the file can't be opened.
    """
    number = 0
    with open_binary(file) as stream:
        while True:
            number += 1
            try:
                data = stream.readline(MAX_ROW_BYTES + 1)
                size = len(data)
                if size > MAX_ROW_BYTES:
                    size += _skip_line(stream, data)
            except (EOFError, OSError, zlib.error) as error:
                yield _broken_rest(f"{file.name}:{number}", error)
                return
            if not data:
                return
            if size > MAX_ROW_BYTES:
                yield _too_large(f"{file.name}:{number}", size, data[:120])
            elif data.strip():
                yield Line(number=number, data=data.rstrip(b"\r\n"))


def _skip_line(stream: IO[bytes], data: bytes) -> int:
    skipped = 0
    while data and not data.endswith(b"\n"):
        data = stream.readline(_CHUNK)
        skipped += len(data)
    return skipped


def _broken_rest(locator: str, error: Exception) -> BrokenPart:
    if isinstance(error, EOFError):
        detail = "the compressed file ends too early; the rows before this line were kept"
        return BrokenPart(locator=locator, reason="truncated_file", detail=detail)
    detail = f"the file can't be read any further ({error}); the rows before this line were kept"
    return BrokenPart(locator=locator, reason="corrupt_file", detail=detail)


def _too_large(locator: str, size: int, head: bytes) -> BrokenPart:
    start = head.decode("utf-8", "replace")
    detail = f"a row of {size:,} bytes; the limit is {MAX_ROW_BYTES:,} bytes. It starts with {start!r}"
    return BrokenPart(locator=locator, reason="row_too_large", detail=detail)
