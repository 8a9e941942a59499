"""Records to canonical JSON and back, for the store and for side tables.

pydantic reads the types of the frozen dataclasses, so a record needs no code of its own to travel. Method: own.
"""

from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from schemas.canonical import canonical_json
from schemas.errors import SchemaError

T = TypeVar("T")


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def _adapter(record_type: type) -> TypeAdapter[Any]:
    if record_type not in _ADAPTERS:
        _ADAPTERS[record_type] = TypeAdapter(record_type)
    return _ADAPTERS[record_type]


def encode_record(record: object) -> str:
    """Return the canonical JSON of a record (a frozen dataclass of plain fields)."""
    return canonical_json(_adapter(type(record)).dump_python(record, mode="json"))


def decode_record(record_type: type[T], text: str | bytes) -> T:
    """Return the record that `encode_record` wrote.

    Raises:
        SchemaError: the text isn't that record.
    """
    try:
        return cast("T", _adapter(record_type).validate_json(text))
    except ValidationError as error:
        raise SchemaError(f"not a {record_type.__name__}: {error.errors()[0]}") from error


def check_record(record: T) -> T:
    """Return an equal record whose fields have been compared with their types, for one made of what strangers sent.

    Raises:
        SchemaError: a field is of another type.
    """
    plain = _adapter(type(record)).dump_python(record, mode="json", warnings=False)
    return decode_record(type(record), canonical_json(plain))
