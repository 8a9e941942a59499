"""Rewards: what a verdict is worth, and what never earns anything."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.base import State
from sandbox.judge import CaseResult, Verdict
from sandbox.judging import CaseOutcome
from sandbox.rewards import (
    Measures,
    PassMode,
    RewardConfig,
    extract_solution,
    reward_nothing,
    reward_share,
    reward_verdict,
    trivial_share,
)
from schemas.candidate import TestCase, TestOrigin, TestTier
from schemas.errors import ConfigError, SchemaError

SOFT = RewardConfig(mode=PassMode.SOFT)
SHARES = st.floats(0, 1)
SIDE = st.floats(0, 0.24)
CONFIGS = st.builds(
    RewardConfig,
    mode=st.sampled_from(PassMode),
    by_tier=st.booleans(),
    basic_weight=st.floats(0.1, 1),
    edge_weight=SHARES,
    format_weight=SIDE,
    length_weight=SIDE,
    coverage_weight=SIDE,
    patch_weight=SIDE,
    format_penalty=SHARES,
    compile_penalty=SHARES,
)
MEASURES = st.builds(
    Measures,
    clean_format=st.none() | st.booleans(),
    solution_chars=st.none() | st.integers(0, 10_000),
    reference_chars=st.none() | st.integers(0, 1_000),
    coverage=st.none() | SHARES,
    compile_failed=st.booleans(),
    patch_lines=st.none() | st.integers(0, 500),
    reference_patch_lines=st.none() | st.integers(0, 50),
)
STATES = st.sampled_from([state for state in State if state is not State.INFRA])
CASES = st.lists(
    st.tuples(st.sampled_from(["1", "2", "3"]), st.sampled_from(TestTier), st.booleans()), min_size=1, max_size=8
)


def cases_of(parts):
    return tuple(
        TestCase.make(str(place), expected, origin=TestOrigin.BANK, tier=tier, public=public)
        for place, (expected, tier, public) in enumerate(parts)
    )


def verdict_of(cases, flags, state=State.RE):
    results = tuple(
        CaseResult(
            case_id=case.case_id, passed=flag, outcome=CaseOutcome(state=State.OK if flag else state, output="x")
        )
        for case, flag in zip(cases, flags, strict=True)
    )
    return Verdict(passed=all(flags), results=results)


def plain_cases(count=4):
    return cases_of([(str(place), TestTier.BASIC, False) for place in range(count)])


@given(CASES, st.data(), CONFIGS, MEASURES)
def test_every_total_lies_in_its_range(parts, data, config, measures):
    cases = cases_of(parts)
    flags = data.draw(st.lists(st.booleans(), min_size=len(cases), max_size=len(cases)))
    reward = reward_verdict(verdict_of(cases, flags, data.draw(STATES)), cases, config, measures=measures)
    assert reward.total is not None
    assert config.lowest <= reward.total <= 1


@given(CASES, st.data(), CONFIGS, MEASURES)
def test_passing_more_tests_never_earns_less(parts, data, config, measures):
    cases = cases_of(parts)
    flags = data.draw(st.lists(st.booleans(), min_size=len(cases), max_size=len(cases)))
    place = data.draw(st.integers(0, len(cases) - 1))
    more = [flag or index == place for index, flag in enumerate(flags)]
    low = reward_verdict(verdict_of(cases, flags), cases, config, measures=measures)
    high = reward_verdict(verdict_of(cases, more), cases, config, measures=measures)
    assert low.total is not None
    assert high.total is not None
    assert low.total <= high.total


@given(CASES, st.data(), CONFIGS, MEASURES)
def test_a_constant_answer_that_does_not_solve_the_task_earns_nothing(parts, data, config, measures):
    cases = cases_of(parts)
    answer = data.draw(st.sampled_from(["1", "2", "3", "other"]))
    verdict = verdict_of(cases, [case.expected == answer for case in cases])
    reward = reward_verdict(verdict, cases, config, measures=measures)
    if not verdict.passed:
        assert reward.total is not None
        assert reward.total <= 0


@given(CASES, st.data(), CONFIGS, MEASURES)
def test_a_sandbox_that_failed_gives_no_number(parts, data, config, measures):
    cases = cases_of(parts)
    verdict = verdict_of(cases, [False] * len(cases))
    place = data.draw(st.integers(0, len(cases) - 1))
    broken = list(verdict.results)
    broken[place] = CaseResult(case_id=cases[place].case_id, passed=False, outcome=CaseOutcome(state=State.INFRA))
    for failed in (Verdict(passed=False, results=tuple(broken)), None):
        reward = reward_verdict(failed, cases, config, measures=measures)
        assert (reward.total, reward.reason) == (None, "no_verdict")
    assert reward_share(None, 0.5, config, measures=measures).total is None


@given(SHARES, CONFIGS, MEASURES)
def test_solving_the_task_always_earns_more_than_not_solving_it(share, config, measures):
    solved = reward_share(True, 1.0, config, measures=measures)
    failed = reward_share(False, 0.0, config, measures=measures)
    assert solved.total is not None
    assert failed.total is not None
    if not measures.compile_failed:
        assert solved.total > 0 >= failed.total


def test_all_or_nothing_pays_nothing_for_most_tests():
    cases = plain_cases()
    reward = reward_verdict(verdict_of(cases, [True, True, True, False]), cases)
    assert (reward.total, reward.pass_share, reward.reason) == (0.0, 0.75, "tests_fail")


def test_soft_pays_the_share_above_the_best_constant():
    cases = plain_cases(5)
    assert trivial_share(cases) == 0.2
    reward = reward_verdict(verdict_of(cases, [True, True, True, False, False]), cases, SOFT)
    assert reward.total == pytest.approx((0.6 - 0.2) / 0.8)


def test_the_floor_knows_the_comparison_of_the_task():
    cases = cases_of([(text, TestTier.BASIC, False) for text in ("1", "1 ", "2", "3")])
    assert trivial_share(cases) == 0.25
    assert trivial_share(cases, accepts=lambda wanted, got: wanted.split() == got.split()) == 0.5


def test_soft_starts_above_what_the_baseline_passes():
    cases = plain_cases(4)
    verdict = verdict_of(cases, [True, True, False, False])
    assert reward_verdict(verdict, cases, SOFT, baseline_share=0.5).total == 0.0


def test_public_tests_earn_nothing_by_themselves():
    cases = cases_of([("1", TestTier.BASIC, True), ("2", TestTier.BASIC, True), ("3", TestTier.BASIC, False)])
    assert reward_verdict(verdict_of(cases, [True, True, False]), cases, SOFT).total == 0.0


def test_a_failed_public_test_keeps_a_soft_reward_below_one():
    cases = cases_of([("1", TestTier.BASIC, True), *[(str(n), TestTier.BASIC, False) for n in range(3)]])
    reward = reward_verdict(verdict_of(cases, [False, True, True, True]), cases, SOFT)
    assert reward.total is not None
    assert 0 < reward.total < 1


def test_tiers_weigh_by_test_or_by_tier():
    tiers = [TestTier.BASIC, TestTier.BASIC, TestTier.BASIC, TestTier.EDGE]
    cases = cases_of([(str(place), tier, False) for place, tier in enumerate(tiers)])
    verdict = verdict_of(cases, [True, True, True, False])
    by_test = reward_verdict(verdict, cases, RewardConfig(mode=PassMode.SOFT, basic_weight=0.5))
    by_tier = reward_verdict(verdict, cases, RewardConfig(mode=PassMode.SOFT, by_tier=True, basic_weight=0.5))
    assert by_test.total == pytest.approx((1.5 / 2.5 - 0.4) / 0.6)
    assert by_tier.total == 0.0
    assert [(share.tier, share.passed, share.tests) for share in by_tier.tiers] == [("basic", 3, 3), ("edge", 0, 1)]


def test_side_terms_take_off_their_weight():
    config = RewardConfig(format_weight=0.1, length_weight=0.2, coverage_weight=0.2, patch_weight=0.2)
    measures = Measures(
        clean_format=False,
        solution_chars=500,
        reference_chars=100,
        coverage=0.5,
        patch_lines=40,
        reference_patch_lines=4,
    )
    reward = reward_share(True, 1.0, config, measures=measures)
    terms = (reward.format_term, reward.length_term, reward.coverage_term, reward.patch_term)
    assert terms == (0.0, 0.5, 0.5, 0.0)
    assert reward.total == pytest.approx(1 - 0.1 - 0.1 - 0.1 - 0.2)


def test_what_was_not_measured_takes_nothing_off():
    config = RewardConfig(format_weight=0.2, length_weight=0.2, coverage_weight=0.2, patch_weight=0.2)
    assert reward_share(True, 1.0, config).total == 1.0


def test_a_solution_that_does_not_compile_gets_its_own_reason_and_penalty():
    cases = plain_cases(2)
    verdict = verdict_of(cases, [False, False], State.CE)
    assert reward_verdict(verdict, cases).total == 0.0
    reward = reward_verdict(verdict, cases, RewardConfig(compile_penalty=0.5))
    assert (reward.total, reward.reason) == (-0.5, "compile_error")


def test_no_answer_costs_the_format_penalty():
    assert reward_nothing("no_solution").total == 0.0
    assert reward_nothing("no_solution", RewardConfig(format_penalty=1.0)).total == -1.0


def test_a_verdict_about_other_tests_is_refused():
    cases = plain_cases(2)
    with pytest.raises(SchemaError, match="isn't about these test cases"):
        reward_verdict(verdict_of(cases, [True, True]), cases[::-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format_weight": -0.1}, "format_weight is -0.1"),
        ({"compile_penalty": 2}, "compile_penalty is 2"),
        ({"length_weight": float("nan")}, "length_weight is nan"),
        ({"length_weight": 0.5, "patch_weight": 0.5}, "are 1.0 together"),
        (
            dict.fromkeys(("basic_weight", "intermediate_weight", "complex_weight", "edge_weight"), 0),
            "all tier weights",
        ),
        ({"length_free": 9.0}, "length_free is 9.0 and length_limit 8.0"),
        ({"patch_free": 0.0}, "patch_free is 0.0"),
        ({"length_limit": float("inf")}, "length_limit inf"),
        ({"patch_free": float("nan")}, "patch_free is nan"),
        ({"coverage_weight": "0.1"}, "coverage_weight is '0.1'; it must be a number"),
        ({"length_free": None}, "length_free is None; it must be a number"),
    ],
)
def test_bad_weights_are_named(options, message):
    with pytest.raises(ConfigError, match=message):
        RewardConfig(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coverage": float("nan")}, "coverage of nan"),
        ({"coverage": 1.5}, r"coverage of 1\.5"),
        ({"coverage": -0.1}, r"coverage of -0\.1"),
        ({"solution_chars": -1}, "solution_chars is -1"),
        ({"reference_patch_lines": -5}, "reference_patch_lines is -5"),
    ],
)
def test_measures_that_are_none_are_named(options, message):
    with pytest.raises(ConfigError, match=message):
        Measures(**options)


@pytest.mark.parametrize(("share", "floor"), [(float("nan"), 0), (1.5, 0), (-1, 0), (0.5, float("nan")), (0.5, 2)])
def test_a_share_that_is_none_is_refused(share, floor):
    with pytest.raises(SchemaError, match="must lie in"):
        reward_share(False, share, SOFT, floor=floor)


def test_the_module_needs_nothing_but_the_standard_library():
    root = Path(__file__).parents[2]
    code = f"import sys; sys.path.insert(0, {str(root)!r}); import sandbox.rewards; print(len(sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr


def test_extraction_can_be_had_from_here():
    assert extract_solution("```go\nx\n```", "go").solution == "x\n"
