"""Values as Python source: what `repr` writes, where it can't be run again, fails, or differs between processes.

`repr` writes names for infinite numbers, fails for integers of thousands of digits, and writes a set in the order of
this process's hashes. Used for prompts and for programs that hold a value. Method: own.
"""

from collections.abc import Iterable

from schemas.values import encode_text

_DECIMAL_BITS = 4096


def show_value(value: object) -> str:
    """Return the value as people write it: its `repr` with sets in order, or its source when that fails."""
    try:
        return _show(value)
    except ValueError:
        return write_value(value)


def _show(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_show(key)}: {_show(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_show, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_show, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, set | frozenset) and value:
        items = f"{{{', '.join(map(_show, _in_order(value)))}}}"
        return items if isinstance(value, set) else f"frozenset({items})"
    return repr(value)


def _in_order(items: Iterable[object]) -> list[object]:
    """Return the items of a set in the order of their encoding."""
    return sorted(items, key=encode_text)


def write_value(value: object) -> str:
    """Return an expression for a decoded value; ``inf`` and ``nan`` in it are names that must be defined.

    The expression may be parsed, written again and run by every Python.
    """
    if isinstance(value, int) and value.bit_length() > _DECIMAL_BITS:
        return f"int({hex(value)!r}, 16)"
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{write_value(key)}: {write_value(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(write_value, value))}]"
    if isinstance(value, tuple | set | frozenset):
        items = value if isinstance(value, tuple) else _in_order(value)
        return f"{type(value).__name__}([{', '.join(map(write_value, items))}])"
    return repr(value)
