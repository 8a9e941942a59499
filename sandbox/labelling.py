"""Labels for drawn inputs: what the reference answers, and which inputs are fit to become hidden tests.

Stands between fuzzing and hardening. An input is fit when the reference ends within a step budget with a value (or an
exception that the examples expect) of a type that the examples show. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.batches import Answer, BatchOutcome, BatchRunner
from sandbox.fuzzing.draws import DrawnInput
from schemas.candidate import Candidate, TaskStyle, TestCase
from schemas.values import parse_json

LABEL_STEPS = 60_000
"""Steps that the reference may take on a drawn input."""
MAX_OUTPUT_CHARS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """An input with the reference's answer."""

    input: str
    expected: str
    boundary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What the reference said about the drawn inputs."""

    valid: tuple[Labelled, ...] = ()
    refused: str = ""
    """The first input on which the reference raised although every parameter declares its bounds; empty if none."""


def label_inputs(runner: BatchRunner, drawn: Sequence[DrawnInput], examples: Sequence[TestCase]) -> Labels:
    """Return the fit inputs with their labels, in the order drawn.

    Args:
        examples: tests with trusted expected values; they show which types an answer has.

    Raises:
        SandboxError: the sandbox failed.
    """
    candidate = runner.candidate
    texts = [one.text for one in drawn]
    outcomes = runner.run(candidate.reference, texts, limit=LABEL_STEPS, max_hits=len(texts) + 1)
    is_bounded = declares_bounds(candidate)
    kinds = None if is_bounded else {_kind_of(candidate.style, case.expected) for case in examples}
    raises = {case.expected for case in examples if _is_raise(case.expected)}
    valid, refused = [], ""
    for one, outcome in zip(drawn, outcomes, strict=True):
        if outcome.answer is Answer.RAISED and outcome.output not in raises:
            refused = refused or (f"{one.text} -> {outcome.output}" if is_bounded and not raises else "")
        elif _is_fit(candidate.style, outcome, kinds):
            valid.append(Labelled(input=one.text, expected=outcome.output, boundary=one.boundary))
    return Labels(valid=tuple(valid), refused=refused)


def declares_bounds(candidate: Candidate) -> bool:
    """Return whether every parameter that has bounds to declare declares some."""
    signature = candidate.signature
    if candidate.style is not TaskStyle.FUNCTION or signature is None or not signature.parameters:
        return False
    return all(parameter.constraints or parameter.annotation in {"bool", "None"} for parameter in signature.parameters)


def _is_fit(style: TaskStyle, outcome: BatchOutcome, kinds: set[str] | None) -> bool:
    if outcome.answer not in {Answer.VALUE, Answer.RAISED} or len(outcome.output) > MAX_OUTPUT_CHARS:
        return False
    return kinds is None or _kind_of(style, outcome.output) in kinds


def _is_raise(expected: str) -> bool:
    return expected.startswith('{"$raises":')


def _kind_of(style: TaskStyle, output: str) -> str:
    """Return what sort of answer an output is: its type, and apart from it the answers that often mean "none".

    Empty containers and negative numbers count as sorts of their own: a reference that answers ``[]`` or ``-1`` where
    no example does has most likely left its unwritten preconditions.
    """
    if style is TaskStyle.STDIN:
        return _kind_of_text(output.split())
    value = parse_json(output)
    if isinstance(value, dict):
        ((tag, content),) = value.items()
        if tag in {"$int", "$float"}:
            return "negative" if str(content).startswith("-") else "number"
        return tag if content else f"empty {tag}"
    if isinstance(value, bool | None):
        return type(value).__name__
    if isinstance(value, int | float):
        return "negative" if value < 0 else "number"
    return type(value).__name__ if value else f"empty {type(value).__name__}"


def _kind_of_text(tokens: list[str]) -> str:
    if not tokens:
        return "nothing"
    first = tokens[0]
    if first.removeprefix("-").replace(".", "", 1).isdigit():
        return "negative" if first.startswith("-") else "number"
    return "word"
