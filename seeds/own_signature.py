"""Reads a signature as people write it, ``def f(xs: list[int], k: int = 1) -> int``, and the constraints beside it.

Constraints are nested: ``{"xs": {"max_length": 50, "[]": {"min": 0}}}`` bounds the list and its items. Method: own.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from schemas.candidate import Constraint, Parameter, Signature
from schemas.canonical import canonical_json
from schemas.errors import suggest_name
from schemas.values import EncodingError, encode_value
from seeds.fields import Fields
from seeds.python_source import FunctionNode, parse_module, read_header, read_parameters, read_returns

_NUMBERS = ("min", "max")
_SIZES = ("min_length", "max_length")
_FLAGS = ("unique", "sorted", "nonempty")
_STEPS = ("[]", "{k}", "{v}")
RULES = (*_NUMBERS, *_SIZES, "alphabet", "choices", *_FLAGS)


def parse_signature(fields: Fields) -> Signature:
    """Return the signature of a function task.

    Raises:
        SeedError: ``bad_signature``, ``unknown_parameter``, ``unknown_rule``, ``missing_field`` or ``wrong_type``.
    """
    node = _header(fields)
    entry_point = fields.text("entry_point", node.name)
    parameters = read_parameters(node)
    constraints = fields.nested("constraints", {})
    names = [parameter.name for parameter in parameters]
    for name in constraints.row:
        if name not in names:
            message = f"bounds {name!r}, which is no parameter.{suggest_name(name, names)}"
            raise fields.fail("constraints", message, reason="unknown_parameter")
    return Signature(
        entry_point=entry_point,
        parameters=tuple(_bounded(parameter, constraints) for parameter in parameters),
        returns=read_returns(node),
        preamble=fields.text("preamble", ""),
    )


def _header(fields: Fields) -> FunctionNode:
    text = fields.text("signature").strip().removesuffix(":")
    module = parse_module(f"{text}: pass")
    names = [n.name for n in module.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)] if module else []
    node = read_header(f"{text}:", names[0]) if len(names) == 1 else None
    if node is None:
        message = f"is {text[:80]!r}; expected one function header such as def f(xs: list[int]) -> int"
        raise fields.fail("signature", message, reason="bad_signature")
    return node


def _bounded(parameter: Parameter, constraints: Fields) -> Parameter:
    if not constraints.has(parameter.name):
        return parameter
    found = tuple(_constraints_at(constraints.nested(parameter.name), ""))
    return replace(parameter, constraints=found)


def _constraints_at(fields: Fields, path: str) -> Iterator[Constraint]:
    for key, value in fields.row.items():
        if key in _STEPS:
            yield from _constraints_at(fields.nested(key), path + key)
        elif key in RULES:
            bound = _bound(fields, key, value)
            if bound is not None:
                yield Constraint(path=path, rule=key, value_json=bound)
        else:
            message = f"is no rule.{suggest_name(key, (*RULES, *_STEPS))}"
            raise fields.fail(key, message, reason="unknown_rule")


def _bound(fields: Fields, key: str, value: object) -> str | None:
    """Return the bound as JSON; None for a flag that is off."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if key in _FLAGS and isinstance(value, bool):
        return "null" if value else None
    if key in _NUMBERS and is_number:
        return canonical_json(value)
    if key in _SIZES and is_number and isinstance(value, int) and value >= 0:
        return canonical_json(value)
    if key == "alphabet" and isinstance(value, str) and value:
        return canonical_json(value)
    if key == "choices" and isinstance(value, list) and value:
        return _encode_choices(fields, value)
    raise fields.wrong_type(key, value, _WANTED.get(key, "a number"))


_WANTED = {
    "alphabet": "text that isn't empty",
    "choices": "a list that isn't empty",
    "min_length": "an integer of at least 0",
    "max_length": "an integer of at least 0",
} | dict.fromkeys(_FLAGS, "true or false")


def _encode_choices(fields: Fields, choices: list[object]) -> str:
    try:
        return canonical_json([encode_value(choice) for choice in choices])
    except EncodingError as error:
        raise fields.fail("choices", f"holds a value without encoding: {error}", reason="wrong_type") from error
