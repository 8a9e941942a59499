"""A task survives its row, and a row is what trainers read."""

import json
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.arrow import SCHEMA_VERSION, TASK_SCHEMA
from schemas.candidate import (
    Candidate,
    Checker,
    CheckerName,
    FileEdit,
    Generation,
    Parameter,
    RepositoryMutation,
    Signature,
    TaskStyle,
    TestCase,
    TestOrigin,
    TestTier,
)
from schemas.contamination import ContaminationRecord
from schemas.errors import SchemaError
from schemas.exploit_results import Basis, ClassResult, Result
from schemas.limits import Limits
from schemas.proven import Evidence, Probe, Proven, RepositoryProof, Survivor, VerdictStrength
from schemas.row import to_row
from schemas.row_reading import from_row
from schemas.source import MixtureBucket, SourceKind, SourceRef
from schemas.task import Difficulty, Split, Task
from schemas.values import encode_call, encode_value

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
COUNT = st.integers(0, 1000)
SHARE = st.floats(0, 1).map(lambda number: round(number, 4))


@st.composite
def cases(draw: st.DrawFn) -> tuple[TestCase, ...]:
    """Public cases come before hidden ones, as in every proven task."""
    made = []
    for public in (True, False):
        for value in draw(st.lists(st.integers(-9, 9), max_size=3, unique=True)):
            made.append(
                TestCase.make(
                    encode_call([value], {}),
                    json.dumps(encode_value(value)),
                    origin=draw(st.sampled_from(TestOrigin)),
                    tier=draw(st.sampled_from(TestTier)),
                    public=public,
                )
            )
    return tuple(made)


RESULTS = st.builds(
    ClassResult,
    number=st.integers(1, 26),
    result=st.sampled_from(Result),
    tried=COUNT,
    open_to=NAMES,
    reason=TEXT,
    basis=st.sampled_from(Basis),
)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    return Evidence(
        verdict_strength=draw(st.sampled_from(VerdictStrength)),
        backend="process",
        isolation="process",
        limits=Limits(),
        limits_enforced=tuple(sorted(draw(NAMES))),
        repeats=3,
        baseline="stub",
        baseline_failed=draw(COUNT),
        flaky_tests=draw(NAMES),
        failed_alternatives=draw(NAMES),
        mutants=draw(COUNT),
        mutants_killed=0,
        survivors=(Survivor(operator="negate", diff=draw(TEXT), suspected_equivalent=draw(st.booleans())),),
        probes=(Probe(name="none", accepted=False),),
        fuzz_inputs=draw(COUNT),
        fuzz_valid=draw(COUNT),
        toolchain=draw(TEXT),
        exploits=tuple(draw(st.lists(RESULTS, max_size=3))),
        battery_version=draw(TEXT),
    )


def make_candidate(record_id: str, style: TaskStyle, text: str, mutation: RepositoryMutation | None) -> Candidate:
    return Candidate(
        record_id=record_id,
        source=SourceRef(source="s", kind=SourceKind.BANK, locator="a:1", license="MIT", original_id=text),
        style=style,
        statement=text,
        title=text,
        tags=("t",),
        signature=Signature(entry_point="solve", parameters=(Parameter(name="n", annotation="int"),), returns="int"),
        given_tests_left_out=5,
        checker=Checker(name=CheckerName.FLOAT, rel_tol=1e-6),
        reference="def solve(n):\n    return n\n",
        alternatives=("solve = abs",),
        mutation=mutation,
        generation=Generation(model="recorded", request_key="k", operator="deepen", reasoning_chars=7),
        parent_ids=("p",),
        family_key="f",
        variant_role="harder",
    )


def make_mutation(text: str) -> RepositoryMutation:
    return RepositoryMutation(
        repository="toy",
        url="local:toy",
        base_commit="c" * 40,
        tree_digest="d" * 64,
        environment_digest="e" * 64,
        operator="negate",
        edits=(FileEdit(path="a.py", start=1, end=2, replacement_hex="00ff"),),
        bug_patch=text,
        fix_patch=text,
        scope="f",
    )


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    style = draw(st.sampled_from([TaskStyle.FUNCTION, TaskStyle.REPOSITORY]))
    is_repository = style is TaskStyle.REPOSITORY
    mutation = make_mutation(draw(TEXT)) if is_repository else None
    proof = RepositoryProof(fail_to_pass=draw(NAMES), pass_to_pass=draw(NAMES), test_command="pytest")
    contamination = ContaminationRecord(
        benchmark="b", nearest_item="i", score=draw(SHARE), method="statement_10gram", span=draw(TEXT)
    )
    return Task(
        task_id="task-1",
        family_id=draw(TEXT),
        proven=Proven(
            candidate=make_candidate("task-1", style, draw(TEXT), mutation),
            tests=draw(cases()),
            evidence=draw(evidences()),
            repository=proof if is_repository else None,
        ),
        contamination=(contamination,),
        difficulty=Difficulty(
            score=draw(SHARE),
            provenance="structural",
            solution_lines=3,
            files_touched=1,
            cyclomatic=2,
            tests_needed=4,
            reasoning_chars=7,
            phase=1,
        ),
        bucket=draw(st.sampled_from(MixtureBucket)),
        weight=draw(SHARE),
        split=draw(st.sampled_from(Split)),
    )


def through_arrow(task: Task) -> dict[str, object]:
    table = pa.Table.from_pylist([to_row(task)], schema=TASK_SCHEMA)
    table.validate(full=True)
    row: dict[str, object] = table.to_pylist()[0]
    return row


@given(tasks())
@settings(deadline=None, max_examples=60)
def test_a_task_survives_its_row(task: Task) -> None:
    assert from_row(through_arrow(task)) == task


@given(tasks())
@settings(deadline=None, max_examples=20)
def test_a_prompt_holds_nothing_hidden(task: Task) -> None:
    row = to_row(task)
    assert row["prompt"][0]["role"] == "user"
    for case in row["hidden_tests"]:
        public = {test["input"] for test in row["public_tests"]}
        assert case["input"] in public or case["input"] not in row["prompt"][0]["content"]


@given(tasks())
@settings(deadline=None, max_examples=5)
def test_a_row_of_the_version_without_exploits_is_read(task: Task) -> None:
    added = {"exploit_classes", "exploit_battery"}
    row = {key: value for key, value in through_arrow(task).items() if key not in added} | {"schema_version": "1.0"}
    evidence = replace(task.proven.evidence, exploits=(), battery_version="")
    assert from_row(row) == replace(task, proven=replace(task.proven, evidence=evidence))
    with pytest.raises(SchemaError, match="exploit_classes"):
        from_row(row | {"schema_version": SCHEMA_VERSION})


def test_another_schema_version_is_refused() -> None:
    row = {"schema_version": "0.9", "task_id": "t"}
    with pytest.raises(SchemaError, match=f"'0.9', not {SCHEMA_VERSION}"):
        from_row(row)


def test_the_schema_has_no_null_type_no_map_and_no_foreign_metadata() -> None:
    assert not any(pa.types.is_null(field.type) or pa.types.is_map(field.type) for field in TASK_SCHEMA)
    assert list(TASK_SCHEMA.metadata) == [b"taskfoundry.schema_version"]
