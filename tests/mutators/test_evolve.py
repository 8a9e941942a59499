import json
from dataclasses import replace

import pytest

from mutators.evolve import build_request, choose_parents, plan_rewritings, try_evolve
from mutators.rewriting import OPERATORS
from schemas.candidate import Candidate, Signature, TaskStyle, TestCase, TestOrigin
from schemas.config import EvolveSource
from schemas.errors import ConfigError, ModelError
from schemas.model import ModelReply
from schemas.rejection import Rejection
from schemas.source import SourceKind, SourceRef

SECTION = EvolveSource(kind="evolve", name="evolved", parents="bank", count=4)
PARENT_CODE = "def total(marks):\n    return sum(marks)\n"
STATEMENT = "Return the sum of the marks that the judges of a small contest have given, 0 if there are none."


def _parent(name, **changes):
    candidate = Candidate(
        record_id=f"cand-{name}",
        source=SourceRef(
            source="bank", kind=SourceKind.BANK, locator=f"bank.jsonl:{name}", original_id=name, license="MIT"
        ),
        style=TaskStyle.FUNCTION,
        statement=STATEMENT,
        tags=("sums",),
        domain="arithmetic",
        signature=Signature(entry_point="total"),
        tests=(TestCase.make('{"args":[[1]],"kwargs":{}}', "1", origin=TestOrigin.BANK),),
        reference=PARENT_CODE,
    )
    return replace(candidate, **changes)


ANSWER = {
    "title": "Sum without extremes",
    "statement": "Judges give marks. Drop one best and one worst mark, if there are at least three, and add up the others.",
    "entry_point": "middle_sum",
    "parameters": [{"name": "marks", "type": "list[int]", "constraints": []}],
    "returns": "int",
    "examples": [
        {"call": "middle_sum([1, 2, 3])", "result": "2"},
        {"call": "middle_sum([])", "result": "0"},
        {"call": "middle_sum([4, 4])", "result": "8"},
    ],
    "checker": "exact",
    "tags": [],
    "reference": "def middle_sum(marks):\n    kept = sorted(marks)[1:-1] if len(marks) > 2 else marks\n    return sum(kept)\n",
    "second_solution": "",
}


class Scripted:
    """Stands at the model boundary: gives one text, or an error."""

    def __init__(self, text):
        self.text = text

    def ask(self, request):
        if isinstance(self.text, Exception):
            raise self.text
        return ModelReply(request_key=request.key(), model="m", text=self.text, reasoning="because")


def _rewriting(**changes):
    return plan_rewritings(SECTION, [_parent("p", **changes)], 7)[0]


def _evolve(rewriting):
    child = try_evolve(rewriting, Scripted(json.dumps(ANSWER)))
    assert isinstance(child, Candidate), child
    return child


def test_child_belongs_to_its_parents_family():
    rewriting = _rewriting()
    child = _evolve(rewriting)
    assert child.parent_ids == ("cand-p",)
    assert child.family_key == "cand-p"
    assert child.source.kind is SourceKind.EVOLVE
    assert child.source.license == "MIT AND Apache-2.0"
    assert child.generation.operator == rewriting.operator == "add_constraint"
    assert (child.variant_role, child.domain, child.tags) == ("harder", "arithmetic", ("sums",))
    assert child.generation.reasoning_chars == len("because")


def test_grandchild_stays_in_the_family():
    child = _evolve(_rewriting(family_key="fam"))
    assert child.family_key == "fam"


@pytest.mark.parametrize(
    ("parent", "joined"),
    [
        ("Apache-2.0", "Apache-2.0"),
        ("NOASSERTION", "NOASSERTION"),
        ("MIT OR GPL-3.0-only", "(MIT OR GPL-3.0-only) AND Apache-2.0"),
    ],
)
def test_child_carries_both_licences(parent, joined):
    source = replace(_parent("p").source, license=parent)
    assert _evolve(_rewriting(source=source)).source.license == joined


RENAMED = "def middle_sum(points):\n    '''Add up.'''\n    return sum(points)\n"
POOR = [
    ({"statement": STATEMENT.upper()}, "same_as_parent"),
    ({"statement": STATEMENT + " Return the sum."}, "same_as_parent"),
    (
        {"statement": "Unlike the original problem, drop the best mark first and then add up the rest."},
        "leaks_template",
    ),
    ({"statement": "Solve the task above, but drop the best mark first and add up what is left."}, "leaks_template"),
    ({"reference": RENAMED}, "unchanged_reference"),
]


@pytest.mark.parametrize(("changes", "reason"), POOR)
def test_poor_rewriting_is_eliminated(changes, reason):
    assert try_evolve(_rewriting(), Scripted(json.dumps(ANSWER | changes))).reason == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I'm sorry, I can't.", "refused"),
        ("...", "empty_answer"),
        ('{"title": "cut', "broken_json"),
        ("{}x", "invalid_spec"),
    ],
)
def test_answer_that_is_no_task_is_eliminated(text, reason):
    assert try_evolve(_rewriting(), Scripted(text)).reason == reason


def test_another_builtin_is_another_reference():
    code = "def middle_sum(points):\n    return max(points)\n"
    assert try_evolve(_rewriting(), Scripted(json.dumps(ANSWER | {"reference": code}))).reference == code


def test_rejection_keeps_reply_parent_and_operator():
    rejection = try_evolve(_rewriting(), Scripted("..."))
    assert isinstance(rejection, Rejection)
    assert (rejection.reason, rejection.locator) == ("empty_answer", "bank.jsonl:p+add_constraint")
    payload = json.loads(rejection.payload_json)
    assert (payload["reply"], payload["parent"], payload["operator"]) == ("...", "cand-p", "add_constraint")


def test_endpoint_failure_stays_retriable():
    rejection = try_evolve(_rewriting(), Scripted(ModelError("down", reason="endpoint_down", retriable=True)))
    assert rejection.retriable


def test_choice_of_parents_depends_on_neither_order_nor_company():
    parents = [_parent(f"p{number}") for number in range(12)]
    chosen = choose_parents(parents, 5, 3)
    assert choose_parents(reversed(parents), 5, 3) == chosen
    assert choose_parents([p for p in parents if p not in chosen[:2]], 3, 3) == chosen[2:5]
    assert choose_parents(parents, 5, 4) != chosen
    edited = [replace(p, record_id=f"{p.record_id}-edited") for p in parents]
    assert [p.source.original_id for p in choose_parents(edited, 5, 3)] == [p.source.original_id for p in chosen]


def test_parents_without_reference_or_cases_arent_chosen():
    unfit = [_parent("a", reference=""), _parent("b", tests=()), _parent("c", style=TaskStyle.SUITE)]
    assert choose_parents(unfit, 9, 1) == ()
    assert plan_rewritings(SECTION, unfit, 1) == ()


def test_operators_take_turns_and_no_pair_comes_twice():
    two = [_parent("a"), _parent("b")]
    plan = plan_rewritings(EvolveSource(kind="evolve", name="e", parents="bank", count=99), two, 5)
    pairs = {(r.parent.record_id, r.operator) for r in plan}
    assert len(plan) == len(pairs) == 2 * len(OPERATORS.names())
    assert plan == plan_rewritings(EvolveSource(kind="evolve", name="e", parents="bank", count=99), two[::-1], 5)
    assert plan[0].operator != plan[1].operator


def test_configured_operators_are_the_only_ones_used():
    section = EvolveSource(kind="evolve", name="e", parents="bank", count=3, operators=("deepen_steps",))
    assert {r.operator for r in plan_rewritings(section, [_parent(n) for n in "abc"], 1)} == {"deepen_steps"}
    unknown = EvolveSource(kind="evolve", name="e", parents="bank", operators=("deepen_step",))
    with pytest.raises(ConfigError, match="Did you mean 'deepen_steps'"):
        plan_rewritings(unknown, [_parent("a")], 1)


@pytest.mark.parametrize("name", OPERATORS.names())
def test_each_operator_shows_the_parent_and_its_own_instruction(name):
    section = EvolveSource(kind="evolve", name="e", parents="bank", operators=(name,))
    rewriting = plan_rewritings(section, [_parent("a")], 1)[0]
    request = build_request(rewriting)
    text = request.messages[1].content
    assert STATEMENT in text
    assert PARENT_CODE.strip() in text
    assert "{setting}" not in text
    assert request.subject == f"a/{name}"
    assert request.key() == build_request(rewriting).key()


def test_operators_ask_different_things():
    keys = set()
    for name in OPERATORS.names():
        section = EvolveSource(kind="evolve", name="e", parents="bank", operators=(name,))
        keys.add(build_request(plan_rewritings(section, [_parent("a")], 1)[0]).key())
    assert len(keys) == len(OPERATORS.names())
