"""Small whole records for tests that need one and don't care which."""

import json

from schemas.candidate import Candidate, Parameter, Signature, TaskStyle, TestCase, TestOrigin
from schemas.limits import Limits
from schemas.proven import Evidence, Proven, VerdictStrength
from schemas.source import MixtureBucket, SourceKind, SourceRef
from schemas.task import Difficulty, Scored, Split, Task
from schemas.values import encode_call, encode_value


def make_candidate(record_id: str, *, statement: str = "Return n doubled.", source: str = "a") -> Candidate:
    """Return a function task that doubles a number."""
    cases = tuple(
        TestCase.make(
            encode_call([number], {}), json.dumps(encode_value(2 * number)), origin=TestOrigin.BANK, public=number < 2
        )
        for number in range(6)
    )
    return Candidate(
        record_id=record_id,
        source=SourceRef(source=source, kind=SourceKind.BANK, locator="bank.jsonl:1", license="MIT"),
        style=TaskStyle.FUNCTION,
        statement=statement,
        signature=Signature(entry_point="double", parameters=(Parameter(name="n", annotation="int"),), returns="int"),
        tests=cases,
        reference="def double(n):\n    return 2 * n\n",
    )


def make_proven(candidate: Candidate) -> Proven:
    """Return the candidate with made-up evidence."""
    evidence = Evidence(
        verdict_strength=VerdictStrength.SPLIT,
        backend="process",
        isolation="process",
        limits=Limits(),
        limits_enforced=("cpu", "memory"),
        repeats=3,
        baseline="stub",
        baseline_failed=4,
        mutants=4,
        mutants_killed=4,
    )
    return Proven(candidate=candidate, tests=candidate.tests, evidence=evidence)


def make_scored(record_id: str, *, statement: str = "Return n doubled.", source: str = "a") -> Scored:
    """Return a scored record."""
    difficulty = Difficulty(
        score=0.1, provenance="structural", solution_lines=2, files_touched=1, cyclomatic=1, tests_needed=1
    )
    proven = make_proven(make_candidate(record_id, statement=statement, source=source))
    return Scored(proven=proven, contamination=(), difficulty=difficulty)


def make_task(record_id: str, *, split: Split = Split.TRAIN) -> Task:
    """Return a finished task."""
    scored = make_scored(record_id)
    return Task(
        task_id=record_id,
        family_id=record_id,
        proven=scored.proven,
        contamination=(),
        difficulty=scored.difficulty,
        bucket=MixtureBucket.BANK,
        weight=1.0,
        split=split,
    )
