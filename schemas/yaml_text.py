"""Plain data from YAML that people hand in: bounded, whatever stands in it.

Used for configs and topic files. YAML's aliases unfold a small text into more data than any machine holds, and a value
may contain itself; both are found before anybody walks the data. Method: own.
"""

import yaml

from schemas.canonical import is_unicode

MAX_VALUES = 200_000
"""Values in one text, with those behind aliases counted as often as they're named."""
MAX_BITS = 14_000
"""Size of an integer; its decimal text then has less than 4,300 digits, which is what Python writes."""


class YamlTextError(ValueError):
    """The text isn't YAML, or its data can't be handled."""


def load_yaml(text: str) -> object:
    """Return the data of a YAML text.

    Raises:
        YamlTextError: it isn't YAML of the safe kind, or it unfolds without end, is nested too deeply, or holds an
            integer that nobody can write.
    """
    try:
        data: object = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlTextError(str(error)) from error
    check_values(data)
    return data


def check_values(data: object) -> None:
    """Do nothing for data that can be walked and written; texts of lone surrogates can't.

    Raises:
        YamlTextError: as for `load_yaml`.
    """
    waiting, seen = [data], 0
    while waiting:
        value = waiting.pop()
        seen += 1
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += value
        elif isinstance(value, str) and not is_unicode(value):
            raise YamlTextError(f"the text {value[:40]!r} holds half of a character")
        elif isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise YamlTextError("an integer of more than 4,300 digits can't be taken")
        if seen + len(waiting) > MAX_VALUES:
            raise YamlTextError(f"the text unfolds to more than {MAX_VALUES:,} values")
