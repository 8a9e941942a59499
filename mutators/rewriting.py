"""The operators by which a model rewrites a task, each one instruction.

Used by `mutators/evolve.py`. Method: the code operators of WizardCoder's Evol-Instruct (arXiv 2306.08568, section 3.1)
in own words, with two operators of our own that change the setting and the direction of the question.
"""

from dataclasses import dataclass
from enum import StrEnum

from schemas.registry import Registry


class VariantRole(StrEnum):
    """What a rewritten task is to its parent."""

    HARDER = "harder"
    VARIANT = "variant"


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingOperator:
    """One way of rewriting."""

    name: str
    role: VariantRole
    instruction: str
    """What the model is told; ``{setting}`` stands for a setting drawn by the run's seed."""


OPERATORS: Registry[RewritingOperator] = Registry("rewriting operator")
SETTINGS = (
    "a mountain rescue hut",
    "a seed bank",
    "a tram depot",
    "a tidal harbour",
    "a radio observatory",
    "a bakery at night",
    "a library for the blind",
    "a puppet theatre",
)


def _add(name: str, role: VariantRole, instruction: str) -> None:
    OPERATORS.register(name, RewritingOperator(name=name, role=role, instruction=instruction))


_add(
    "add_constraint",
    VariantRole.HARDER,
    "Add exactly one requirement of ten to twenty words. It must change the right answer for some legal input, so that "
    "the solution above fails.",
)
_add(
    "replace_requirement",
    VariantRole.VARIANT,
    "Take the most ordinary requirement out and put a rarer, more specific one in its place. The answers must "
    "differ for some legal input.",
)
_add(
    "deepen_steps",
    VariantRole.HARDER,
    "Make it need at least two more steps of thought: let the result of the task above be the input of a further "
    "decision.",
)
_add(
    "tighten_complexity",
    VariantRole.HARDER,
    "Raise the bounds on the input's size until trying everything takes too long, and say in the statement how fast a "
    "solution must grow. Change one rule as well, so that the answers differ for some legal input.",
)
_add(
    "add_distractor",
    VariantRole.HARDER,
    "Change one rule, and show a short program in the statement that looks right but keeps the rule as it was. Say "
    "that it is wrong, don't say why, and let an example tell the two apart.",
)
_add(
    "domain_shift",
    VariantRole.VARIANT,
    "Tell it in another world, {setting}, with other names and other kinds of values, and change one rule so that the "
    "solution above isn't a solution any more.",
)
_add(
    "invert_question",
    VariantRole.VARIANT,
    "Turn the question round: give what was asked for and ask for something that was given, with a rule that makes the "
    "answer unique.",
)
