"""Campaigns that never happened."""

from __future__ import annotations

from math import asin, pi

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

from palmares import CampaignPlan, rank, simulate
from palmares.design.simulate import numbered, ranks_with_ties
from palmares.errors import InputError
from palmares.ranking.significance import sign_test


def test_the_same_seed_makes_the_same_campaign() -> None:
    one, other, third = simulate(rng=4), simulate(rng=4), simulate(rng=5)
    assert one.judgments == other.judgments
    assert one.quality == other.quality
    assert one.judgments != third.judgments


def test_seed_zero_is_a_seed_and_none_is_not() -> None:
    assert simulate(rankings=20, rng=0).judgments == simulate(rankings=20, rng=0).judgments
    assert simulate(rankings=20).judgments != simulate(rankings=20).judgments


@pytest.mark.parametrize("radius", [0.0, 0.5, 4.0])
def test_ties_appear_only_with_a_radius(radius: float) -> None:
    outcomes = simulate(tie_radius=radius, rng=1).judgments.codes("outcome")
    assert (outcomes == 0).any() == (radius > 0)
    assert (outcomes == 1).any()
    assert (outcomes == -1).any()


@pytest.mark.parametrize(
    ("seen", "radius", "ranks"),
    [
        ([9.0, 7.0, 8.0], 0.0, [1, 3, 2]),
        ([9.0, 9.0, 8.0], 0.0, [1, 1, 2]),
        # 8.2 is within 1 of 9; 7.5 is not (though within 1 of 8.2), so it leads a group that 6.6 joins.
        ([7.5, 9.0, 6.6, 8.2], 1.0, [2, 1, 2, 1]),
        ([9.0, 8.0, 7.0], 1.0, [1, 1, 2]),
        ([1.0, 2.0, 3.0], 5.0, [1, 1, 1]),
    ],
)
def test_ranks_with_ties_by_hand(seen: list[float], radius: float, ranks: list[int]) -> None:
    assert ranks_with_ties(np.array([seen]), radius).tolist() == [ranks]


def test_rows_are_ranked_one_by_one() -> None:
    seen = np.random.default_rng(0).normal(size=(50, 4))
    together = ranks_with_ties(seen, 0.3)
    assert all(np.array_equal(together[k], ranks_with_ties(seen[k : k + 1], 0.3)[0]) for k in range(50))


@pytest.mark.parametrize("outputs", [2, 3, 5])
def test_a_ranking_has_all_pairs_of_its_outputs(outputs: int) -> None:
    campaign = simulate(outputs=outputs, rankings=40, systems=6, rng=2)
    rows = campaign.judgments.to_rows()
    for (_,), part in rows.group_by("ranking"):
        shown = set(part["system_a"]) | set(part["system_b"])
        pairs = {frozenset(pair) for pair in zip(part["system_a"], part["system_b"], strict=True)}
        assert len(shown) == outputs
        assert len(part) == len(pairs) == outputs * (outputs - 1) // 2
        assert part["judge"].n_unique() == part["segment"].n_unique() == 1


def test_a_campaign_has_the_size_of_its_plan() -> None:
    campaign = simulate(systems=4, rankings=300, outputs=3, judges=7, segments=11, lang_pair="xx-yy", rng=0)
    judgments = campaign.judgments
    assert len(judgments) == 900
    assert judgments.systems == tuple(numbered("system", 4)) == tuple(campaign.quality)
    assert (len(judgments.judges), len(judgments.segments), judgments.lang_pairs) == (7, 11, ("xx-yy",))
    assert all(0 <= quality <= 10 for quality in campaign.quality.values())


def test_positions_tell_where_an_output_was_shown() -> None:
    rows = simulate(systems=6, outputs=3, rankings=30, rng=0).judgments.to_rows()
    for (_,), part in rows.group_by("ranking"):
        place = dict(zip(part["system_a"], part["position_a"], strict=True))
        place |= dict(zip(part["system_b"], part["position_b"], strict=True))
        assert sorted(place.values()) == [1, 2, 3]


def test_names_sort_by_number() -> None:
    assert numbered("s", 3) == ["s-01", "s-02", "s-03"]
    assert sorted(numbered("s", 1200)) == numbered("s", 1200)


def test_changes_apply_to_a_given_plan() -> None:
    plan = CampaignPlan(systems=4, rankings=10, outputs=3)
    campaign = simulate(plan, rankings=20, rng=0)
    assert (campaign.plan.systems, campaign.plan.rankings) == (4, 20)
    assert len(campaign.judgments) == 60


def test_noisy_judges_make_good_systems_lose_more_often() -> None:
    def upsets(noise: float) -> float:
        campaign = simulate(spread=1.0, tie_radius=0.0, judge_noise=noise, rankings=2000, rng=3)
        rows = campaign.judgments.to_rows()
        better = np.array(
            [campaign.quality[a] > campaign.quality[b] for a, b in zip(rows["system_a"], rows["system_b"], strict=True)]
        )
        return float(((rows["outcome"].to_numpy() > 0) != better).mean())

    assert upsets(0.0) < upsets(3.0) - 0.05 < upsets(20.0) - 0.1


def test_many_rankings_recover_the_true_order() -> None:
    campaign = simulate(systems=6, rankings=20_000, spread=5.0, rng=8)
    truth = sorted(campaign.quality, key=campaign.quality.get, reverse=True)
    assert rank(campaign.judgments, resample=None, rng=0).systems == tuple(truth)


@pytest.mark.parametrize(
    ("change", "wording"),
    [
        ({"systems": 1}, "systems: got 1; allowed: at least 2"),
        ({"rankings": 0}, "rankings: got 0; allowed: at least 1"),
        ({"outputs": 1}, "outputs: got 1; allowed: at least 2"),
        ({"outputs": 11}, "outputs: got 11, but there are only 10 systems"),
        ({"judges": 0}, "judges: got 0; allowed: at least 1"),
        ({"segments": 0}, "segments: got 0; allowed: at least 1"),
        ({"spread": -1.0}, "spread: got -1.0; allowed: a number of at least 0"),
        ({"tie_radius": float("nan")}, "tie_radius: got nan"),
        ({"judge_noise": float("inf")}, "judge_noise: got inf"),
        ({"segment_effect": -2.0}, "segment_effect: got -2.0; allowed: a number of at least 0"),
        ({"judge_effect": float("nan")}, "judge_effect: got nan"),
        ({"position_effect": float("inf")}, "position_effect: got inf; allowed: a number"),
    ],
)
def test_an_impossible_plan_is_refused(change: dict[str, float], wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        CampaignPlan(**change)


def test_significant_pairs_come_out_as_koehn_published_them() -> None:
    # Koehn 2012, Table 4: with 15 systems and "variance" 10 (which acts as a standard deviation), 12,000 judgments
    # make half of the pairs significant at .05: 52 %, one-sided. One-sided at .05 is two-sided at .10.
    shares = []
    for seed in range(16):
        campaign = simulate(systems=15, rankings=1200, tie_radius=0.0, spread=10.0, rng=seed)
        p = sign_test(campaign.judgments.counts)[np.triu_indices(15, 1)]
        shares.append((p <= 0.10).mean())
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert error < 0.02
    assert np.mean(shares) == pytest.approx(0.52, abs=3.5 * error)


# -- effects of segments, judges and positions -----------------------------------------------------

#: Two systems whose qualities, at most 10 apart, do not matter beside the rest, so that each wins half the time.
DUEL = CampaignPlan(systems=2, outputs=2, rankings=20_000, judges=500, segments=500, spread=0.0, tie_radius=0.0)


def agreement(rows: pl.DataFrame, unit: str) -> float:
    """How often two judgments of two systems agree when they share a unit."""
    wins = rows.group_by(unit).agg((pl.col("outcome") > 0).sum().alias("w"), pl.len().alias("n"))
    same = wins["w"] * (wins["w"] - 1) + (wins["n"] - wins["w"]) * (wins["n"] - wins["w"] - 1)
    return float(same.sum() / (wins["n"] * (wins["n"] - 1)).sum())


@pytest.mark.parametrize(("unit", "other"), [("segment", "judge"), ("judge", "segment")])
def test_an_effect_alone_decides_alike_wherever_its_unit_is_shared(unit: str, other: str) -> None:
    rows = simulate(DUEL, **{f"{unit}_effect": 1e6}, rng=0).judgments.to_rows()
    assert agreement(rows, unit) == 1
    assert agreement(rows, other) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("unit", ["segment", "judge"])
def test_the_share_of_an_effect_can_be_recovered_from_agreement(unit: str) -> None:
    # The two latent differences share 600² of 600² + 800²: correlation .36. For normal variables of mean 0 and
    # correlation r, the signs agree with probability ½ + arcsin(r) / π.
    rows = simulate(DUEL, **{f"{unit}_effect": 6e5}, spread=8e5, rng=1).judgments.to_rows()
    assert agreement(rows, unit) == pytest.approx(0.5 + asin(0.36) / pi, abs=0.02)


def test_effects_add_up() -> None:
    both = simulate(DUEL, segment_effect=3e5, judge_effect=4e5, spread=1.2e6, rng=2).judgments.to_rows()
    # Of 9 + 16 + 144 parts of the variance, 9 are the segment's and 16 the judge's.
    assert agreement(both, "segment") == pytest.approx(0.5 + asin(9 / 169) / pi, abs=0.01)
    assert agreement(both, "judge") == pytest.approx(0.5 + asin(16 / 169) / pi, abs=0.01)


def test_effects_change_nothing_but_outcomes() -> None:
    plain = simulate(rng=5)
    for effect in ("segment_effect", "judge_effect", "position_effect"):
        changed = simulate(**{effect: 5.0}, rng=5)
        assert changed.quality == plain.quality
        assert changed.judgments.to_rows().drop("outcome").equals(plain.judgments.to_rows().drop("outcome"))
        assert not changed.judgments.to_rows().equals(plain.judgments.to_rows())


def test_one_effect_does_not_change_the_draws_of_the_other() -> None:
    for large, small in (("segment_effect", "judge_effect"), ("judge_effect", "segment_effect")):
        alone = simulate(**{large: 1e6}, tie_radius=0.0, rng=6)
        beside = simulate(**{large: 1e6, small: 1e-6}, tie_radius=0.0, rng=6)
        assert alone.judgments == beside.judgments


def test_a_generator_goes_on_from_where_it_is() -> None:
    generator = np.random.default_rng(0)
    one, other = (simulate(segment_effect=3.0, rng=generator).judgments for _ in range(2))
    assert one != other


def test_the_output_shown_first_gains_and_the_gain_falls_linearly() -> None:
    # A gain of 1 standard deviation against the last of three, of a half against the second.
    rows = simulate(
        systems=6, outputs=3, rankings=30_000, spread=1e6, position_effect=1e6, tie_radius=0.0, rng=3
    ).judgments.to_rows()
    turned = pl.when(pl.col("position_a") < pl.col("position_b")).then(pl.col("outcome")).otherwise(-pl.col("outcome"))
    first, last = pl.min_horizontal("position_a", "position_b"), pl.max_horizontal("position_a", "position_b")
    shares = dict(rows.group_by(first * 10 + last).agg((turned > 0).mean()).iter_rows())
    assert shares == pytest.approx(
        {13: norm.cdf(1 / 2**0.5), 12: norm.cdf(0.5 / 2**0.5), 23: norm.cdf(0.5 / 2**0.5)}, abs=0.012
    )


def test_the_output_shown_last_can_gain_too() -> None:
    rows = simulate(systems=4, outputs=2, rankings=200, spread=0.0, position_effect=-1e6, rng=0).judgments.to_rows()
    assert ((rows["outcome"] > 0) == (rows["position_a"] > rows["position_b"])).all()
