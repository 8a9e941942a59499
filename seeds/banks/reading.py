"""Reads a problem bank: each row becomes exactly one candidate or one rejection.

Entry of the bank sources. The id of a candidate is that of its content, so a row that says the same as an earlier one
of its source is refused as ``duplicate_row``. Method: own.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from schemas.candidate import Candidate
from schemas.config import BankSource
from schemas.errors import ConfigError, SeedError
from schemas.rejection import Rejection
from schemas.source import RawItem, SourceKind, SourceRef
from seeds.banks import BANKS, BankFormat
from seeds.files import find_files
from seeds.rows import read_dataset, read_rows, reject_row

BENCHMARK_DATASETS = ("humaneval", "mbpp", "bigcodebench", "livecodebench", "swe-bench", "ds-1000", "cruxeval")
"""Parts of dataset ids that name benchmarks."""


def read_bank(section: BankSource, base_dir: Path) -> Iterator[Candidate | Rejection]:
    """Return an iterator over a bank's rows, in the order of the source.

    Args:
        base_dir: folder that a relative path starts from.

    Raises:
        ConfigError: at once, for what `check_bank` refuses.
        SeedError: while reading, when a dataset id can't be read.
    """
    check_bank(section, base_dir)
    return refuse_duplicates(parse_item(section, item) for item in _limit(read_bank_items(section, base_dir), section))


def check_bank(section: BankSource, base_dir: Path) -> None:
    """Do nothing for a bank that may be read and whose files are there; for `plan` and `validate`.

    Raises:
        ConfigError: unknown format, a benchmark without permission, or no file at the path.
    """
    try:
        bank_format = BANKS.get(section.format)
    except ConfigError as error:
        raise ConfigError(f"source {section.name!r}: {error}") from error
    dataset = section.dataset.lower()
    named = next((name for name in BENCHMARK_DATASETS if name in dataset), "")
    split = dataset and section.dataset_split in bank_format.benchmark_splits
    if not section.allow_benchmark and (bank_format.benchmark or named or split):
        what = f"format {section.format!r}" if bank_format.benchmark else f"dataset {section.dataset!r}"
        what += f", split {section.dataset_split!r}" if split else ""
        raise ConfigError(
            f"source {section.name!r}: {what} is a benchmark and no training material; "
            "set allow_benchmark: true to take it all the same"
        )
    if section.path:
        find_files(section.path, base_dir, key=f"source {section.name!r}: path")


def read_bank_items(section: BankSource, base_dir: Path) -> Iterator[RawItem | Rejection]:
    """Return an iterator over the rows as they were read, before any of them is looked into.

    Raises:
        ConfigError: at once, when no file is there that can be read.
        SeedError: while reading, when a dataset id can't be read.
    """
    if section.path:
        key = f"source {section.name!r}: path"
        return read_rows(section.path, base_dir, source=section.name, kind=SourceKind.BANK, key=key)
    return read_dataset(
        section.dataset,
        split=section.dataset_split,
        revision=section.dataset_revision,
        source=section.name,
        kind=SourceKind.BANK,
    )


def _limit(items: Iterator[RawItem | Rejection], section: BankSource) -> Iterator[RawItem | Rejection]:
    return islice(items, section.limit) if section.limit else items


def parse_item(section: BankSource, item: RawItem | Rejection) -> Candidate | Rejection:
    """Return the candidate of one row, or its rejection with the true reason.

    Raises:
        ConfigError: unknown format.
    """
    if isinstance(item, Rejection):
        return item
    bank_format: BankFormat = BANKS.get(section.format)
    ref = SourceRef(source=item.source, kind=item.kind, locator=item.locator, license=section.license)
    try:
        return bank_format.parse(json.loads(item.payload_json), ref)
    except SeedError as error:
        return reject_item(item, reason=error.reason, detail=str(error))
    except RecursionError:
        detail = f"source {item.source!r} ({item.locator}): a value or a source text is nested too deeply to be read"
        return reject_item(item, reason="too_deeply_nested", detail=detail)


def reject_item(item: RawItem, *, reason: str, detail: str) -> Rejection:
    """Return the rejection of a row that was read, with its payload."""
    return reject_row(
        item.source, item.kind, item.locator, reason=reason, detail=detail, payload_json=item.payload_json
    )


def refuse_duplicates(records: Iterable[Candidate | Rejection]) -> Iterator[Candidate | Rejection]:
    """Yield the records; a candidate with the content of an earlier one becomes the rejection ``duplicate_row``."""
    seen: dict[str, str] = {}
    for record in records:
        if isinstance(record, Rejection):
            yield record
            continue
        ref = record.source
        first = seen.setdefault(record.record_id, ref.locator)
        if first == ref.locator:
            yield record
        else:
            detail = f"source {ref.source!r} ({ref.locator}): the same task as {first} ({record.record_id})"
            yield reject_row(ref.source, ref.kind, ref.locator, reason="duplicate_row", detail=detail)
