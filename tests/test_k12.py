"""Koehn 2012 repeated: what was transcribed, what is computed from it, and a second generator that agrees.

The second generator is plain numpy: five of n systems a ranking, outputs N(μ, σ²), ten pairs counted one by one. Beside
it stands the expectation without any simulation: pairs meet Binomial(rankings, 20 / (n(n − 1))) times, the better one
wins with Φ(d / (σ√2)), and d, the distance of two uniform qualities, has the density 2(10 − d) / 100.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from builders import random_rows
from scipy.stats import binom, binomtest, norm

from palmares import reproduce
from palmares.compute import Execution
from palmares.design.simulated_counts import SimulatedCounts
from palmares.experiments.base import Context
from palmares.experiments.k12 import HONEST, LITERAL, PUBLISHED, Case, Reading, critical, separated, shares, simulated
from palmares.experiments.k12_bounds import CUTS, judged
from palmares.experiments.k12_curves import Curve as Followed
from palmares.experiments.k12_curves import Simulated, counted
from palmares.experiments.k12_judgments import Curve, looks
from palmares.experiments.k12_methods import _orders, discordant, scale, swapped
from palmares.experiments.k12_printed import printed, rebuilt, sigma_of, strengths
from palmares.experiments.k12_win_ratios import bend, straightness
from palmares.experiments.published import load
from palmares.judgments import Judgments
from palmares.judgments.counts import PairCounts
from palmares.ranking.ranges import clusters
from palmares.ranking.significance import sign_tests

SERIAL = Context(Execution("serial", seed=0))


def by_hand(n: int, sigma: float, rankings: int, rng: np.random.Generator) -> np.ndarray:
    """Wins of one campaign, written apart from the code under test."""
    quality = 10 * rng.random(n)
    wins = np.zeros((n, n))
    for _ in range(rankings):
        shown = rng.permutation(n)[:5]
        seen = {i: quality[i] + sigma * rng.standard_normal() for i in shown}
        for i, j in combinations(shown, 2):
            wins[(i, j) if seen[i] > seen[j] else (j, i)] += 1
    return wins


def expected_share(n: int, sigma: float, judgments: int, sided: int) -> float:
    """The expected share of pairs that sign tests tell apart at .05, without simulating."""
    distance = (np.arange(60) + 0.5) / 6
    better = norm.cdf(distance / (sigma * np.sqrt(2)))
    rankings, chance = judgments // 10, 20 / (n * (n - 1))
    low, high = binom.ppf([1e-6, 1 - 1e-6], rankings, chance)
    step = max(1, int(high - low) // 40)
    met = np.arange(low, high + 1, step)
    weight = binom.pmf(met, rankings, chance)
    most = np.array([_most(int(m), 0.05 / sided) for m in met])[:, None]
    told = binom.cdf(most, met[:, None], better) + binom.cdf(most, met[:, None], 1 - better)
    return float(weight @ told @ (10 - distance) / weight.sum() / (10 - distance).sum())


def _most(met: int, level: float) -> float:
    """The most losses of so many comparisons with which a system is better."""
    losses = np.arange(met // 2 - 2 * int(np.sqrt(met)) - 3, met // 2 + 1)
    return float(losses[binom.cdf(losses, met, 0.5) <= level][-1])


# -- what was transcribed --------------------------------------------------------------------------


def test_single_numbers_as_printed() -> None:
    """Read off the paper by eye."""
    numbers = load("k12")
    assert numbers["table_1"]["30000"] == {"pairwise": [5.4, 0.7, 1.4, 0.0], "bootstrap": [3.3, 2.3, 3.9, 0.4]}
    assert numbers["table_4"]["thousands"]["12"]["10"] == [7, 25, 60, 250]
    assert numbers["figure_3"]["10000"]["LOPEZ"] == 17.6


def test_table_4_grows_with_systems_sigma_and_share() -> None:
    table = np.array([list(row.values()) for row in load("k12")["table_4"]["thousands"].values()])
    assert table.shape == (5, 3, 4)
    assert all((np.diff(table, axis=axis) >= 0).all() for axis in range(3))


def test_scores_of_tables_2_and_3_are_divided_by_the_opponents() -> None:
    """Win ratios of all systems average ½, not (n − 1) / (2n) as after equation 4."""
    for number, n in ((2, 13), (3, 15)):
        table = printed(number)
        assert len(table.systems) == n
        assert table.scores.mean() == pytest.approx(0.5, abs=0.001)
        assert (np.diff(table.scores) < 0).all()


def test_table_2_prints_rank_12_twice_and_so_five_clusters() -> None:
    table = printed(2)
    assert int(clusters(table.ranges).max()) == 5
    meant = table.ranges.copy()
    meant[-1] = 13, 13
    assert int(clusters(meant).max()) == table.clusters == 6
    assert int(clusters(printed(3).ranges).max()) == 2


# -- two generators and a formula ------------------------------------------------------------------


def test_simulated_shares_are_those_of_a_generator_of_our_own_and_of_the_formula() -> None:
    n, sigma, judgments = 8, 10.0, 3000
    rng = np.random.default_rng(1)
    own = np.stack([by_hand(n, sigma, judgments // 10, rng) for _ in range(60)])
    (made,) = simulated(SERIAL, shares, [Case(n, sigma, (judgments,), 400, (99,))])
    for sided in (1, 2):
        wanted = expected_share(n, sigma, judgments, sided)
        for values in (separated(own, sided), made[:, 0, sided - 1]):
            error = values.std(ddof=1) / np.sqrt(len(values))
            assert values.mean() == pytest.approx(wanted, abs=4 * error)
            assert error < 0.02


def test_table_4_by_the_formula() -> None:
    """σ² is a standard deviation and the test one-sided: then all 60 shares are those that the numbers are for."""
    table = load("k12")["table_4"]
    cases = [(n, sigma) for n, rows in table["thousands"].items() for sigma in rows]
    for n, sigma in cases:
        for wanted, thousand in zip(table["shares"], table["thousands"][n][sigma], strict=True):
            share = 100 * expected_share(int(n), float(sigma), 1000 * thousand, 1)
            # Round numbers of judgments: up to a sixteenth more pairs, and hardly fewer.
            assert wanted - 2 < share < wanted + 6.3, (n, sigma, wanted, share)


def test_other_readings_do_not_give_table_4() -> None:
    assert expected_share(15, 10.0, 12000, 1) == pytest.approx(0.53, abs=0.01)
    assert expected_share(15, 10.0, 12000, 2) == pytest.approx(0.46, abs=0.01)
    assert expected_share(15, np.sqrt(10.0), 12000, 2) == pytest.approx(0.80, abs=0.01)


def test_the_experiment_measures_what_the_formula_says() -> None:
    found = reproduce("k12-judgments", quick=True, rng=3, execution=Execution("serial"))
    assert len(found.rows) == 8
    published = {"50": 1000, "70": 4000, "80": 8000, "90": 30000}
    for row in found.rows:
        share, _, label = row.label.partition(" %, ")
        assert row.published == (published[share] if label == "as published" else None)
        if row.measured is None:
            continue
        wanted = expected_share(6, 8.0, round(row.measured), 1 if label == "as published" else 2)
        # Campaigns of six systems, 25 of them: a standard error of .04.
        assert wanted == pytest.approx(int(share) / 100, abs=0.13)


def test_campaigns_have_ten_judgments_a_ranking_and_no_ties() -> None:
    cases = [Case(7, 10.0, (50, 200), 60, (1,)), Case(5, 10.0, (10,), 3, (2,))]
    first, second = simulated(SERIAL, _totals, cases)
    assert first.tolist() == [[[50, 0], [200, 0]]] * 60
    assert second.tolist() == [[[10, 0]]] * 3


def _totals(counts: SimulatedCounts) -> np.ndarray:
    """Wins and ties: an array (campaigns, looks, 2)."""
    return np.stack([counts.wins.sum(axis=(2, 3)), counts.ties.sum(axis=(2, 3)) / 2], axis=-1)


# -- sign tests on many campaigns ------------------------------------------------------------------


def test_critical_losses_are_those_of_an_exact_test() -> None:
    decided = np.array([[0, 4, 5], [17, 100, 5]])
    for level in (0.05, 0.025):
        most = critical(decided, level)
        assert most.shape == decided.shape
        for n, m in zip(decided.ravel().tolist(), most.ravel().tolist(), strict=True):
            assert m == -1 or binomtest(m, n, alternative="less").pvalue <= level
            assert n == 0 or m + 1 > n or binomtest(m + 1, n, alternative="less").pvalue > level
    # Five of five: 1/32 one-sided, 1/16 two-sided.
    assert critical(np.array([4, 5]), 0.05).tolist() == [-1, 0]
    assert critical(np.array([5, 6]), 0.025).tolist() == [-1, 0]


@pytest.mark.parametrize("sided", [1, 2])
def test_shares_are_those_of_the_sign_tests_of_rank(sided: int) -> None:
    wins = np.random.default_rng(0).poisson(8, (5, 2, 6, 6)) * ~np.eye(6, dtype=bool)
    pairs = np.triu_indices(6, 1)
    for campaign, share in zip(wins.reshape(-1, 6, 6), separated(wins, sided).ravel(), strict=True):
        counts = PairCounts(tuple("abcdef"), campaign.astype(float), np.zeros((6, 6)))
        p = sign_tests(counts, sided=sided)
        assert share == (np.minimum(p, p.T)[pairs] <= 0.05).mean()


# -- readings --------------------------------------------------------------------------------------


def test_sigma_is_a_standard_deviation_or_a_variance() -> None:
    spreads = {reading: reading.spread(9) for reading in (PUBLISHED, HONEST, LITERAL)}
    assert spreads == {PUBLISHED: 9, HONEST: 9, LITERAL: 3}
    assert Reading("", 1).sided == PUBLISHED.sided == 1


def test_strengths_give_back_the_scores() -> None:
    scores = printed(3).scores
    x = strengths(scores)
    won = norm.cdf(x[:, None] - x)
    np.fill_diagonal(won, 0)
    assert won.sum(axis=1) / (len(x) - 1) == pytest.approx(scores, abs=1e-6)


def test_sigma_is_read_off_the_spread_of_win_ratios() -> None:
    """Evenly spread qualities, with their exact win ratios."""
    n, sigma = 400, 7.0
    quality = 10 * (np.arange(n) + 0.5) / n
    won = norm.cdf((quality[:, None] - quality) / (sigma * np.sqrt(2)))
    assert sigma_of((won.sum(axis=1) - 0.5) / (n - 1)) == pytest.approx(sigma, rel=0.005)


def test_printed_win_ratios_ask_for_the_printed_sigma() -> None:
    assert float(sigma_of(printed(2).scores)) == pytest.approx(9, abs=0.1)
    assert float(sigma_of(printed(3).scores)) == pytest.approx(10, abs=0.3)


def test_a_rebuilt_campaign_has_the_printed_scores_and_fewer_judgments_with_ties() -> None:
    table = printed(3)
    made = rebuilt(table, 0.0, np.random.default_rng(0))
    assert len(made) == 13000
    wins = made.counts.wins
    scores = (wins / np.maximum(wins + wins.T, 1)).sum(axis=1) / 14
    # 1,733 judgments a system: a standard error of .012 at most.
    assert scores == pytest.approx(table.scores, abs=0.04)
    part = rebuilt(table, 0.25, np.random.default_rng(0))
    assert len(part) == pytest.approx(9750, abs=200)


# -- Figure 1 --------------------------------------------------------------------------------------


def test_straightness_and_bend_by_hand() -> None:
    assert straightness(np.array([[0.7, 0.3, 0.5]]))[0] == pytest.approx(1)
    assert straightness(np.array([0.1, 0.2, 0.9])) == pytest.approx(np.corrcoef([0.1, 0.2, 0.9], [0, 1, 2])[0, 1])
    # Halfway, .1 below the line over a range of .6.
    assert bend(np.array([[0.2, 0.4, 0.8]])) == pytest.approx(0.1 / 0.6)


# -- Figure 2 --------------------------------------------------------------------------------------


def test_judgments_are_counted_ranking_by_ranking() -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(1), systems=5, rankings=40))
    most = len(judgments)
    found = counted(judgments, [9, most], decided=False, rng=np.random.default_rng(0))
    assert found[-1].tolist() == judgments.counts.wins.tolist()
    ties = judgments.counts.ties.sum() / 2
    assert ties > 0
    assert found[0].sum() <= 9
    decided = counted(judgments, [9, most], decided=True, rng=np.random.default_rng(0))
    assert decided[0].sum() == 9
    assert decided[-1].sum() == most - ties


def test_the_sigma_of_the_nearest_curve_is_taken() -> None:
    lines = np.linspace(0.9, 0.1, 29)[:, None] * np.array([0.5, 1.0])
    simulated = Simulated((1000, 2000), {1: lines, 2: lines / 2}, lines[:3])
    curve = Followed("x", 5, (2000,), {1: lines[[4, 6], 1:], 2: lines[[4, 6], 1:] / 2})
    sigma, line = simulated.fitted(curve, 1)
    assert (sigma, line.tolist()) == (7, [lines[5, 1]])
    assert simulated.fitted(curve, 2)[0] == 7
    assert simulated.scatter == (2, 4)


# -- Figure 3 --------------------------------------------------------------------------------------


def test_discordant_pairs_and_their_scales_by_hand() -> None:
    quality = np.array([3.0, 2.0, 1.0])
    assert discordant(np.array([3.0, 2.0, 1.0]), quality) == 0
    assert discordant(np.array([1.0, 2.0, 3.0]), quality) == 3
    assert discordant(np.array([2.0, 2.0, 1.0]), quality) == 0.5
    assert scale("share of pairs", 15) == pytest.approx(1 / 105)
    # 7.1 % of the pairs are published as 13.2 %.
    assert 7.1 * scale("as published", 15) / scale("share of pairs", 15) == pytest.approx(13.25, abs=0.01)
    assert scale("equation 5 as printed", 15) == pytest.approx(2 / (15 * 13))


def test_all_methods_agree_where_every_pair_is_clear() -> None:
    wins = np.triu(np.full((6, 6), 40), 1) + np.tril(np.full((6, 6), 3), -1)
    for scores in _orders(wins):
        assert np.argsort(-scores).tolist() == [0, 1, 2, 3, 4, 5]
    # 0 beats 1 beats 2 beats 0; the narrowest of the three goes: 1 over 2, by one.
    wins = np.array([[0, 8, 2], [2, 0, 6], [8, 5, 0]])
    assert np.argsort(-_orders(wins)[2]).tolist() == [2, 0, 1]


def test_neighbours_are_swapped_until_no_one_gains() -> None:
    margins = np.array([[0, -2, 3], [2, 0, 1], [-3, -1, 0]])
    assert swapped(np.array([2, 0, 1]), margins).tolist() == [1, 0, 2]
    # A cycle: every rotation of it stays.
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert swapped(np.array([1, 2, 0]), cycle).tolist() == [1, 2, 0]


# -- Table 1 ---------------------------------------------------------------------------------------


def test_the_columns_of_table_1_by_hand() -> None:
    ranges = np.array([[1, 2], [1, 2], [3, 3], [4, 4]])
    assert judged(ranges, np.array([1, 2, 3, 4])) == (1.5, 0.0, 3.0, 0.0)
    # The fourth is truly third and the third fourth: both are outside, and in each other's way.
    assert judged(ranges, np.array([2, 1, 4, 3])) == (1.5, 50.0, 3.0, 50.0)
    # The first is truly last: all below it are in a lower cluster though better; the second stays right.
    assert judged(ranges, np.array([4, 1, 2, 3])) == (1.5, 75.0, 3.0, 75.0)


def test_every_cut_up_to_the_described_one_is_tried() -> None:
    found = reproduce("k12-bounds", quick=True, rng=0, execution=Execution("serial"))
    assert (CUTS[0], CUTS[-1]) == (1, 25)
    assert json.loads(json.dumps(found.to_dict()))["experiment"] == "k12-bounds"
    size = {row.label: row.measured for row in found.rows if row.group == "10,000 judgments: range size"}
    one, two, fitted, described, ranked = size.values()
    assert two > one > fitted > described
    assert ranked > described


# -- Table 4 ---------------------------------------------------------------------------------------


def test_judgments_needed_are_read_off_the_mean_curve() -> None:
    curve = Curve(np.array([100, 1000, 10000]), np.array([[0.1, 0.5, 0.9], [0.3, 0.5, 0.7]]))
    assert curve.needed(0.5)[0] == pytest.approx(1000)
    assert curve.needed(0.65)[0] == pytest.approx(10**3.5)
    assert curve.at(10**3.5)[0] == pytest.approx(0.65)
    assert np.isnan(curve.needed(0.95)[0])
    # At 10,000: a standard error of .1 over a slope of .6 in ln 100.
    assert curve.needed(0.8)[1] == pytest.approx(10000 * 0.1 / (0.6 / np.log(100)))


def test_looks_are_whole_rankings_and_reach_the_end() -> None:
    sizes = looks(30000)
    assert sizes[0] == 200
    assert 30000 <= sizes[-1] < 33100
    assert all(size % 10 == 0 for size in sizes)


# -- what the rows say -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["k12-win-ratios", "k12-curves"])
def test_rows_say_that_wmt12_is_not_at_hand(name: str) -> None:
    found = reproduce(name, quick=True, rng=0, execution=Execution("serial"))
    assert any("not at hand" in note for note in found.notes)
    assert found.reference.startswith("Koehn 2012, ")


@pytest.mark.real
@pytest.mark.slow
def test_published_campaigns_have_win_ratios_as_straight_as_simulated_ones(real_data: Path) -> None:
    found = reproduce("k12-win-ratios", quick=True, data=real_data)
    straight = {row.label: row.measured for row in found.rows if row.group == "straightness of win ratios"}
    assert {name.split()[0] for name in straight} == {"WMT12", "WMT13", "WMT14", "WMT16"}
    assert min(straight.values()) > 0.85
