"""Candidates for proving tests, and the parts that a proof needs."""

from collections.abc import Sequence
from dataclasses import replace

from mutators.python import mutate_source
from sandbox.backends import select_backend
from sandbox.languages.python import PythonEvaluators
from sandbox.proving import SandboxFacts
from sandbox.proving import prove as prove_candidate
from sandbox.wrong_programs import ReferenceMutant
from schemas.candidate import (
    Candidate,
    Checker,
    CheckerName,
    Constraint,
    Parameter,
    Signature,
    TaskStyle,
    TestCase,
    TestOrigin,
)
from schemas.canonical import canonical_json
from schemas.config import Prove
from schemas.errors import MutationError
from schemas.limits import Limits
from schemas.proven import Proven
from schemas.rejection import Rejection
from schemas.source import SourceKind, SourceRef
from schemas.values import encode_call, encode_text

LIMITS = Limits(cpu_s=1.0, wall_s=30.0, memory_mb=256)
_SOURCE = SourceRef(source="bank", kind=SourceKind.BANK, locator="bank.jsonl:1", license="MIT")


def constraint(rule: str, value: object = None, path: str = "") -> Constraint:
    return Constraint(path=path, rule=rule, value_json=canonical_json(value))


def function_task(
    reference: str,
    parameters: dict[str, object],
    cases: Sequence[tuple[tuple[object, ...], object]],
    *,
    name: str = "solve",
    public: int = 1,
    origin: TestOrigin = TestOrigin.EXAMPLE,
    checker: CheckerName = CheckerName.EXACT,
    alternatives: Sequence[str] = (),
    kind: SourceKind = SourceKind.BANK,
) -> Candidate:
    """Return a function task; a parameter's value is its annotation or a pair of annotation and constraints."""
    made = tuple(
        Parameter(name=key, annotation=value)
        if isinstance(value, str)
        else Parameter(name=key, annotation=value[0], constraints=tuple(value[1]))
        for key, value in parameters.items()
    )
    tests = tuple(
        TestCase.make(encode_call(args, {}), encode_text(expected), origin=origin, public=place < public)
        for place, (args, expected) in enumerate(cases)
    )
    return Candidate(
        record_id="task-1",
        source=replace(_SOURCE, kind=kind),
        style=TaskStyle.FUNCTION,
        statement="See the examples.",
        signature=Signature(entry_point=name, parameters=made),
        tests=tests,
        checker=Checker(name=checker),
        reference=reference,
        alternatives=tuple(alternatives),
    )


def stdin_task(
    reference: str, cases: Sequence[tuple[str, str]], *, public: int = 1, alternatives: Sequence[str] = ()
) -> Candidate:
    tests = tuple(
        TestCase.make(text, expected, origin=TestOrigin.EXAMPLE, public=place < public)
        for place, (text, expected) in enumerate(cases)
    )
    return Candidate(
        record_id="task-2",
        source=_SOURCE,
        style=TaskStyle.STDIN,
        statement="See the examples.",
        tests=tests,
        checker=Checker(name=CheckerName.LINES),
        reference=reference,
        alternatives=tuple(alternatives),
    )


def evaluators(style: TaskStyle) -> PythonEvaluators:
    return PythonEvaluators(select_backend("process"), LIMITS, style=style)


def mutants_of(source: str) -> list[ReferenceMutant]:
    try:
        mutants = mutate_source(source, limit=20, run_seed=0, record_id="task")
    except MutationError:
        return []
    return [ReferenceMutant(operator=one.operator, source=one.source, diff=one.diff) for one in mutants]


def prove(candidate: Candidate, settings: Prove | None = None, *, run_seed: int = 0) -> Proven | Rejection:
    capability = select_backend("process").probe()
    facts = SandboxFacts(
        backend=capability.backend,
        isolation=capability.isolation,
        limits=LIMITS,
        limits_enforced=capability.limits_enforced,
        toolchain="cpython",
    )
    return prove_candidate(
        candidate,
        evaluators,
        settings or Prove(fuzz_inputs=48, max_mutants=20),
        run_seed=run_seed,
        facts=facts,
        mutants_of=mutants_of,
    )
