"""Chooses how a candidate is proven, and remembers the answer.

Pure choice between the provers of `sandbox/`; the mutants that harden a suite come from `mutators/`, which the sandbox
doesn't know. Method: own.
"""

import platform
from collections.abc import Sequence
from typing import TypeGuard

from mutators.python import mutate_source
from sandbox.exploits.base import BATTERY_VERSION
from sandbox.exploits.batteries import Batteries
from sandbox.exploits.evidence import add_exploits, choose_classes
from sandbox.judging import EvaluatorFactory
from sandbox.languages import LANGUAGES
from sandbox.packages import describe_toolchain
from sandbox.proving import SandboxFacts, prove
from sandbox.suite_proving import prove_suite
from sandbox.wrong_programs import ReferenceMutant
from schemas.candidate import Candidate, TaskStyle
from schemas.codec import encode_record
from schemas.config import RepositorySource, Source
from schemas.errors import MutationError, SandboxError, SeedError
from schemas.proven import Proven
from schemas.rejection import Rejection, Stage, reject_candidate
from transforms.context import RunContext
from transforms.memo import remember_proof
from transforms.workshops import Workshops, open_backend


class Provers:
    """All provers of one process."""

    def __init__(self, context: RunContext, workshops: Workshops) -> None:
        self._context = context
        self._store = context.store
        self._backend = open_backend(context.config.sandbox)
        self._capability = self._backend.probe()
        self._workshops = workshops
        self._batteries = Batteries(
            backend=self._backend, cache=context.cache_dir, packages=context.packages, open_tree=workshops.open_tree
        )

    def prove(self, candidate: Candidate) -> Proven | Rejection:
        """Return the proven task with what is known of exploits, or why it is none; an earlier run's answer if any."""
        settings, seed = self._context.config.prove.exploits, self._context.config.seed
        parts = self._determinants(candidate)
        numbers = choose_classes(settings, run_seed=seed, record_id=candidate.record_id)

        def attack() -> Proven | Rejection:
            proven = remember_proof(self._store, parts, lambda: self._prove(candidate))
            if isinstance(proven, Rejection):
                return proven
            return add_exploits(proven, settings, numbers=numbers, run=self._batteries.run)

        if not numbers:
            return attack()
        asked = [BATTERY_VERSION, [*numbers], sorted(set(settings.tolerate))]
        return remember_proof(self._store, [*parts, asked], attack)

    def _determinants(self, candidate: Candidate) -> list[object]:
        context, config = self._context, self._context.config
        capability = self._capability
        return [
            encode_record(candidate),
            config.seed,
            config.prove.model_dump(mode="json", exclude={"exploits"}),
            config.sandbox.limits.model_dump(mode="json"),
            config.sandbox.suite_limits.model_dump(mode="json"),
            [capability.backend, capability.isolation, *capability.limits_enforced],
            platform.python_version(),
            [context.packages.digest, *context.packages.preload] if context.packages else [],
            [[s.max_fail_to_pass, s.install] for s in config.sources if _is_repository_of(s, candidate)],
        ]

    def _prove(self, candidate: Candidate) -> Proven | Rejection:
        if candidate.style is TaskStyle.REPOSITORY:
            return self._prove_mutation(candidate)
        if candidate.style is TaskStyle.SUITE:
            return self._prove_suite(candidate)
        return self._prove_cases(candidate)

    def _prove_cases(self, candidate: Candidate) -> Proven | Rejection:
        config, limits = self._context.config, self._context.limits
        language = LANGUAGES.get(candidate.language)

        def factory_of(style: TaskStyle) -> EvaluatorFactory:
            return language(self._backend, limits, style=style, packages=self._context.packages)

        def mutants_of(source: str) -> Sequence[ReferenceMutant]:
            try:
                mutants = mutate_source(
                    source, limit=config.prove.max_mutants, run_seed=config.seed, record_id=candidate.record_id
                )
            except MutationError:
                return ()
            return [ReferenceMutant(operator=m.operator, source=m.source, diff=m.diff) for m in mutants]

        facts = SandboxFacts(
            backend=self._capability.backend,
            isolation=self._capability.isolation,
            limits=limits,
            limits_enforced=self._capability.limits_enforced,
            toolchain=describe_toolchain(f"cpython {platform.python_version()}", self._context.packages),
        )
        return prove(candidate, factory_of, config.prove, run_seed=config.seed, facts=facts, mutants_of=mutants_of)

    def _prove_suite(self, candidate: Candidate) -> Proven | Rejection:
        return prove_suite(
            candidate,
            self._backend,
            self._context.cache_dir,
            limits=self._context.suite_limits,
            settings=self._context.config.prove,
            run_seed=self._context.config.seed,
        )

    def _prove_mutation(self, candidate: Candidate) -> Proven | Rejection:
        try:
            prover = self._workshops.get(candidate.source.source).prover
        except (SeedError, SandboxError) as error:
            return reject_candidate(candidate, Stage.PROVE, "sandbox_infra", str(error), retriable=True)
        return prover.prove_mutation(candidate)


def _is_repository_of(source: Source, candidate: Candidate) -> TypeGuard[RepositorySource]:
    return isinstance(source, RepositorySource) and source.name == candidate.source.source
