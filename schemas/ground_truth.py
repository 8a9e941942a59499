"""What a rule-based reward is given beside a completion: everything that judging a task needs, as one JSON text.

Column ``reward_model.ground_truth`` of a row. Trainers pass it on unread, so it must be enough by itself; the keys
``inputs``, ``outputs`` and ``fn_name`` are those that verl's and PRIME's graders read. Never shown to a model: hidden
tests stand in it, and the reference of suite and repository tasks. Method: own.
"""

import json
from collections.abc import Mapping
from typing import TypeVar

from schemas.candidate import (
    Candidate,
    Checker,
    RepositoryMutation,
    Signature,
    Suite,
    TaskStyle,
    TestCase,
    TestOrigin,
    TestTier,
)
from schemas.canonical import Json, canonical_json
from schemas.codec import decode_record, encode_record
from schemas.errors import SchemaError
from schemas.limits import Limits
from schemas.proven import Evidence, Proven, RepositoryProof, VerdictStrength
from schemas.source import SourceKind, SourceRef

T = TypeVar("T")
_MOST_REFERENCE_CHARS = 2**24


def write_ground_truth(proven: Proven) -> str:
    """Return what judging this task needs."""
    candidate, evidence = proven.candidate, proven.evidence
    hidden = [case for case in proven.tests if not case.public]
    truth: dict[str, object] = {
        "style": candidate.style.value,
        "language": candidate.language,
        "limits": _plain(evidence.limits),
        "signature": _plain(candidate.signature) if candidate.signature else None,
        "baseline_failed": evidence.baseline_failed,
    }
    if evidence.needs_packages:
        truth["toolchain"] = evidence.toolchain
    if candidate.mutation is not None and proven.repository is not None:
        proof = proven.repository
        lists = {"FAIL_TO_PASS": list(proof.fail_to_pass), "PASS_TO_PASS": list(proof.pass_to_pass)}
        truth |= {"mutation": _plain(candidate.mutation), **lists, "test_command": proof.test_command}
    elif candidate.suite is not None:
        flaky = list(evidence.flaky_tests)
        truth |= {"suite": _plain(candidate.suite), "reference": candidate.reference, "flaky_tests": flaky}
    else:
        truth |= {
            "checker": candidate.checker.name.value,
            "rel_tol": candidate.checker.rel_tol,
            "abs_tol": candidate.checker.abs_tol,
            "inputs": [case.input for case in hidden],
            "outputs": [case.expected for case in hidden],
            "tiers": [case.tier.value for case in hidden],
            "reference_chars": len(candidate.reference),
        }
    if candidate.style is TaskStyle.FUNCTION and candidate.signature is not None:
        truth |= {"fn_name": candidate.signature.entry_point, "encoding": "taskfoundry"}
    return canonical_json(truth)


def _plain(record: object) -> Json:
    found: Json = json.loads(encode_record(record))
    return found


def read_ground_truth(text: str, *, task_id: str = "") -> Proven:
    """Return the task as far as judging needs it: no statement, no public tests, no lineage.

    A reference that isn't in the text is replaced by as many blanks, so that lengths can be compared.

    Raises:
        SchemaError: the text wasn't written by `write_ground_truth`.
    """
    try:
        return _read(json.loads(text), task_id)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SchemaError(f"the ground truth of task {task_id!r} can't be read: {error!r}") from error


def _read(truth: Mapping[str, Json], task_id: str) -> Proven:
    style = TaskStyle(str(truth["style"]))
    in_process = style in {TaskStyle.SUITE, TaskStyle.REPOSITORY}
    limits = _record(Limits, truth["limits"])
    candidate = Candidate(
        record_id=task_id,
        source=SourceRef(source="", kind=SourceKind.BANK, locator=""),
        style=style,
        statement="",
        language=str(truth["language"]),
        signature=_record(Signature, truth.get("signature")),
        suite=_record(Suite, truth.get("suite")),
        checker=_read_checker(truth),
        reference=str(truth.get("reference", "")) or " " * _read_length(truth),
        mutation=_record(RepositoryMutation, truth.get("mutation")),
    )
    evidence = Evidence(
        verdict_strength=VerdictStrength.CANARY if in_process else VerdictStrength.SPLIT,
        backend="",
        isolation="",
        limits=limits or Limits(),
        limits_enforced=(),
        repeats=0,
        baseline="",
        baseline_failed=int(str(truth["baseline_failed"])),
        flaky_tests=_texts(truth, "flaky_tests"),
        toolchain=str(truth.get("toolchain", "")),
    )
    return Proven(
        candidate=candidate,
        tests=() if in_process else _read_cases(truth),
        evidence=evidence,
        repository=_read_proof(truth) if style is TaskStyle.REPOSITORY else None,
    )


def _record(record_type: type[T], value: Json) -> T | None:
    return None if value is None else decode_record(record_type, json.dumps(value))


def _texts(truth: Mapping[str, Json], key: str) -> tuple[str, ...]:
    value = truth.get(key, [])
    if not isinstance(value, list):
        raise SchemaError(f"{key!r} of a ground truth is no list")
    return tuple(map(str, value))


def _read_length(truth: Mapping[str, Json]) -> int:
    chars = int(str(truth.get("reference_chars", 0)))
    if not 0 <= chars <= _MOST_REFERENCE_CHARS:
        raise SchemaError(f"a reference of {chars} characters; it may have up to {_MOST_REFERENCE_CHARS}")
    return chars


def _read_checker(truth: Mapping[str, Json]) -> Checker:
    if "checker" not in truth:
        return Checker()
    found = _record(Checker, {"name": truth["checker"], "rel_tol": truth["rel_tol"], "abs_tol": truth["abs_tol"]})
    return found or Checker()


def _read_cases(truth: Mapping[str, Json]) -> tuple[TestCase, ...]:
    columns = (_texts(truth, "inputs"), _texts(truth, "outputs"), _texts(truth, "tiers"))
    return tuple(
        TestCase.make(given, expected, origin=TestOrigin.BANK, tier=TestTier(tier))
        for given, expected, tier in zip(*columns, strict=True)
    )


def _read_proof(truth: Mapping[str, Json]) -> RepositoryProof:
    return RepositoryProof(
        fail_to_pass=_texts(truth, "FAIL_TO_PASS"),
        pass_to_pass=_texts(truth, "PASS_TO_PASS"),
        test_command=str(truth["test_command"]),
    )
