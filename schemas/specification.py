"""The specification that a model is asked to write: its JSON Schema, and the answer as checked data.

Stands between a `ModelReply` and a `Candidate`. Examples are Python literals (a call and its result), since JSON can't
say tuples, sets or non-string keys. Both the topic source and the rewriting operators ask for this form. Method: own;
typed constraints instead of free text so that every fuzzed input is a legal one.
"""

import ast
import keyword
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from schemas.answers import extract_object
from schemas.candidate import CheckerName, TaskStyle
from schemas.canonical import Json, canonical_json
from schemas.errors import ModelError
from schemas.syntax import parse_expression, parse_source

MIN_EXAMPLES = 3
_DROPPED_KEYWORDS = (
    "title",
    "description",
    "default",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
)


def _parse(source: str, mode: Literal["eval", "exec"]) -> ast.AST:
    try:
        return parse_expression(source) if mode == "eval" else parse_source(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"isn't Python: {error}") from error


def _check_expression(text: str) -> str:
    _parse(text, "eval")
    return text


def _check_identifier(name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is no Python name")
    return name


Name = Annotated[str, Field(min_length=1, max_length=64)]
Identifier = Annotated[Name, AfterValidator(_check_identifier)]
TypeExpression = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_expression)]
Source = Annotated[str, Field(min_length=1, max_length=20_000)]
Scalar = bool | int | float | str | None


class _Part(BaseModel):
    """Base of the answer's parts: frozen, unknown keys ignored, no silent conversion."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", strict=True, json_schema_extra={"additionalProperties": False}
    )


class ConstraintAnswer(_Part):
    """One bound, as `schemas.candidate.Constraint` has it."""

    path: str = ""
    rule: Literal["min", "max", "min_length", "max_length", "alphabet", "choices", "unique", "sorted", "nonempty"]
    value: Scalar | list[Scalar] = None


class ParameterAnswer(_Part):
    """One parameter and its bounds."""

    name: Identifier
    type: TypeExpression
    constraints: list[ConstraintAnswer] = []


class CallAnswer(_Part):
    """One example of a function task."""

    call: Source
    result: Source


class StreamAnswer(_Part):
    """One example of a stdin task."""

    stdin: Annotated[str, Field(max_length=20_000)]
    stdout: Annotated[str, Field(max_length=20_000)]


class _Answer(_Part):
    title: Annotated[str, Field(min_length=3, max_length=120)]
    statement: Annotated[str, Field(min_length=40, max_length=12_000)]
    tags: list[Name] = []
    checker: CheckerName = Field(default=CheckerName.EXACT, strict=False)
    reference: Source
    second_solution: Annotated[str, Field(max_length=20_000)] = ""

    @field_validator("reference", "second_solution")
    @classmethod
    def _parses(cls, source: str) -> str:
        _parse(source, "exec")
        return source


class FunctionSpecification(_Answer):
    """A function task as a model wrote it."""

    entry_point: Identifier
    parameters: Annotated[list[ParameterAnswer], Field(min_length=1, max_length=8)]
    returns: TypeExpression
    examples: Annotated[list[CallAnswer], Field(min_length=MIN_EXAMPLES, max_length=60)]


class StdinSpecification(_Answer):
    """A task that reads standard input, as a model wrote it."""

    examples: Annotated[list[StreamAnswer], Field(min_length=MIN_EXAMPLES, max_length=60)]


Specification = FunctionSpecification | StdinSpecification
_MODELS: dict[TaskStyle, type[FunctionSpecification] | type[StdinSpecification]] = {
    TaskStyle.FUNCTION: FunctionSpecification,
    TaskStyle.STDIN: StdinSpecification,
}
STYLES = tuple(_MODELS)


def read_specification(text: str, style: TaskStyle) -> Specification:
    """Return the specification in a model's answer.

    Raises:
        ModelError: ``empty_answer``, ``refused``, ``broken_json``, or ``invalid_spec`` with the field that is wrong.
    """
    data = extract_object(text)
    try:
        return _MODELS[style].model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        shown = repr(first["input"])[:120]
        raise ModelError(f"{place}: {first['msg']}; it is {shown}", reason="invalid_spec") from error


def specification_schema(style: TaskStyle) -> str:
    """Return the JSON Schema of the answer as canonical JSON, in the strict subset that endpoints accept.

    All properties are required and none is unknown; lengths and patterns are checked on our side only.
    """
    return canonical_json(_strict(_MODELS[style].model_json_schema()))


def _strict(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items() if key not in _DROPPED_KEYWORDS}
    for group in ("properties", "$defs"):
        named = schema.get(group)
        if isinstance(named, dict):
            strict[group] = {name: _strict(value) for name, value in named.items()}
    properties = schema.get("properties")
    if isinstance(properties, dict):
        strict["required"] = [*sorted(properties)]
    return strict
