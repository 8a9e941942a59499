"""What the constraint rows of a parameter mean: checked against a value, and put into words.

Used where a model's or a person's answer becomes a `Candidate`: an example outside its own bounds is a contradiction
that needs no sandbox. Drawing values inside the bounds is the fuzzer's work. Method: own.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sized

from schemas.candidate import Constraint, Parameter
from schemas.canonical import Json, canonical_json
from schemas.errors import SchemaError
from schemas.values import EncodingError, check_encoded, decode_value, encode_value

_STEP = re.compile(r"\[\]|\{k\}|\{v\}")
_PATH = re.compile(r"(?:\[\]|\{k\}|\{v\})*\Z")
_BARE_RULES = ("unique", "sorted", "nonempty")


def check_constraint(constraint: Constraint) -> None:
    """Check that a row can be understood: its path, its rule and the type of its bound.

    Raises:
        SchemaError: it can't; the message names the part.
    """
    if not _PATH.match(constraint.path):
        raise SchemaError(f"path {constraint.path!r} isn't made of the steps [] {{k}} {{v}}")
    bound: Json = json.loads(constraint.value_json)
    number = isinstance(bound, int | float) and not isinstance(bound, bool)
    whole = isinstance(bound, int) and not isinstance(bound, bool) and bound >= 0
    fits = {
        "min": number,
        "max": number,
        "min_length": whole,
        "max_length": whole,
        "alphabet": isinstance(bound, str) and bound != "",
        "choices": isinstance(bound, list) and bool(bound) and all(map(_is_encoded, bound)),
    } | dict.fromkeys(_BARE_RULES, True)
    if constraint.rule not in fits:
        raise SchemaError(f"rule {constraint.rule!r} is none of {', '.join(fits)}")
    if not fits[constraint.rule]:
        raise SchemaError(f"rule {constraint.rule!r} can't have the bound {constraint.value_json}")


def _is_encoded(choice: Json) -> bool:
    try:
        check_encoded(choice)
    except EncodingError:
        return False
    return True


def find_violation(value: object, parameter: Parameter) -> str:
    """Return in words which bound of the parameter a value breaks; empty when it breaks none."""
    for constraint in parameter.constraints:
        bound: Json = json.loads(constraint.value_json)
        for part in _select(value, _STEP.findall(constraint.path)):
            if not _CHECKS[constraint.rule](part, bound):
                where = f" at {constraint.path}" if constraint.path else ""
                wanted = constraint.rule if constraint.rule in _BARE_RULES else f"{constraint.rule} {bound}"
                return f"{parameter.name}{where} must be {wanted}, it is {_quote(part)}"
    return ""


def _select(value: object, steps: list[str]) -> Iterator[object]:
    if not steps:
        yield value
    elif isinstance(value, Mapping):
        parts = value.values() if steps[0] == "{v}" else value.keys()
        for part in parts:
            yield from _select(part, steps[1:])
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from _select(part, steps[1:])


def _compare(compare: Callable[[float, float], bool]) -> Callable[[object, Json], bool]:
    def check(value: object, bound: Json) -> bool:
        return not isinstance(value, int | float) or (isinstance(bound, int | float) and compare(value, bound))

    return check


def _measure(compare: Callable[[float, float], bool]) -> Callable[[object, Json], bool]:
    def check(value: object, bound: Json) -> bool:
        return not isinstance(value, Sized) or (isinstance(bound, int) and compare(len(value), bound))

    return check


def _spell(value: object) -> str:
    try:
        return canonical_json(encode_value(value))
    except EncodingError:
        return repr(value)


def _quote(value: object) -> str:
    try:
        return repr(value)[:80]
    except ValueError:  # an integer of more digits than Python writes
        return _spell(value)[:80]


def _is_unique(value: object, bound: Json) -> bool:
    del bound
    if not isinstance(value, list | tuple):
        return True
    spelt = [_spell(part) for part in value]
    return len(set(spelt)) == len(spelt)


def _is_sorted(value: object, bound: Json) -> bool:
    del bound
    if not isinstance(value, list | tuple):
        return True
    try:
        return list(value) == sorted(value)
    except TypeError:
        return False


def _is_choice(value: object, bound: Json) -> bool:
    return isinstance(bound, list) and _spell(value) in {canonical_json(choice) for choice in bound}


_CHECKS: dict[str, Callable[[object, Json], bool]] = {
    "min": _compare(lambda value, bound: value >= bound),
    "max": _compare(lambda value, bound: value <= bound),
    "min_length": _measure(lambda value, bound: value >= bound),
    "max_length": _measure(lambda value, bound: value <= bound),
    "alphabet": lambda value, bound: not isinstance(value, str) or set(value) <= set(str(bound)),
    "choices": _is_choice,
    "unique": _is_unique,
    "sorted": _is_sorted,
    "nonempty": lambda value, _: not isinstance(value, Sized) or len(value) > 0,
}

_PLACES = {"[]": "each item", "{k}": "each key", "{v}": "each value"}


def describe_constraints(parameters: tuple[Parameter, ...]) -> str:
    """Return one Markdown line per bounded parameter, empty when nothing is bounded."""
    lines = []
    for parameter in parameters:
        by_path: dict[str, list[Constraint]] = {}
        for constraint in parameter.constraints:
            by_path.setdefault(constraint.path, []).append(constraint)
        parts = [_describe_place(path, rows) for path, rows in sorted(by_path.items())]
        if parts:
            lines.append(f"- `{parameter.name}`: {'; '.join(parts)}")
    return "\n".join(lines)


def _describe_place(path: str, rows: list[Constraint]) -> str:
    bounds = {row.rule: row.value_json for row in rows}
    words = []
    if "min_length" in bounds or "max_length" in bounds:
        words.append(f"length {_describe_range(bounds.get('min_length', '0'), bounds.get('max_length'))}")
    if "min" in bounds or "max" in bounds:
        words.append(_describe_range(bounds.get("min"), bounds.get("max")))
    if "alphabet" in bounds:
        words.append(f"only characters of {bounds['alphabet']}")
    if "choices" in bounds:
        words.append(f"one of {_describe_choices(bounds['choices'])}")
    words.extend({"nonempty": "not empty"}.get(rule, rule) for rule in _BARE_RULES if rule in bounds)
    steps = [_PLACES[step] for step in reversed(_STEP.findall(path))]
    place = " of ".join(steps) + ": " if steps else ""
    return place + ", ".join(words)


def _describe_choices(choices: str) -> str:
    plain = [decode_value(choice) for choice in json.loads(choices)]
    try:
        return canonical_json(plain)
    except (TypeError, ValueError):
        return repr(plain)


def _describe_range(low: str | None, high: str | None) -> str:
    if low is not None and high is not None:
        return f"{low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}"
