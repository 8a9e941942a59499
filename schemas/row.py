"""A task as a flat row of the Arrow schema: the contract with trainers.

Used by the write stage; the way back is `schemas/row_reading.py`. Method: own.
"""

from schemas.arrow import SCHEMA_VERSION, Row
from schemas.candidate import Candidate, TestCase
from schemas.canonical import bucket_of, canonical_json
from schemas.codec import encode_record
from schemas.exploit_results import ClassResult
from schemas.ground_truth import write_ground_truth
from schemas.prompt import build_prompt
from schemas.proven import Evidence, Proven
from schemas.task import Task


def _case_rows(cases: tuple[TestCase, ...]) -> list[dict[str, str]]:
    return [
        {
            "case_id": case.case_id,
            "input": case.input,
            "expected": case.expected,
            "origin": case.origin.value,
            "tier": case.tier.value,
        }
        for case in cases
    ]


def _source_columns(candidate: Candidate) -> Row:
    ref = candidate.source
    return {
        "source": ref.source,
        "source_kind": ref.kind.value,
        "source_locator": ref.locator,
        "source_id": ref.original_id,
        "source_url": ref.url,
        "license": ref.license,
        "author_role": ref.author_role,
        "review_status": ref.review_status,
        "style": candidate.style.value,
        "domain": candidate.domain,
        "language": candidate.language,
        "title": candidate.title,
        "tags": list(candidate.tags),
        "declared_difficulty": candidate.declared_difficulty,
    }


def _content_columns(candidate: Candidate) -> Row:
    return {
        "statement": candidate.statement,
        "entry_point": candidate.signature.entry_point if candidate.signature else "",
        "signature_json": encode_record(candidate.signature) if candidate.signature else "",
        "starter_code": candidate.starter_code,
        "suite_json": encode_record(candidate.suite) if candidate.suite else "",
        "checker": candidate.checker.name.value,
        "checker_rel_tol": candidate.checker.rel_tol,
        "checker_abs_tol": candidate.checker.abs_tol,
        "reference_solution": candidate.reference,
        "alternative_solutions": list(candidate.alternatives),
        "model": candidate.generation.model if candidate.generation else "",
        "model_request": candidate.generation.request_key if candidate.generation else "",
        "rewrite_operator": candidate.generation.operator if candidate.generation else "",
    }


def _repository_columns(proven: Proven) -> Row:
    mutation, proof = proven.candidate.mutation, proven.repository
    edits = [[e.path, e.start, e.end, e.replacement_hex] for e in mutation.edits] if mutation else None
    return {
        "repository": mutation.repository if mutation else "",
        "repository_url": mutation.url if mutation else "",
        "base_commit": mutation.base_commit if mutation else "",
        "tree_digest": mutation.tree_digest if mutation else "",
        "environment_digest": mutation.environment_digest if mutation else "",
        "bug_patch": mutation.bug_patch if mutation else "",
        "patch": mutation.fix_patch if mutation else "",
        "mutation_operator": mutation.operator if mutation else "",
        "mutation_scope": mutation.scope if mutation else "",
        "mutation_edits_json": "" if edits is None else canonical_json(edits),
        "FAIL_TO_PASS": list(proof.fail_to_pass) if proof else [],
        "PASS_TO_PASS": list(proof.pass_to_pass) if proof else [],
        "test_command": proof.test_command if proof else "",
        "test_files": list(proof.test_files) if proof else [],
    }


def _exploit_row(result: ClassResult) -> Row:
    return {
        "number": result.number,
        "result": result.result.value,
        "basis": result.basis.value,
        "tried": result.tried,
        "open_to": list(result.open_to),
        "reason": result.reason,
    }


def _evidence_columns(evidence: Evidence) -> Row:
    return {
        "verdict_strength": evidence.verdict_strength.value,
        "sandbox_backend": evidence.backend,
        "sandbox_isolation": evidence.isolation,
        "limits_enforced": sorted(evidence.limits_enforced),
        "limits_json": encode_record(evidence.limits),
        "toolchain": evidence.toolchain,
        "repeats": evidence.repeats,
        "baseline": evidence.baseline,
        "baseline_failed": evidence.baseline_failed,
        "flaky_tests": list(evidence.flaky_tests),
        "failed_alternatives": list(evidence.failed_alternatives),
        "mutants": evidence.mutants,
        "mutants_killed": evidence.mutants_killed,
        "mutation_score": round(evidence.mutants_killed / evidence.mutants, 4) if evidence.mutants else None,
        "survivors": [
            {"operator": s.operator, "diff": s.diff, "suspected_equivalent": s.suspected_equivalent}
            for s in evidence.survivors
        ],
        "exploit_vector": [{"name": p.name, "accepted": p.accepted} for p in evidence.probes],
        "exploit_classes": [_exploit_row(result) for result in evidence.exploits],
        "exploit_battery": evidence.battery_version,
        "fuzz_inputs": evidence.fuzz_inputs,
        "fuzz_valid": evidence.fuzz_valid,
    }


def _score_columns(task: Task) -> Row:
    difficulty = task.difficulty
    return {
        "contamination": [
            {
                "benchmark": c.benchmark,
                "nearest_item": c.nearest_item,
                "score": c.score,
                "method": c.method,
                "span": c.span,
            }
            for c in task.contamination
        ],
        "difficulty": difficulty.score,
        "difficulty_provenance": difficulty.provenance,
        "solution_lines": difficulty.solution_lines,
        "files_touched": difficulty.files_touched,
        "cyclomatic": difficulty.cyclomatic,
        "tests_needed": difficulty.tests_needed,
        "reasoning_chars": difficulty.reasoning_chars,
        "phase": difficulty.phase,
        "mixture_bucket": task.bucket.value,
        "mixture_weight": task.weight,
        "split": task.split.value,
    }


def to_row(task: Task) -> Row:
    """Return the task as a flat row of `TASK_SCHEMA`."""
    proven = task.proven
    candidate = proven.candidate
    hidden = tuple(case for case in proven.tests if not case.public)
    public = tuple(case for case in proven.tests if case.public)
    return {
        "task_id": task.task_id,
        "schema_version": SCHEMA_VERSION,
        "family_id": task.family_id,
        "family_key": candidate.family_key,
        "parent_ids": list(candidate.parent_ids),
        "variant_role": candidate.variant_role,
        **_source_columns(candidate),
        "data_source": f"taskfoundry/{candidate.style.value}",
        "prompt": [{"role": m.role, "content": m.content} for m in build_prompt(proven)],
        "ability": "code",
        "reward_model": {"style": "rule", "ground_truth": write_ground_truth(proven)},
        "extra_info": {
            "split": task.split.value,
            "index": bucket_of(task.task_id, 2**53),
            "task_id": task.task_id,
            "style": candidate.style.value,
        },
        **_content_columns(candidate),
        "public_tests": _case_rows(public),
        "hidden_tests": _case_rows(hidden),
        **_repository_columns(proven),
        **_evidence_columns(proven.evidence),
        "given_tests_left_out": candidate.given_tests_left_out,
        **_score_columns(task),
    }
