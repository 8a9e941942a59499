"""A row of the Arrow schema back into a task, for `inspect`, `verify` and the tests of the round trip.

The inverse of `schemas/row.py`. Method: own.
"""

import json
from collections.abc import Mapping
from typing import Any

from schemas.arrow import READABLE_VERSIONS, SCHEMA_VERSION
from schemas.candidate import (
    Candidate,
    Checker,
    CheckerName,
    Generation,
    RepositoryMutation,
    Signature,
    Suite,
    TaskStyle,
    TestCase,
    TestOrigin,
    TestTier,
)
from schemas.codec import decode_record
from schemas.contamination import ContaminationRecord
from schemas.errors import SchemaError
from schemas.exploit_results import Basis, ClassResult, Result
from schemas.limits import Limits
from schemas.proven import Evidence, Probe, Proven, RepositoryProof, Survivor, VerdictStrength
from schemas.source import MixtureBucket, SourceKind, SourceRef
from schemas.task import Difficulty, Split, Task


def _cases_from(rows: list[dict[str, str]], *, public: bool) -> tuple[TestCase, ...]:
    return tuple(
        TestCase(
            case_id=row["case_id"],
            input=row["input"],
            expected=row["expected"],
            origin=TestOrigin(row["origin"]),
            tier=TestTier(row["tier"]),
            public=public,
        )
        for row in rows
    )


def _mutation_from(row: Mapping[str, Any]) -> RepositoryMutation | None:
    if not row["mutation_edits_json"]:
        return None
    fields = {
        "repository": row["repository"],
        "url": row["repository_url"],
        "base_commit": row["base_commit"],
        "tree_digest": row["tree_digest"],
        "environment_digest": row["environment_digest"],
        "operator": row["mutation_operator"],
        "edits": [
            {"path": path, "start": start, "end": end, "replacement_hex": replacement}
            for path, start, end, replacement in json.loads(row["mutation_edits_json"])
        ],
        "bug_patch": row["bug_patch"],
        "fix_patch": row["patch"],
        "scope": row["mutation_scope"],
    }
    return decode_record(RepositoryMutation, json.dumps(fields))


def _source_from(row: Mapping[str, Any]) -> SourceRef:
    return SourceRef(
        source=row["source"],
        kind=SourceKind(row["source_kind"]),
        locator=row["source_locator"],
        original_id=row["source_id"],
        url=row["source_url"],
        license=row["license"],
        author_role=row["author_role"],
        review_status=row["review_status"],
    )


def _candidate_from(row: Mapping[str, Any]) -> Candidate:
    generation = Generation(
        model=row["model"],
        request_key=row["model_request"],
        operator=row["rewrite_operator"],
        reasoning_chars=row["reasoning_chars"],
    )
    return Candidate(
        record_id=row["task_id"],
        source=_source_from(row),
        style=TaskStyle(row["style"]),
        statement=row["statement"],
        language=row["language"],
        title=row["title"],
        domain=row["domain"],
        declared_difficulty=row["declared_difficulty"],
        tags=tuple(row["tags"]),
        signature=decode_record(Signature, row["signature_json"]) if row["signature_json"] else None,
        starter_code=row["starter_code"],
        given_tests_left_out=row["given_tests_left_out"],
        suite=decode_record(Suite, row["suite_json"]) if row["suite_json"] else None,
        checker=Checker(
            name=CheckerName(row["checker"]), rel_tol=row["checker_rel_tol"], abs_tol=row["checker_abs_tol"]
        ),
        reference=row["reference_solution"],
        alternatives=tuple(row["alternative_solutions"]),
        mutation=_mutation_from(row),
        generation=generation if row["model_request"] else None,
        parent_ids=tuple(row["parent_ids"]),
        family_key=row["family_key"],
        variant_role=row["variant_role"],
    )


def _has_exploits(row: Mapping[str, Any]) -> bool:
    """Return whether the row's version has the columns of exploit classes."""
    return bool(row["schema_version"] != "1.0")


def _exploits_from(row: Mapping[str, Any]) -> tuple[ClassResult, ...]:
    return tuple(
        ClassResult(
            number=each["number"],
            result=Result(each["result"]),
            tried=each["tried"],
            open_to=tuple(each["open_to"]),
            reason=each["reason"],
            basis=Basis(each["basis"]),
        )
        for each in (row["exploit_classes"] if _has_exploits(row) else ())
    )


def _evidence_from(row: Mapping[str, Any]) -> Evidence:
    return Evidence(
        verdict_strength=VerdictStrength(row["verdict_strength"]),
        backend=row["sandbox_backend"],
        isolation=row["sandbox_isolation"],
        limits=decode_record(Limits, row["limits_json"]),
        limits_enforced=tuple(row["limits_enforced"]),
        repeats=row["repeats"],
        baseline=row["baseline"],
        baseline_failed=row["baseline_failed"],
        flaky_tests=tuple(row["flaky_tests"]),
        failed_alternatives=tuple(row["failed_alternatives"]),
        mutants=row["mutants"],
        mutants_killed=row["mutants_killed"],
        survivors=tuple(Survivor(**survivor) for survivor in row["survivors"]),
        probes=tuple(Probe(**probe) for probe in row["exploit_vector"]),
        exploits=_exploits_from(row),
        battery_version=row["exploit_battery"] if _has_exploits(row) else "",
        fuzz_inputs=row["fuzz_inputs"],
        fuzz_valid=row["fuzz_valid"],
        toolchain=row["toolchain"],
    )


def _proof_from(row: Mapping[str, Any]) -> RepositoryProof | None:
    if not row["mutation_edits_json"]:
        return None
    return RepositoryProof(
        fail_to_pass=tuple(row["FAIL_TO_PASS"]),
        pass_to_pass=tuple(row["PASS_TO_PASS"]),
        test_command=row["test_command"],
        test_files=tuple(row["test_files"]),
    )


def _difficulty_from(row: Mapping[str, Any]) -> Difficulty:
    return Difficulty(
        score=row["difficulty"],
        provenance=row["difficulty_provenance"],
        solution_lines=row["solution_lines"],
        files_touched=row["files_touched"],
        cyclomatic=row["cyclomatic"],
        tests_needed=row["tests_needed"],
        reasoning_chars=row["reasoning_chars"],
        phase=row["phase"],
    )


def from_row(row: Mapping[str, Any]) -> Task:
    """Return the task that `to_row` flattened; public tests come before hidden ones.

    Raises:
        SchemaError: the row has another schema version, or isn't one of ours.
    """
    version = row.get("schema_version")
    if version not in READABLE_VERSIONS:
        raise SchemaError(f"row {row.get('task_id', '')!r} has schema version {version!r}, not {SCHEMA_VERSION}")
    try:
        return _task_from(row)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SchemaError(
            f"row {row.get('task_id', '')!r} isn't one of ours: {type(error).__name__} {error}"
        ) from error


def _task_from(row: Mapping[str, Any]) -> Task:
    tests = _cases_from(row["public_tests"], public=True) + _cases_from(row["hidden_tests"], public=False)
    proven = Proven(
        candidate=_candidate_from(row), tests=tests, evidence=_evidence_from(row), repository=_proof_from(row)
    )
    return Task(
        task_id=row["task_id"],
        family_id=row["family_id"],
        proven=proven,
        contamination=tuple(ContaminationRecord(**record) for record in row["contamination"]),
        difficulty=_difficulty_from(row),
        bucket=MixtureBucket(row["mixture_bucket"]),
        weight=row["mixture_weight"],
        split=Split(row["split"]),
    )
