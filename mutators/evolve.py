"""Parents that a model rewrites into harder tasks or variants, one Evol-style round.

Makes candidates out of candidates: parent + operator -> request -> reply -> `Candidate` of the same family. Which
parents and operators meet is settled before anything is asked. Method: Evol-Instruct for code (arXiv 2306.08568) with
a full specification as the answer, so that execution can decide what the papers left to a judge model.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from mutators.elimination import refuse_poor_rewriting
from mutators.rewriting import OPERATORS, SETTINGS, RewritingOperator
from schemas.candidate import Candidate, Generation
from schemas.canonical import canonical_json, content_id, rng_for, uniform_for
from schemas.config import EvolveSource
from schemas.draft import Lineage, draft_candidate
from schemas.errors import ModelError
from schemas.model import Message, ModelClient, ModelReply, ModelRequest
from schemas.rejection import Rejection, Stage
from schemas.source import SourceKind, SourceRef
from schemas.specification import STYLES, read_specification, specification_schema
from schemas.specification_form import describe_form

PURPOSE = "evolve"
_UNKNOWN_LICENSE = "NOASSERTION"
_SYSTEM = (
    "You rework programming tasks whose answers a machine checks. The outcome stands on its own: a reader never learns "
    "that there was another task."
)
_PROMPT = """\
Here is a programming task with its solution.

<task>
{statement}
</task>

<solution>
{reference}
</solution>

Rework it in this way: {instruction}

Write the outcome as a complete task with new examples and new solutions. Don't mention the task you started from.

{form}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """One parent and the way it is rewritten."""

    source: str
    """Name of the evolve source in the config."""
    parent: Candidate
    operator: str
    setting: str
    """A setting drawn by the run's seed, for operators that move the task elsewhere."""
    license: str = "Apache-2.0"

    @property
    def subject(self) -> str:
        """The parent's own id and the operator."""
        return f"{name_parent(self.parent)}/{self.operator}"

    @property
    def locator(self) -> str:
        """Where the parent stands, and the operator."""
        return f"{self.parent.source.locator}+{self.operator}"


def name_parent(parent: Candidate) -> str:
    """Return the id that the parent's source gave it, else its title, else its record id."""
    return parent.source.original_id or parent.title or parent.record_id


def choose_parents(parents: Iterable[Candidate], count: int, run_seed: int) -> tuple[Candidate, ...]:
    """Return up to ``count`` parents that have a reference and test cases, drawn without replacement.

    The draw depends on each parent's own name and the seed only, so other parents and their order don't matter.
    """
    fit = {p.record_id: p for p in parents if p.style in STYLES and p.reference and p.tests}
    ranked = sorted(fit.values(), key=lambda p: (uniform_for(run_seed, name_parent(p), "evolve"), p.record_id))
    return tuple(ranked[:count])


def plan_rewritings(section: EvolveSource, parents: Iterable[Candidate], run_seed: int) -> tuple[Rewriting, ...]:
    """Return which parent meets which operator: ``section.count`` pairs, fewer when there aren't that many.

    Operators take turns over the chosen parents; a parent that comes round again meets the next operator.

    Raises:
        ConfigError: an operator name is unknown.
    """
    operators = [OPERATORS.get(name).name for name in section.operators or OPERATORS.names()]
    chosen = choose_parents(parents, section.count, run_seed)
    pairs = [
        (parent, operators[(number + turn) % len(operators)])
        for turn in range(len(operators))
        for number, parent in enumerate(chosen)
    ]
    return tuple(
        Rewriting(
            source=section.name,
            parent=parent,
            operator=operator,
            setting=rng_for(run_seed, name_parent(parent), f"setting {operator}").choice(SETTINGS),
            license=section.license,
        )
        for parent, operator in pairs[: section.count]
    )


def build_request(rewriting: Rewriting) -> ModelRequest:
    """Return what is asked for one rewriting."""
    operator = OPERATORS.get(rewriting.operator)
    style = rewriting.parent.style
    prompt = _PROMPT.format(
        statement=rewriting.parent.statement.strip(),
        reference=rewriting.parent.reference.strip(),
        instruction=operator.instruction.format(setting=rewriting.setting),
        form=describe_form(style),
    )
    return ModelRequest(
        purpose=PURPOSE,
        messages=(Message(role="system", content=_SYSTEM), Message(role="user", content=prompt)),
        schema_json=specification_schema(style),
        subject=rewriting.subject,
    )


def try_evolve(rewriting: Rewriting, client: ModelClient) -> Candidate | Rejection:
    """Return the rewritten task, or the rejection that keeps the reply and says what is wrong with it.

    Raises:
        ConfigError: the client can't be used at all.
    """
    reply: ModelReply | None = None
    try:
        reply = client.ask(build_request(rewriting))
        return _read_reply(rewriting, reply)
    except ModelError as error:
        payload = {
            "parent": rewriting.parent.record_id,
            "operator": rewriting.operator,
            "request_key": reply.request_key if reply else "",
            "model": reply.model if reply else "",
            "reply": reply.text if reply else "",
        }
        return Rejection(
            record_id=content_id("evolve", [rewriting.source, rewriting.parent.record_id, rewriting.operator]),
            source=rewriting.source,
            kind=SourceKind.EVOLVE,
            locator=rewriting.locator,
            stage=Stage.INGEST,
            reason=error.reason,
            detail=str(error),
            retriable=error.retriable,
            payload_json=canonical_json(payload),
        )


def _read_reply(rewriting: Rewriting, reply: ModelReply) -> Candidate:
    parent, operator = rewriting.parent, OPERATORS.get(rewriting.operator)
    child = draft_candidate(read_specification(reply.text, parent.style), _inherit(rewriting, operator, reply))
    refuse_poor_rewriting(child, parent)
    return child


def _inherit(rewriting: Rewriting, operator: RewritingOperator, reply: ModelReply) -> Lineage:
    parent = rewriting.parent
    return Lineage(
        source=SourceRef(
            source=rewriting.source,
            kind=SourceKind.EVOLVE,
            locator=rewriting.locator,
            original_id=rewriting.subject,
            license=_join_licenses(parent.source.license, rewriting.license),
        ),
        generation=Generation(
            model=reply.model,
            request_key=reply.request_key,
            operator=operator.name,
            reasoning_chars=len(reply.reasoning),
        ),
        domain=parent.domain,
        tags=parent.tags,
        parent_ids=(parent.record_id,),
        family_key=parent.family_key or parent.record_id,
        variant_role=operator.role.value,
    )


def _join_licenses(parent: str, own: str) -> str:
    """Return the SPDX expression of a work made from a parent: both licences hold, and an unknown one stays unknown."""
    if _UNKNOWN_LICENSE in {parent, own}:
        return _UNKNOWN_LICENSE
    return own if parent == own else f"{_parenthesise(parent)} AND {_parenthesise(own)}"


def _parenthesise(expression: str) -> str:
    return f"({expression})" if " OR " in expression else expression
