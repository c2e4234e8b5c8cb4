"""Many simulated campaigns at once, as counts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from palmares import CampaignPlan, Execution
from palmares.design.simulated_counts import simulate_counts
from palmares.errors import InputError

SMALL = CampaignPlan(systems=6, rankings=40, outputs=3, judges=4, segments=9)
#: Everything that changes what judges see.
EFFECTS = CampaignPlan(
    systems=7, rankings=60, judges=4, segments=9, judge_noise=3, segment_effect=4, judge_effect=2, position_effect=1
)


@pytest.mark.parametrize("plan", [SMALL, EFFECTS, CampaignPlan(systems=4, outputs=2, rankings=30, tie_radius=0)])
def test_counts_are_those_of_the_judgments(plan: CampaignPlan) -> None:
    counted = simulate_counts(plan, 3, rng=1)
    for number in range(3):
        campaign = counted.campaign(number)
        whole = campaign.judgments.counts
        assert np.array_equal(whole.wins, counted.wins[number, 0])
        assert np.array_equal(whole.ties, counted.ties[number, 0])
        assert list(campaign.quality.values()) == counted.quality[number].tolist()


def test_looks_count_the_first_rankings() -> None:
    counted = simulate_counts(SMALL, 2, looks=[1, 7, 40], rng=2)
    rows = counted.campaign(1).judgments
    for number, look in enumerate((1, 7, 40)):
        part = rows.filter(rows.codes("ranking") < look).counts
        index = [int(name[-2:]) - 1 for name in part.systems]
        assert np.array_equal(part.wins, counted.wins[1, number][np.ix_(index, index)])
        assert np.array_equal(part.ties, counted.ties[1, number][np.ix_(index, index)])
        assert counted.wins[1, number].sum() + counted.ties[1, number].sum() / 2 == 3 * look


def test_an_experiment_depends_on_the_seed_and_its_number_alone() -> None:
    many = simulate_counts(EFFECTS, 21, looks=[20, 60], rng=3, execution=Execution("threads", 2))
    few = simulate_counts(EFFECTS, 4, rng=3, execution=Execution("serial"))
    assert np.array_equal(many.wins[:4, 1], few.wins[:, 0])
    assert np.array_equal(many.ties[:4, 1], few.ties[:, 0])
    assert len({tuple(quality) for quality in many.quality.tolist()}) == 21
    assert not np.array_equal(few.wins, simulate_counts(EFFECTS, 4, rng=4).wins)


def test_counts_come_as_a_batch() -> None:
    counted = simulate_counts(SMALL, 5, looks=[10, 40], rng=0)
    assert counted.counts().total == 5 * 40 * 3
    assert counted.counts(0).total == 5 * 10 * 3


def pair_rates(plan: CampaignPlan, experiments: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Differences in quality, and the shares of wins and ties of every pair of every experiment; their numbers."""
    counted = simulate_counts(plan, experiments, rng=5)
    i, j = np.triu_indices(plan.systems, 1)
    wins, losses = counted.wins[:, 0, i, j], counted.wins[:, 0, j, i]
    ties = counted.ties[:, 0, i, j]
    return counted.quality[:, i] - counted.quality[:, j], wins, ties, wins + losses + ties


@pytest.mark.parametrize("radius", [0.0, 3.0])
def test_pairs_win_as_often_as_two_normal_qualities_say(radius: float) -> None:
    """Two outputs: P(better) = Φ((Δ − r)/(√2 σ)); five without ties: Φ(Δ/(√2 σ)) for every pair of them."""
    outputs = 2 if radius else 5
    plan = CampaignPlan(systems=6, rankings=2000, outputs=outputs, tie_radius=radius, spread=8)
    gap, wins, ties, met = pair_rates(plan, 40)
    for observed, p in (
        (wins, norm.cdf((gap - radius) / (2**0.5 * 8))),
        (ties, norm.cdf((gap + radius) / (2**0.5 * 8)) - norm.cdf((gap - radius) / (2**0.5 * 8))),
    ):
        z = (observed - met * p) / np.sqrt(np.maximum(met * p * (1 - p), 1e-9))
        # 600 standardised counts, of which those of one campaign are nearly independent of each other.
        assert abs(z.mean()) < 0.25
        assert (z**2).mean() == pytest.approx(float(p.any()), abs=0.3)


def test_pairs_of_a_ranking_depend_on_each_other_as_they_should() -> None:
    """Three equal systems on a screen: the one that beat the second beats the third in two thirds of cases."""
    plan = CampaignPlan(systems=3, outputs=3, rankings=1, spread=1e6, tie_radius=0.0, judges=1, segments=1)
    wins = simulate_counts(plan, 6000, rng=6).wins[:, 0]
    both = [wins[wins[:, a, b] == 1, a, c].mean() for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]
    assert both == pytest.approx([2 / 3] * 3, abs=3.5 * (2 / 9 / 3000) ** 0.5)


def test_effects_of_segments_show_in_how_counts_vary() -> None:
    """All rankings on one segment whose luck is all there is: one system wins every comparison of a pair."""
    plan = CampaignPlan(systems=3, outputs=2, rankings=90, spread=0, tie_radius=0, segment_effect=1e6, segments=1)
    wins = simulate_counts(plan, 50, rng=7).wins[:, 0]
    for i, j in combinations(range(3), 2):
        assert (np.minimum(wins[:, i, j], wins[:, j, i]) == 0).all()
        assert 8 < (wins[:, i, j] > 0).sum() < 42


@pytest.mark.parametrize("looks", [[], [0, 5], [5, 5], [9, 4], [41], [2.5], "ab"])
def test_looks_that_cannot_be_are_refused(looks: list[int]) -> None:
    with pytest.raises(InputError, match=r"looks: got .*; allowed: increasing numbers of rankings from 1 to"):
        simulate_counts(SMALL, 2, looks=looks)


def test_no_experiments_are_refused() -> None:
    with pytest.raises(InputError, match="experiments: got 0; allowed: at least 1"):
        simulate_counts(SMALL, 0)
