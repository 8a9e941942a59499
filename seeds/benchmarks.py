"""Reads published benchmark files as items that the data must stay clear of.

Beside the road: decontamination compares candidates with these items and nothing trains on them. The shape of a file
is told by its fields; one that no shape knows is an error and never passed over, since a benchmark that was read in
part would let leaks through. Method: own.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from schemas.benchmark import BenchmarkItem
from schemas.config import Benchmark
from schemas.errors import SeedError
from schemas.rejection import Rejection
from schemas.source import SourceKind
from seeds.benchmark_shapes import SHAPES, Shape
from seeds.fields import Fields
from seeds.files import find_files
from seeds.rows import read_rows


def read_benchmark(section: Benchmark, base_dir: Path) -> Iterator[BenchmarkItem]:
    """Return an iterator over the items of a benchmark's files, in their order; ids are unique.

    Args:
        base_dir: folder that a relative path starts from.

    Raises:
        ConfigError: at once, when no file is there that can be read.
        SeedError: while reading, for a row that can't be read or that no shape knows.
    """
    check_benchmark(section, base_dir)
    return _number_repeats(_read_items(section, base_dir))


def check_benchmark(section: Benchmark, base_dir: Path) -> None:
    """Do nothing for a benchmark whose files are there; for `plan` and `validate`.

    Raises:
        ConfigError: no file at the path.
    """
    find_files(section.path, base_dir, key=f"benchmark {section.name!r}: path")


def _read_items(section: Benchmark, base_dir: Path) -> Iterator[BenchmarkItem]:
    key = f"benchmark {section.name!r}: path"
    for row in read_rows(section.path, base_dir, source=section.name, kind=SourceKind.BANK, key=key):
        place = f"benchmark {section.name!r} ({row.locator})"
        if isinstance(row, Rejection):
            raise SeedError(f"{place}: {row.detail}; mend the file, a benchmark must be read whole", reason=row.reason)
        fields = Fields(json.loads(row.payload_json), place)
        for item in _shape_of(fields).read(fields):
            yield replace(item, benchmark=section.name)


def _shape_of(fields: Fields) -> Shape:
    for shape in SHAPES:
        if all(name in fields.row for name in shape.required):
            return shape
    known = "; ".join(f"{shape.name} ({', '.join(shape.required)})" for shape in SHAPES)
    names = ", ".join(sorted(fields.row)[:20])
    raise SeedError(f"{fields.place}: no known shape has the fields {names}. Known: {known}", reason="unknown_shape")


def _number_repeats(items: Iterator[BenchmarkItem]) -> Iterator[BenchmarkItem]:
    seen: dict[str, int] = {}
    for item in items:
        count = seen[item.item_id] = seen.get(item.item_id, 0) + 1
        yield item if count == 1 else replace(item, item_id=f"{item.item_id}#{count}")
