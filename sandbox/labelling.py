"""Labels for drawn inputs: what the reference answers, and which inputs are fit to become hidden tests.

Stands between fuzzing and hardening. An input is fit when the reference ends within a step budget with a value (or an
exception that the examples expect) of a type that the examples show. Method: own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.batches import Answer, BatchOutcome, BatchRunner
from sandbox.fuzzing.draws import DrawnInput
from schemas.candidate import Candidate, TaskStyle, TestCase
from schemas.source import SourceKind
from schemas.values import parse_json

LABEL_STEPS = 60_000
"""Steps that the reference may take on a drawn input."""
_DECLARING_KINDS = (SourceKind.TOPICS, SourceKind.EVOLVE, SourceKind.CURATED)
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
    why: str = ""
    """Why no input is used although some are fit: most of them break a precondition that nobody wrote down."""


def label_inputs(runner: BatchRunner, drawn: Sequence[DrawnInput], examples: Sequence[TestCase]) -> Labels:
    """Return the fit inputs with their labels, in the order drawn.

    Without declared bounds and without a second solution none is taken when most inputs are illegal: the few others
    are then as doubtful.

    Args:
        examples: tests with trusted expected values; they show which types an answer has.

    Raises:
        SandboxError: the sandbox failed.
    """
    candidate = runner.candidate
    texts = [one.text for one in drawn]
    outcomes = runner.run(candidate.reference, texts, limit=LABEL_STEPS, max_hits=len(texts) + 1)
    sorter = _Sorter.make(candidate, examples)
    valid: list[Labelled] = []
    illegal: list[str] = []
    for one, outcome in zip(drawn, outcomes, strict=True):
        if not sorter.is_legal(outcome):
            illegal.append(f"{one.text} -> {outcome.output}")
        elif outcome.answer in {Answer.VALUE, Answer.RAISED} and len(outcome.output) <= MAX_OUTPUT_CHARS:
            valid.append(Labelled(input=one.text, expected=outcome.output, boundary=one.boundary))
    if declares_bounds(candidate):
        return Labels(valid=tuple(valid), refused=illegal[0] if illegal and not sorter.raises else "")
    if len(illegal) > len(valid) and not candidate.alternatives:
        count = f"{len(illegal)} of {len(drawn)} drawn inputs"
        return Labels(why=f"{count} lie outside what the task takes, for instance {illegal[0]:.200}")
    return Labels(valid=tuple(valid))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sorter:
    """Tells answers to legal inputs from answers that show an unwritten precondition."""

    style: TaskStyle
    kinds: frozenset[str] | None
    """Sorts of answers that the examples show; None when the bounds are declared."""
    raises: frozenset[str]
    """Exceptions that the examples expect."""

    @classmethod
    def make(cls, candidate: Candidate, examples: Sequence[TestCase]) -> "_Sorter":
        expected = [case.expected for case in examples]
        kinds = None if declares_bounds(candidate) else frozenset(_kind_of(candidate.style, one) for one in expected)
        raises = frozenset(one for one in expected if one.startswith('{"$raises":'))
        return cls(style=candidate.style, kinds=kinds, raises=raises)

    def is_legal(self, outcome: BatchOutcome) -> bool:
        if outcome.answer is Answer.RAISED:
            return outcome.output in self.raises
        if outcome.answer is not Answer.VALUE or self.kinds is None:
            return True
        return _kind_of(self.style, outcome.output) in self.kinds


def declares_bounds(candidate: Candidate) -> bool:
    """Return whether the task's author declared typed bounds for every parameter, so that all draws are legal.

    Bounds of a problem bank don't count: they were read from prose, which says more than any bound can.
    """
    signature = candidate.signature
    if candidate.source.kind not in _DECLARING_KINDS or signature is None or not signature.parameters:
        return False
    return all(parameter.constraints or parameter.annotation in {"bool", "None"} for parameter in signature.parameters)


def _kind_of(style: TaskStyle, output: str) -> str:
    """Return what sort of answer an output is: its type, and apart from it the answers that often mean "none".

    Empty containers and minus one count as sorts of their own: a reference that answers ``[]`` or ``-1`` where no
    example does has most likely left its unwritten preconditions.
    """
    if style is TaskStyle.STDIN:
        return _kind_of_text(output.split())
    value = parse_json(output)
    if isinstance(value, dict):
        ((tag, content),) = value.items()
        if tag in {"$int", "$float"}:
            return "number"
        return tag if content else f"empty {tag}"
    if isinstance(value, bool | None):
        return type(value).__name__
    if isinstance(value, int | float):
        return "minus one" if value == -1 else "number"
    return type(value).__name__ if value else f"empty {type(value).__name__}"


def _kind_of_text(tokens: list[str]) -> str:
    if not tokens:
        return "nothing"
    first = tokens[0]
    if first.removeprefix("-").replace(".", "", 1).isdigit():
        return "minus one" if tokens == ["-1"] else "number"
    return "word"
