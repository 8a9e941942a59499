"""The reward of one judged solution: one number and the terms that it was made of.

Last step from a verdict to a trainer; pure arithmetic on the standard library, so a trainer can import it alone.
``total = pass term x (1 - what the side terms take off)``: side terms never pay for a solution that gains nothing, so a
no-op gets 0 whatever it looks like. A sandbox that failed gives ``None`` and never 0. Method: own; where each default
comes from is said beside it and in docs/rewards.md.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from math import inf
from operator import eq

from sandbox.base import State
from sandbox.completions import Extraction, extract_solution
from sandbox.judge import Verdict
from schemas.candidate import TestCase, TestTier
from schemas.errors import ConfigError, SchemaError

__all__ = [
    "Extraction",
    "Measures",
    "PassMode",
    "Reward",
    "RewardConfig",
    "TierShare",
    "extract_solution",
    "reward_nothing",
    "reward_share",
    "reward_verdict",
    "trivial_share",
]


class PassMode(StrEnum):
    """What the pass term pays."""

    ALL_OR_NOTHING = "all_or_nothing"
    SOFT = "soft"


def _check_number(name: str, value: object) -> None:
    """Accept an option that is a number.

    Raises:
        ConfigError: it isn't.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ConfigError(f"reward: {name} is {value!r:.40}; it must be a number")


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardConfig:
    """Weights of the terms. The defaults pay for correctness and nothing else.

    Raises:
        ConfigError: a number is out of its range, or the side weights reach 1 together.
    """

    mode: PassMode = PassMode.ALL_OR_NOTHING
    """All or nothing as in DeepCoder (rllm): partial credit teaches to guess. ``soft`` pays the share of tests above
    what a trivial program gets, as CodeTest's soft reward (Klear-Reasoner, arXiv 2508.07629) but with that floor."""
    basic_weight: float = 1.0
    """Weight of the tiers in the soft pass term, relative to one another (tiers: TAROT, arXiv 2602.15449); a tier
    that a task lacks is left out. Equal by default: no published weighting is better everywhere."""
    intermediate_weight: float = 1.0
    complex_weight: float = 1.0
    edge_weight: float = 1.0
    by_tier: bool = False
    """Whether the soft share is the weighted mean over tiers (each tier counts by its weight however many tests it
    has) or, by default, over tests (each test counts by the weight of its tier)."""
    strict_format: bool = True
    """Whether an answer that isn't exactly one fenced block is no answer, as SWE-RL (arXiv 2502.18449) treats wrong
    formats. Otherwise the last block is judged and the format term takes its weight off."""
    format_weight: float = 0.0
    """Largest share that the format term takes off; so for the next three. All are 0 by default."""
    length_weight: float = 0.0
    coverage_weight: float = 0.0
    patch_weight: float = 0.0
    format_penalty: float = 0.0
    """Deducted when there is no answer to judge; 1.0 is SWE-RL's."""
    compile_penalty: float = 0.0
    """Deducted when the solution doesn't compile; 1.0 is CodeRL's (arXiv 2207.01780)."""
    length_free: float = 2.0
    """Multiple of the reference's length up to which nothing is taken off, and at which all of the weight is: linear
    between, the shape of DAPO's overlong punishment (arXiv 2503.14476); the numbers are our own."""
    length_limit: float = 8.0
    patch_free: float = 2.0
    """The same for changed lines of a patch against those of the reference patch."""
    patch_limit: float = 8.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type is float:
                _check_number(field.name, value)
            if field.name.endswith(("_weight", "_penalty")) and not 0 <= value <= 1:
                raise ConfigError(f"reward: {field.name} is {value}; it must lie in 0..1")
        if self.side_weight >= 1:
            raise ConfigError(
                f"reward: the weights of format, length, coverage and patch are {self.side_weight} together; below 1 "
                "leaves something for solving the task"
            )
        if not any(map(self.tier_weight, TestTier)):
            raise ConfigError("reward: all tier weights are 0")
        for name in ("length", "patch"):
            free, limit = getattr(self, f"{name}_free"), getattr(self, f"{name}_limit")
            if not 0 < free < limit < inf:
                raise ConfigError(
                    f"reward: {name}_free is {free} and {name}_limit {limit}; 0 < free < limit must hold, both finite"
                )

    @property
    def side_weight(self) -> float:
        """The most that the side terms can take off together."""
        return self.format_weight + self.length_weight + self.coverage_weight + self.patch_weight

    @property
    def lowest(self) -> float:
        """The lowest total there is: 0 or the larger penalty below it."""
        return -max(self.format_penalty, self.compile_penalty) + 0.0

    def tier_weight(self, tier: TestTier) -> float:
        """Return the weight of a tier."""
        return {
            TestTier.BASIC: self.basic_weight,
            TestTier.INTERMEDIATE: self.intermediate_weight,
            TestTier.COMPLEX: self.complex_weight,
            TestTier.EDGE: self.edge_weight,
        }[tier]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What is known of a solution beside its verdict; None means not measured, and the term is left out.

    Raises:
        ConfigError: the coverage is no share, or a size is negative.
    """

    clean_format: bool | None = None
    """Whether the completion held exactly one block of the language."""
    solution_chars: int | None = None
    reference_chars: int | None = None
    coverage: float | None = None
    """Share covered, in [0, 1], of whatever the task asks to be covered."""
    compile_failed: bool = False
    patch_lines: int | None = None
    """Lines added and removed by the solution's patch, and by the reference patch."""
    reference_patch_lines: int | None = None

    def __post_init__(self) -> None:
        if self.coverage is not None and not 0 <= self.coverage <= 1:
            raise ConfigError(f"reward: a coverage of {self.coverage}; it must lie in 0..1")
        for name in ("solution_chars", "reference_chars", "patch_lines", "reference_patch_lines"):
            size = getattr(self, name)
            if size is not None and size < 0:
                raise ConfigError(f"reward: {name} is {size}; it must be at least 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class TierShare:
    """How many tests of one tier passed."""

    tier: TestTier
    passed: int
    tests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """A reward and its terms, each in [0, 1] with 1 the best, None when it wasn't measured."""

    total: float | None
    """In [`RewardConfig.lowest`, 1]; None means no verdict, which is never the solution's fault."""
    reason: str
    """``solved``, ``tests_fail``, ``compile_error``, ``no_solution`` or ``no_verdict``."""
    pass_term: float | None = None
    """What the pass mode makes of the tests: 0 or 1, or the share above the floor."""
    pass_share: float | None = None
    """Plain share of the judging tests that passed."""
    format_term: float | None = None
    length_term: float | None = None
    coverage_term: float | None = None
    patch_term: float | None = None
    tiers: tuple[TierShare, ...] = ()
    detail: str = ""


MOST_CONSTANTS = 16
Accepts = Callable[[str, str], bool]
_DEFAULTS = RewardConfig()
_UNMEASURED = Measures()


def reward_verdict(
    verdict: Verdict | None,
    tests: Sequence[TestCase],
    config: RewardConfig = _DEFAULTS,
    *,
    measures: Measures = _UNMEASURED,
    baseline_share: float = 0.0,
    accepts: Accepts = eq,
) -> Reward:
    """Return the reward of a verdict on test cases.

    Args:
        verdict: None when the sandbox gave none.
        tests: the judged cases, in the order of the verdict. Public ones must pass for "all", but the soft share
            is at most that of the hidden ones: what stands in the prompt earns nothing.
        baseline_share: share of the hidden cases that the task's baseline passes, in [0, 1]; the soft term starts
            above it, and above what the best constant answer gets.
        accepts: the task's comparison, by which that is found out; by default outputs are equal or not.

    Raises:
        SchemaError: the verdict isn't about these tests.
    """
    if verdict is None or any(result.outcome.state is State.INFRA for result in verdict.results):
        return reward_nothing("no_verdict", config, detail="the sandbox gave no verdict")
    if [result.case_id for result in verdict.results] != [case.case_id for case in tests]:
        raise SchemaError("the verdict isn't about these test cases")
    compile_failed = measures.compile_failed or all(result.outcome.state is State.CE for result in verdict.results)
    if compile_failed:
        return reward_nothing("compile_error", config, detail=verdict.results[0].outcome.detail)
    marks = [(case, result.passed) for case, result in zip(tests, verdict.results, strict=True)]
    hidden = [mark for mark in marks if not mark[0].public] or marks
    share = min(_weigh(hidden, config), _weigh(marks, config))
    floor = max(baseline_share, trivial_share([case for case, _ in hidden], config, accepts=accepts))
    reward = reward_share(verdict.passed, share, config, measures=measures, floor=floor)
    failed = next((result.outcome for result in verdict.results if not result.passed), None)
    return _describe(reward, hidden, f"{failed.state.value} {failed.detail}".strip() if failed else "")


def reward_share(
    passed: bool | None,  # noqa: FBT001  # the verdict itself
    share: float,
    config: RewardConfig = _DEFAULTS,
    *,
    measures: Measures = _UNMEASURED,
    floor: float = 0.0,
) -> Reward:
    """Return the reward of a solution of which it's known whether it solves the task and how much of it.

    Args:
        passed: None when the sandbox gave no verdict.
        share: of the tests that passed, in [0, 1].
        floor: share that a program which does nothing gets, in [0, 1].

    Raises:
        SchemaError: a share or a floor that is none.
    """
    if not (0 <= share <= 1 and 0 <= floor <= 1):
        raise SchemaError(f"a share of {share} and a floor of {floor}; both must lie in 0..1")
    if passed is None:
        return reward_nothing("no_verdict", config)
    if measures.compile_failed:
        return reward_nothing("compile_error", config)
    soft = 0.0 if floor >= 1 else min(1.0, max(0.0, (share - floor) / (1 - floor)))
    pass_term = 1.0 if passed else soft if config.mode is PassMode.SOFT else 0.0
    clean = None if measures.clean_format is None else float(measures.clean_format)
    length = _ratio_term(measures.solution_chars, measures.reference_chars, config.length_free, config.length_limit)
    patch = _ratio_term(measures.patch_lines, measures.reference_patch_lines, config.patch_free, config.patch_limit)
    sides = (
        (config.format_weight, clean),
        (config.length_weight, length),
        (config.coverage_weight, measures.coverage),
        (config.patch_weight, patch),
    )
    taken = sum(weight * (1 - term) for weight, term in sides if term is not None)
    return Reward(
        total=pass_term * (1 - taken),
        reason="solved" if passed else "tests_fail",
        pass_term=pass_term,
        pass_share=share,
        format_term=clean,
        length_term=length,
        coverage_term=measures.coverage,
        patch_term=patch,
    )


def reward_nothing(reason: str, config: RewardConfig = _DEFAULTS, *, detail: str = "") -> Reward:
    """Return the reward where no test was judged.

    Args:
        reason: ``no_verdict`` (total None), ``no_solution`` (the format penalty) or ``compile_error`` (its own).
    """
    if reason == "no_verdict":
        return Reward(total=None, reason=reason, detail=detail)
    if reason == "no_solution":
        return Reward(total=0.0 - config.format_penalty, reason=reason, pass_term=0.0, format_term=0.0, detail=detail)
    return Reward(total=0.0 - config.compile_penalty, reason=reason, pass_term=0.0, pass_share=0.0, detail=detail)


def trivial_share(tests: Sequence[TestCase], config: RewardConfig = _DEFAULTS, *, accepts: Accepts = eq) -> float:
    """Return the largest share of tests that one constant answer passes, weighted as the soft term weighs them.

    Args:
        accepts: says of an expected and an actual output whether the checker takes it.

    Cost: one comparison per test and constant; the `MOST_CONSTANTS` most frequent outputs are tried.
    """
    outputs = [output for output, _ in Counter(case.expected for case in tests).most_common(MOST_CONSTANTS)]
    shares = (_weigh([(case, accepts(case.expected, output)) for case in tests], config) for output in outputs)
    return max(shares, default=0.0)


def _weigh(marks: Sequence[tuple[TestCase, bool]], config: RewardConfig) -> float:
    """Return the weighted share of passed tests; tests of weight 0 count when there are no others."""
    sizes = Counter(case.tier for case, _ in marks)
    weights = [config.tier_weight(case.tier) / (sizes[case.tier] if config.by_tier else 1) for case, _ in marks]
    if not sum(weights):
        weights = [1.0] * len(marks)
    gained = sum(weight for weight, (_, passed) in zip(weights, marks, strict=True) if passed)
    return min(1.0, gained / sum(weights))


def _ratio_term(actual: int | None, reference: int | None, free: float, limit: float) -> float | None:
    """Return 1 up to `free` times the reference, 0 from `limit` times on, linear between."""
    if actual is None or not reference:
        return None
    return min(1.0, max(0.0, (limit - actual / reference) / (limit - free)))


def _describe(reward: Reward, marks: Sequence[tuple[TestCase, bool]], detail: str) -> Reward:
    tiers = tuple(
        TierShare(tier=tier, passed=sum(flags), tests=len(flags))
        for tier in TestTier
        if (flags := [passed for case, passed in marks if case.tier is tier])
    )
    plain = sum(passed for _, passed in marks) / len(marks)
    return replace(reward, tiers=tiers, pass_share=plain, detail=detail)
