"""Text of records as a terminal may show it: what would steer the terminal becomes visible.

Statements, file names and messages of programs come from anywhere; an escape sequence among them could clear the
screen, rename the window or hide what follows. Method: own.
"""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

Record = TypeVar("Record")
_STEERING = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_STEERING |= {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Control characters and those that turn the direction of what follows."""


def make_visible(text: str) -> str:
    """Return the text with an escape such as ``\\x1b`` for each character that steers a terminal, and half of one."""
    return text.translate(_STEERING).encode("utf-8", "backslashreplace").decode("utf-8")


def show_record(record: Record) -> Record:
    """Return a record, a row or a list of them with all its texts made visible."""
    return _show(record)  # type: ignore[no-any-return]


def _show(value: Any) -> Any:
    if type(value) is str:
        return make_visible(value)
    if isinstance(value, dict):
        return {key: _show(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_show(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _show(getattr(value, field.name)) for field in fields(value)})
    return value
