"""Typed access to the fields of a row that nobody has checked yet.

Every bank format and the curated reader take their fields through it, so that a missing column or a wrong type reads
the same everywhere and names file, row and field. Method: own.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from schemas.errors import SeedError

_NAMES = {str: "text", list: "a list", dict: "an object", bool: "a boolean", int: "an integer", type(None): "null"}


def describe_type(value: object) -> str:
    """Return the words for a value's JSON type."""
    return _NAMES.get(type(value), "a number" if isinstance(value, float) else type(value).__name__)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one row.

    Args:
        row: the parsed row; keys that nobody asks for are tolerated.
        place: what messages call it, for instance ``"source 'apps' (bank.jsonl:17)"``.
    """

    row: Mapping[str, object]
    place: str

    def fail(self, name: str, message: str, *, reason: str) -> SeedError:
        """Return the error that refuses the row for one of its fields."""
        return SeedError(f'{self.place}: "{name}" {message}', reason=reason)

    def has(self, name: str) -> bool:
        """Return whether the field is there and not null."""
        return self.row.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text field.

        Args:
            default: what a missing field stands for; None makes the field compulsory.

        Raises:
            SeedError: ``missing_field`` or ``wrong_type``.
        """
        value = self._get(name, default)
        if not isinstance(value, str):
            raise self.wrong_type(name, value, "text")
        return value

    def label(self, name: str) -> str:
        """Return a text or integer field as text, empty when it's missing.

        Raises:
            SeedError: ``wrong_type``.
        """
        value = self._get(name, "")
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.wrong_type(name, value, "text or an integer")
        return str(value)

    def items(self, name: str, default: list[object] | None = None) -> list[object]:
        """Return a list field.

        Raises:
            SeedError: ``missing_field`` or ``wrong_type``.
        """
        value = self._get(name, default)
        if not isinstance(value, list):
            raise self.wrong_type(name, value, "a list")
        return value

    def texts(self, name: str, default: list[object] | None = None) -> tuple[str, ...]:
        """Return a list of texts.

        Raises:
            SeedError: ``missing_field`` or ``wrong_type``.
        """
        values = self.items(name, default)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                raise self.wrong_type(f"{name}[{index}]", value, "text")
        return tuple(str(value) for value in values)

    def nested(self, name: str, default: dict[str, object] | None = None) -> "Fields":
        """Return the fields of an object field.

        Raises:
            SeedError: ``missing_field`` or ``wrong_type``.
        """
        return self.wrap(name, self._get(name, default))

    def wrap(self, name: str, value: object) -> "Fields":
        """Return the fields of an object that was found under a name in this row.

        Raises:
            SeedError: ``wrong_type``.
        """
        if not isinstance(value, dict):
            raise self.wrong_type(name, value, "an object")
        return Fields(value, f'{self.place}: in "{name}"')

    def json_text(self, name: str) -> object:
        """Return what a text field holds as JSON; an empty text is None.

        Raises:
            SeedError: ``missing_field``, ``wrong_type`` or ``broken_json``.
        """
        text = self.text(name)
        if not text.strip():
            return None
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.fail(name, f"holds no valid JSON: {error}", reason="broken_json") from error

    def wrong_type(self, name: str, value: object, wanted: str) -> SeedError:
        """Return the error that refuses a value of the wrong type."""
        shown = repr(value)[:60]
        return self.fail(name, f"is {describe_type(value)} ({shown}); expected {wanted}", reason="wrong_type")

    def _get(self, name: str, default: object) -> object:
        value = self.row.get(name)
        if value is not None:
            return value
        if default is not None:
            return default
        if name in self.row:
            raise self.wrong_type(name, None, "a value")
        known = ", ".join(sorted(self.row)[:12]) or "none"
        raise self.fail(name, f"is missing; the row has: {known}", reason="missing_field")
