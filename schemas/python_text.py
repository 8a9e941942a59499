"""Values as Python source: what `repr` writes, where it can't be run again or fails.

`repr` writes names for infinite numbers and fails for integers of thousands of digits. Used for prompts and for
programs that hold a value. Method: own.
"""

_DECIMAL_BITS = 4096


def show_value(value: object) -> str:
    """Return the value as people write it: its `repr`, or its source when an integer is too long for that."""
    try:
        return repr(value)
    except ValueError:
        return write_value(value)


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
        return f"{type(value).__name__}([{', '.join(map(write_value, value))}])"
    return repr(value)
