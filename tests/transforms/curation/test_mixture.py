from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.config import Mixture
from schemas.source import MixtureBucket
from transforms.curation.mixture import CAP_REASON, SHARE_REASON, MixtureEntry, fill_shares, plan_mixture

BANK, REPOSITORY, SYNTHETIC, HUMAN = MixtureBucket
DEFAULT = Mixture()
ENFORCE = Mixture(enforce=True)


def entries(**sources):
    """Rows by ``bucket_source=count``."""
    return [
        MixtureEntry(record_id=f"{name}-{number}", bucket=MixtureBucket(name.split("_")[0]), source=name)
        for name, count in sources.items()
        for number in range(count)
    ]


def lines(plan):
    return {line.bucket: line for line in plan.report}


def weighted_share(rows, plan, wanted):
    gone = {item.record_id for item in plan.held_out}
    mass = Counter()
    for row in rows:
        if row.record_id not in gone:
            mass[wanted(row)] += plan.weight_of(row)
    return {key: value / sum(mass.values()) for key, value in mass.items()}


def test_weights_bring_full_buckets_to_their_targets():
    rows = entries(bank_a=70, bank_b=30, repository_r=500, synthetic_t=20, human_c=8)
    plan = plan_mixture(rows, DEFAULT, 1)
    assert plan.held_out == ()
    shares = weighted_share(rows, plan, lambda row: row.bucket)
    assert [round(shares[bucket], 4) for bucket in MixtureBucket] == [0.25, 0.40, 0.27, 0.08]
    assert [line.weighted_share for line in plan.report] == [0.25, 0.40, 0.27, 0.08]
    assert {line.note for line in plan.report} == {""}
    assert lines(plan)[REPOSITORY].actual_share == round(500 / 628, 4)


def test_the_mean_weight_is_one():
    rows = entries(bank_a=70, repository_r=500, synthetic_t=20)
    plan = plan_mixture(rows, DEFAULT, 1)
    assert sum(plan.weight_of(row) for row in rows) / len(rows) == pytest.approx(1.0, abs=1e-5)


def test_an_empty_bucket_is_named_and_its_share_goes_to_the_others():
    plan = plan_mixture(entries(bank_a=10, repository_r=10, human_c=10), DEFAULT, 1)
    assert lines(plan)[SYNTHETIC].note == "no rows: the target of 0.27 can't be reached; the other parts share it"
    assert lines(plan)[SYNTHETIC].weight == 0
    assert lines(plan)[BANK].weighted_share == pytest.approx(0.25 / 0.73, abs=1e-4)
    assert "reaches 0.34 instead of 0.25" in lines(plan)[BANK].note


@pytest.mark.parametrize("settings", [DEFAULT, ENFORCE])
def test_one_bucket_alone_takes_everything(settings):
    plan = plan_mixture(entries(repository_r=40), settings, 1)
    assert plan.held_out == ()
    assert lines(plan)[REPOSITORY].weighted_share == 1.0
    assert lines(plan)[REPOSITORY].weight == 1.0


@pytest.mark.parametrize("settings", [DEFAULT, ENFORCE])
def test_no_rows_give_an_empty_plan(settings):
    plan = plan_mixture([], settings, 1)
    assert plan.held_out == ()
    assert [line.emitted for line in plan.report] == [0, 0, 0, 0]


def test_enforcing_holds_rows_out_until_the_counts_show_the_shares():
    rows = entries(bank_a=100, repository_r=100, synthetic_t=100, human_c=8)
    plan = plan_mixture(rows, ENFORCE, 1)
    assert [line.emitted for line in plan.report] == [25, 40, 27, 8]
    assert [line.actual_share for line in plan.report] == [0.25, 0.40, 0.27, 0.08]
    assert {item.reason for item in plan.held_out} == {SHARE_REASON}
    assert len(plan.held_out) == len(rows) - 100
    assert {plan.weight_of(row) for row in rows} == {1.0}


def test_enforcing_emits_as_many_rows_as_the_scarcest_bucket_allows():
    plan = plan_mixture(entries(bank_a=1000, repository_r=40, synthetic_t=1000, human_c=1000), ENFORCE, 1)
    assert lines(plan)[REPOSITORY].emitted == 40
    assert sum(line.emitted for line in plan.report) == 100


def test_a_bucket_without_share_gets_no_weight_and_no_rows():
    settings = {"bank": 0.5, "repository": 0.5, "synthetic": 0, "human": 0}
    rows = entries(bank_a=10, repository_r=10, human_c=5)
    weighed = plan_mixture(rows, Mixture(**settings), 1)
    assert lines(weighed)[HUMAN].weight == 0
    assert lines(weighed)[HUMAN].note == "the config gives this part no share; its rows have weight 0 or are held out"
    assert lines(plan_mixture(rows, Mixture(**settings, enforce=True), 1))[HUMAN].emitted == 0


def test_a_source_over_its_cap_loses_weight_to_its_bucket():
    rows = entries(bank_big=900, bank_small=100, repository_r=500, repository_s=500, synthetic_t=300, human_c=80)
    plan = plan_mixture(rows, Mixture(max_share_per_source=0.3), 1)
    shares = weighted_share(rows, plan, lambda row: row.source)
    assert max(shares.values()) <= 0.3 + 1e-4
    tight = weighted_share(rows, plan_mixture(rows, Mixture(max_share_per_source=0.22), 1), lambda row: row.source)
    assert max(tight.values()) <= 0.22 + 1e-4


def test_a_source_over_its_cap_loses_rows_when_shares_are_enforced():
    rows = entries(bank_big=900, bank_small=20, repository_r=900, repository_s=900, synthetic_t=900, human_c=900)
    plan = plan_mixture(rows, Mixture(enforce=True, max_share_per_source=0.2), 1)
    emitted = Counter(row.source for row in rows)
    emitted -= Counter(item.record_id.split("-")[0] for item in plan.held_out)
    total = sum(emitted.values())
    assert 185 < total < 200  # the small bank source gives out: 20 rows must fill 10% of the whole
    assert max(emitted.values()) <= 0.2 * total + 2
    assert CAP_REASON in {item.reason for item in plan.held_out}


def test_a_cap_that_nobody_can_hold_is_spread_evenly():
    plan = plan_mixture(entries(bank_a=10, repository_r=90), Mixture(max_share_per_source=0.1), 1)
    assert [lines(plan)[bucket].weighted_share for bucket in (BANK, REPOSITORY)] == [0.5, 0.5]
    assert all(lines(plan)[bucket].note for bucket in (BANK, REPOSITORY))


def test_the_seed_decides_which_rows_are_held_out():
    rows = entries(bank_a=100, repository_r=40)
    assert plan_mixture(rows, ENFORCE, 1).held_out != plan_mixture(rows, ENFORCE, 2).held_out


counts = st.fixed_dictionaries(
    {name: st.integers(0, 40) for name in ("bank_a", "bank_b", "repository_r", "synthetic_t", "human_c")}
)


@given(counts, st.booleans(), st.sampled_from([1.0, 0.5, 0.3]), st.randoms())
def test_every_row_is_emitted_or_held_out_and_order_does_not_matter(sizes, enforce, cap, rng):
    settings = Mixture(enforce=enforce, max_share_per_source=cap)
    rows = entries(**sizes)
    plan = plan_mixture(rows, settings, 3)
    assert sum(line.emitted for line in plan.report) + len(plan.held_out) == len(rows)
    assert len({item.record_id for item in plan.held_out}) == len(plan.held_out)
    rng.shuffle(rows)
    assert plan_mixture(rows, settings, 3) == plan


names = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), min_size=1)


@given(names, st.floats(0.05, 1))
def test_filled_shares_sum_to_one_and_hold_the_capacities_where_they_can(wanted, capacity):
    shares = fill_shares(wanted, dict.fromkeys(wanted, capacity))
    assert sum(shares.values()) == pytest.approx(1.0)
    if capacity * len(wanted) > 1.000001:
        assert max(shares.values()) <= capacity + 1e-6
