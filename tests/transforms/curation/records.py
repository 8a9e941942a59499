"""Small real records that the curation tests share."""

from schemas.candidate import (
    Candidate,
    FileEdit,
    RepositoryMutation,
    Signature,
    TaskStyle,
    TestCase,
    TestOrigin,
)
from schemas.limits import Limits
from schemas.proven import Evidence, Proven, RepositoryProof, VerdictStrength
from schemas.source import SourceKind, SourceRef

EVIDENCE = Evidence(
    verdict_strength=VerdictStrength.SPLIT,
    backend="process",
    isolation="process",
    limits=Limits(),
    limits_enforced=(),
    repeats=3,
    baseline="stub",
    baseline_failed=1,
)


def bank_ref(number=0, **fields):
    return SourceRef(source="bank", kind=SourceKind.BANK, locator=f"bank.jsonl:{number}", **fields)


def function_candidate(record_id="task-1", *, statement="", reference="", pairs=(), entry="f", **fields):
    tests = tuple(TestCase.make(given, expected, origin=TestOrigin.BANK) for given, expected in pairs)
    return Candidate(
        record_id=record_id,
        source=fields.pop("source", bank_ref()),
        style=fields.pop("style", TaskStyle.FUNCTION),
        statement=statement,
        reference=reference,
        signature=Signature(entry_point=entry),
        tests=fields.pop("tests", tests),
        **fields,
    )


def proven_function(record_id="task-1", *, mutants=(0, 0), hidden=0, **fields):
    tests = tuple(TestCase.make(str(number), "0", origin=TestOrigin.FUZZED) for number in range(hidden))
    evidence = {name: getattr(EVIDENCE, name) for name in EVIDENCE.__slots__}
    evidence |= {"mutants_killed": mutants[0], "mutants": mutants[1]}
    return Proven(candidate=function_candidate(record_id, **fields), tests=tests, evidence=Evidence(**evidence))


def proven_bug(record_id, *, bug_patch, fix_patch="", scope="cart.total", failing=("t::a",), repository="shop"):
    mutation = RepositoryMutation(
        repository=repository,
        url=f"local:{repository}",
        base_commit="c0ffee",
        tree_digest="t",
        environment_digest="e",
        operator="swap",
        edits=(FileEdit(path="cart.py", start=0, end=1, replacement_hex="00"),),
        bug_patch=bug_patch,
        fix_patch=fix_patch,
        scope=scope,
    )
    candidate = Candidate(
        record_id=record_id,
        source=SourceRef(source=repository, kind=SourceKind.REPOSITORY, locator=f"{repository}@c0ffee"),
        style=TaskStyle.REPOSITORY,
        statement="The total of a cart is wrong.",
        mutation=mutation,
    )
    proof = RepositoryProof(fail_to_pass=tuple(failing), pass_to_pass=("t::z",), test_command="pytest")
    return Proven(candidate=candidate, tests=(), evidence=EVIDENCE, repository=proof)
