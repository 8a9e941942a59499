"""A task with its evidence: what was run, how often, and what it showed.

Third state on the road. Only the prove and harden stages make it; the writer takes nothing weaker. No time of day and
no duration stands here, since a row must not depend on the machine. Method: own.
"""

from dataclasses import dataclass
from enum import StrEnum

from schemas.candidate import Candidate, TestCase
from schemas.exploit_results import ClassResult
from schemas.limits import Limits

PACKAGES_WORD = "packages"
"""Stands in a toolchain before the digest of the packages that programs could import."""


class VerdictStrength(StrEnum):
    """How hard a verdict is to forge, strongest first."""

    SPLIT = "split"
    """Expected values stay outside the sandbox and are compared there."""
    CANARY = "canary"
    """Tests run next to the code; random tests that must fail guard the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survivor:
    """A mutant of the reference that the final tests don't notice."""

    operator: str
    diff: str
    suspected_equivalent: bool = False
    """Whether it also agreed with the reference on every fuzzed input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A dishonest or trivial solution and whether the hidden tests took it."""

    name: str
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What proves a task."""

    verdict_strength: VerdictStrength
    backend: str
    isolation: str
    limits: Limits
    limits_enforced: tuple[str, ...]
    repeats: int
    """Runs of the reference; each with another hash seed, order and time zone."""
    baseline: str
    """Which baseline was run and failed: ``stub`` or ``bug_patch``."""
    baseline_failed: int
    """Number of hidden tests that the baseline fails."""
    flaky_tests: tuple[str, ...] = ()
    """Tests left out since their result varied between repeats."""
    mutants: int = 0
    mutants_killed: int = 0
    survivors: tuple[Survivor, ...] = ()
    probes: tuple[Probe, ...] = ()
    fuzz_inputs: int = 0
    """Inputs that the fuzzer drew; the kept ones are test cases of origin ``fuzzed``."""
    fuzz_valid: int = 0
    """How many of them the reference answered."""
    toolchain: str = ""
    """Language version inside the sandbox, and the packages that programs could import."""
    failed_alternatives: tuple[str, ...] = ()
    """Solutions that the source calls right and that a test refuses: ``alternative_`` and their place."""
    exploits: tuple[ClassResult, ...] = ()
    """What became of exploit classes, by number; a class that isn't here was not tried."""
    battery_version: str = ""
    """Version of the exploits that the results are of."""

    @property
    def needs_packages(self) -> bool:
        """Whether programs could import packages, so that a verdict without any would be another one."""
        return f", {PACKAGES_WORD} " in self.toolchain


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryProof:
    """What the suite of a repository says about the bug."""

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    test_command: str
    test_files: tuple[str, ...] = ()
    """Trusted test files, restored before judging."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """A candidate and its evidence."""

    candidate: Candidate
    tests: tuple[TestCase, ...]
    """The final suite: public and hidden cases, in a stable order."""
    evidence: Evidence
    repository: RepositoryProof | None = None
