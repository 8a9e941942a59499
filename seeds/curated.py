"""Human-written tasks from a folder of YAML or JSON files, one task a file, with review status and author role.

A task that nobody has accepted yet is refused as ``review_status``; every other task is proven like any row of a bank.
docs/curated-format.md describes the files. Method: own.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import yaml

from schemas.candidate import Candidate, TestOrigin
from schemas.canonical import canonical_json
from schemas.config import CuratedSource
from schemas.errors import ConfigError, SeedError, suggest_name
from schemas.rejection import Rejection
from schemas.source import RawItem, SourceKind, SourceRef
from schemas.yaml_text import YamlTextError, check_values
from seeds.banks.format import open_row
from seeds.banks.reading import refuse_duplicates, reject_item
from seeds.files import SourceFile, find_files
from seeds.own_format import parse_task
from seeds.rows import reject_row

SUFFIXES = (".yaml", ".yml", ".json")
STATUSES = ("draft", "reviewed", "approved")
MAX_FILE_BYTES = 4 * 2**20


def read_curated(section: CuratedSource, base_dir: Path) -> Iterator[Candidate | Rejection]:
    """Return an iterator over the tasks of a folder, file or glob, by file name.

    Args:
        base_dir: folder that a relative path starts from.

    Raises:
        ConfigError: at once, when no file is there, or ``accept_status`` names an unknown status.
    """
    check_curated(section, base_dir)
    items = read_curated_items(section, base_dir)
    return refuse_duplicates(parse_curated_item(section, item) for item in items)


def check_curated(section: CuratedSource, base_dir: Path) -> None:
    """Do nothing for a source whose files are there; for `plan` and `validate`.

    Raises:
        ConfigError: no file at the path, or an unknown status.
    """
    for status in section.accept_status:
        if status not in STATUSES:
            message = f"source {section.name!r}: accept_status holds {status!r}.{suggest_name(status, STATUSES)}"
            raise ConfigError(message)
    find_files(section.path, base_dir, key=f"source {section.name!r}: path", suffixes=SUFFIXES)


def read_curated_items(section: CuratedSource, base_dir: Path) -> Iterator[RawItem | Rejection]:
    """Return an iterator over the files as they were read, before any of them is looked into.

    Raises:
        ConfigError: at once, when no file is there that can be read.
    """
    files = find_files(section.path, base_dir, key=f"source {section.name!r}: path", suffixes=SUFFIXES)
    return (_read_file(section, file) for file in files)


def parse_curated_item(section: CuratedSource, item: RawItem | Rejection) -> Candidate | Rejection:
    """Return the candidate of one file, or its rejection with the true reason."""
    if isinstance(item, Rejection):
        return item
    ref = SourceRef(source=item.source, kind=item.kind, locator=item.locator, license=section.license)
    try:
        return _parse_task(section, json.loads(item.payload_json), ref)
    except SeedError as error:
        return reject_item(item, reason=error.reason, detail=str(error))
    except RecursionError:
        detail = f"source {item.source!r} ({item.locator}): a value or a source text is nested too deeply to be read"
        return reject_item(item, reason="too_deeply_nested", detail=detail)


def _parse_task(section: CuratedSource, row: Mapping[str, object], ref: SourceRef) -> Candidate:
    fields = open_row(row, ref)
    status, role = fields.text("review_status"), fields.text("author_role")
    if status not in STATUSES:
        message = f"is {status!r}; expected one of {', '.join(STATUSES)}.{suggest_name(status, STATUSES)}"
        raise fields.fail("review_status", message, reason="unknown_status")
    if status not in section.accept_status:
        message = f"is {status!r}; this source accepts {', '.join(section.accept_status)}"
        raise fields.fail("review_status", message, reason="review_status")
    ref = replace(ref, review_status=status, author_role=role)
    return parse_task(fields, ref, origin=TestOrigin.HUMAN)


def _read_file(section: CuratedSource, file: SourceFile) -> RawItem | Rejection:
    try:
        payload = canonical_json(_load(file))
    except SeedError as error:
        reason, detail = error.reason, str(error)
    except RecursionError:
        reason, detail = "too_deeply_nested", "a value is nested too deeply to be read"
    else:
        return RawItem(source=section.name, kind=SourceKind.CURATED, locator=file.name, payload_json=payload)
    message = f"source {section.name!r} ({file.name}): {detail}"
    return reject_row(section.name, SourceKind.CURATED, file.name, reason=reason, detail=message)


def _load(file: SourceFile) -> dict[str, object]:
    """Return the mapping that a file holds.

    Raises:
        SeedError: ``file_too_large``, ``not_utf8``, ``broken_yaml``, ``broken_json``, ``not_an_object`` or
            ``unreadable``.
    """
    try:
        with file.path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise SeedError(f"more than {MAX_FILE_BYTES:,} bytes", reason="file_too_large")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise SeedError(f"can't be read: {error.strerror}", reason="unreadable") from error
    except UnicodeDecodeError as error:
        raise SeedError(f"byte {error.start} isn't UTF-8", reason="not_utf8") from error
    value = _load_json(text) if file.name.lower().endswith(".json") else _load_yaml(text)
    _check_values(value)
    if not isinstance(value, dict):
        raise SeedError(f"a task is a mapping of keys, this is a {type(value).__name__}", reason="not_an_object")
    return {str(key): _plain(item) for key, item in value.items()}


def _check_values(value: object) -> None:
    try:
        check_values(value)
    except YamlTextError as error:
        raise SeedError(str(error), reason="broken_yaml") from error


def _load_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SeedError(f"not valid JSON: {error}", reason="broken_json") from error


class _StrictLoader(yaml.SafeLoader):
    """Safe YAML without the two traps: repeated keys and aliases that unfold without end."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases (*name) aren't taken; write the value out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:  # noqa: FBT001, FBT002
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        twice = sorted(key for key, count in Counter(keys).items() if count > 1)
        if twice:
            raise yaml.YAMLError(f"line {node.start_mark.line + 1}: the key {twice[0]!r} stands there twice")
        return dict(super().construct_mapping(node, deep))


def _load_yaml(text: str) -> object:
    try:
        return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a subclass of the safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SeedError(f"not valid YAML: {error}", reason="broken_yaml") from error


def _plain(value: object) -> object:
    """Return YAML data as JSON data; a date stays the text that people see.

    Raises:
        SeedError: a value that JSON lacks.
    """
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and value == value and abs(value) != float("inf"):  # noqa: PLR0124 - not NaN
        return value
    raise SeedError(f"the value {value!r} is no JSON value; put it in quotes", reason="broken_yaml")
