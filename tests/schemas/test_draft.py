import json

import pytest

from schemas.candidate import CheckerName, Generation, TaskStyle, TestOrigin
from schemas.draft import Lineage, draft_candidate
from schemas.errors import ModelError
from schemas.source import SourceKind, SourceRef
from schemas.specification import read_specification, specification_schema
from schemas.values import decode_call, decode_text

LINEAGE = Lineage(
    source=SourceRef(source="topics", kind=SourceKind.TOPICS, locator="t.yaml#x"),
    generation=Generation(model="recorded", request_key="k"),
    tags=("own",),
)
FUNCTION = {
    "title": "Shared marks",
    "statement": "Return the marks that stand in both groups, each once, in increasing order.",
    "entry_point": "shared",
    "parameters": [
        {
            "name": "left",
            "type": "list[int]",
            "constraints": [
                {"path": "", "rule": "max_length", "value": 5},
                {"path": "[]", "rule": "min", "value": 0},
                {"path": "[]", "rule": "max", "value": 9},
            ],
        },
        {"name": "right", "type": "set[int]", "constraints": []},
    ],
    "returns": "tuple[int, ...]",
    "examples": [
        {"call": "shared([1, 2], {2})", "result": "(2,)"},
        {"call": "shared([], right=set())", "result": "()"},
        {"call": "shared([9], {-1})", "result": "raises ValueError"},
    ],
    "checker": "exact",
    "tags": ["sets", "own"],
    "reference": "def shared(left, right):\n    return tuple(sorted(set(left) & right))\n",
    "second_solution": "",
}
STDIN = {
    "title": "Doubled",
    "statement": "Read one integer between 0 and 9 and print it doubled, on one line.",
    "examples": [{"stdin": str(n), "stdout": f"{2 * n}\n"} for n in range(6)],
    "checker": "lines",
    "tags": [],
    "reference": "print(2 * int(input()))",
    "second_solution": "n = int(input())\nprint(n + n)",
}


def _draft(data, style=TaskStyle.FUNCTION, lineage=LINEAGE):
    return draft_candidate(read_specification(json.dumps(data), style), lineage)


def test_examples_become_encoded_cases_of_which_the_first_third_is_public():
    candidate = _draft(FUNCTION)
    assert [test.public for test in candidate.tests] == [True, False, False]
    assert decode_call(candidate.tests[0].input) == (([1, 2], {2}), {})
    assert decode_call(candidate.tests[1].input) == (([],), {"right": set()})
    assert decode_text(candidate.tests[0].expected) == (2,)
    assert candidate.tests[2].expected == '{"$raises":"ValueError"}'
    assert {test.origin for test in candidate.tests} == {TestOrigin.MODEL}


def test_signature_keeps_types_and_bounds_and_the_statement_tells_them():
    candidate = _draft(FUNCTION)
    assert candidate.signature.entry_point == "shared"
    assert [p.annotation for p in candidate.signature.parameters] == ["list[int]", "set[int]"]
    assert [(c.path, c.rule, c.value_json) for c in candidate.signature.parameters[0].constraints] == [
        ("", "max_length", "5"),
        ("[]", "min", "0"),
        ("[]", "max", "9"),
    ]
    assert candidate.statement.endswith("## Constraints\n\n- `left`: length 0 to 5; each item: 0 to 9")
    assert candidate.tags == ("own", "sets")


def test_stdin_specification_becomes_a_program_task():
    candidate = _draft(STDIN, TaskStyle.STDIN)
    assert candidate.signature is None
    assert (candidate.tests[3].input, candidate.tests[3].expected) == ("3\n", "6\n")
    assert candidate.alternatives == (STDIN["second_solution"],)
    assert candidate.checker.name is CheckerName.LINES


@pytest.mark.parametrize(
    ("style", "data", "stated", "taken"),
    [
        (TaskStyle.FUNCTION, FUNCTION, "unordered", CheckerName.UNORDERED),
        (TaskStyle.FUNCTION, FUNCTION, "tokens", CheckerName.EXACT),
        (TaskStyle.STDIN, STDIN, "tokens_float", CheckerName.TOKENS_FLOAT),
        (TaskStyle.STDIN, STDIN, "unordered", CheckerName.LINES),
    ],
)
def test_checker_is_the_stated_one_where_it_fits_the_style(style, data, stated, taken):
    checker = _draft(data | {"checker": stated}, style).checker
    assert checker.name is taken
    assert (checker.rel_tol > 0) == (taken is CheckerName.TOKENS_FLOAT)


def test_equal_answers_are_equal_records_whoever_drafts_them():
    assert _draft(FUNCTION) == _draft(json.loads(json.dumps(FUNCTION)))
    assert (
        _draft(FUNCTION).record_id
        != _draft(FUNCTION | {"reference": "def shared(left, right):\n    return ()\n"}).record_id
    )


def _with(path, value):
    data = json.loads(json.dumps(FUNCTION))
    *steps, last = path
    part = data
    for step in steps:
        part = part[step]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return data


BAD = [
    (("title",), None, "title: Field required"),
    (("statement",), "short", "statement"),
    (("statement",), 7, "statement"),
    (("entry_point",), "class", "no Python name"),
    (("entry_point",), "other", "reference: defines no 'other'"),
    (("parameters",), [], "parameters"),
    (("parameters", 0, "type"), "list[", "isn't Python"),
    (("parameters", 1, "name"), "left", "stands twice"),
    (("parameters", 0, "constraints", 0, "rule"), "size", "constraints.0.rule"),
    (("parameters", 0, "constraints", 0, "value"), "five", "parameters.0.constraints.0"),
    (("parameters", 0, "constraints", 0, "path"), "[0]", "parameters.0.constraints.0"),
    (("examples",), FUNCTION["examples"][:2], "examples"),
    (("examples", 0, "call"), "other([1], {1})", "examples.0: .*must call shared"),
    (("examples", 0, "call"), "shared([1], {1}, 3)", "each parameter once"),
    (("examples", 0, "call"), "shared([1])", "each parameter once"),
    (("examples", 0, "call"), "shared(open('/etc/passwd'), {1})", "examples.0"),
    (("examples", 0, "call"), "shared(*[[1], {1}])", "examples.0"),
    (("examples", 0, "result"), "sorted([1])", "examples.0"),
    (("examples", 0, "result"), "(" * 500, "examples.0"),
    (("examples", 0, "call"), "shared([10], {1})", "breaks a constraint: left at \\[\\] must be max 9"),
    (("examples", 1), {"call": "shared([1, 2], {2})", "result": "(1,)"}, "contradicts"),
    (("checker",), "fuzzy", "checker"),
    (("reference",), "def shared(left, right)\n    pass", "isn't Python"),
    (("second_solution",), "def", "isn't Python"),
]


@pytest.mark.parametrize(("path", "value", "words"), BAD)
def test_wrong_field_is_named(path, value, words):
    with pytest.raises(ModelError, match=words) as caught:
        _draft(_with(path, value))
    assert (caught.value.reason, caught.value.retriable) == ("invalid_spec", False)


@pytest.mark.parametrize("style", [TaskStyle.FUNCTION, TaskStyle.STDIN])
def test_schema_is_in_the_strict_subset(style):
    schema = json.loads(specification_schema(style))
    parts = [schema, *schema["$defs"].values()]
    objects = [part for part in parts if part.get("type") == "object"]
    assert len(objects) >= 2
    for part in objects:
        assert part["additionalProperties"] is False
        assert part["required"] == sorted(part["properties"])
    assert "title" in schema["properties"]
    assert not {"minLength", "maxItems", "default"} & set(json.dumps(schema).split('"'))
