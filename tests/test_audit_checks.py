"""The statistics behind an audit, by hand, by enumeration or from the literature."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations
from math import comb, sqrt

import numpy as np
import polars as pl
import pytest
from audit_campaigns import campaign, case, clean, tying_system
from builders import counted, judged
from scipy.stats import norm, t

from palmares.analysis.audit import CHECKS
from palmares.analysis.audit.case import Tallies, chains_of_wins
from palmares.analysis.audit.claims import Claim, _judged, fitted_lead, holds, weakest
from palmares.analysis.audit.cycles import (
    circular,
    dependent,
    intransitivity,
    laplacian_inverse,
    margins,
    standardised,
    strongest,
    unfitted,
)
from palmares.analysis.audit.design import (
    groups,
    minimum_cut,
    position,
    rare_pairs,
    together,
    unshared,
    within_pairs,
)
from palmares.analysis.audit.drift import _change, drift, trend_of
from palmares.analysis.audit.findings import (
    Finding,
    Subject,
    corrected,
    decimals,
    judge_named,
    number,
    percent,
    plain,
    some,
    span,
)
from palmares.analysis.audit.judges import (
    concentration,
    departures,
    design_effect,
    differences,
    exact_interval,
    holders,
    influence,
    material,
    moves,
    uneven,
)
from palmares.analysis.audit.residuals import per_scale, residual_points, tail, whitening
from palmares.analysis.audit.ties import change, leads, reversals
from palmares.compute import Execution
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.bradley_terry import BradleyTerry
from palmares.ranking.bootstrap import plain_samples


def opposed(each: int = 5) -> Judgments:
    """Judge x says a is better, judge y that b is."""
    rows = [("a", "b", 1)] * each + [("a", "b", -1)] * each
    return judged(rows, judge=["x"] * each + ["y"] * each)


# -- position --------------------------------------------------------------------------------------


def test_the_effect_of_position_is_a_difference_of_shares_within_a_pair() -> None:
    # Shown first, a won both; shown second, one of two: half of the wins more. Residuals are 0, 0, ½ and −½, so the
    # sums over units of x · residual are 0, 0, −¼ and ¼; their squares add up to ⅛, times 4/3 for four units and
    # 4/3 for the mean of four judgments.
    x, y = np.array([0.5, 0.5, -0.5, -0.5]), np.array([1.0, 1, 1, 0])
    slope, error, count = within_pairs(x, y, np.zeros(4, int), np.arange(4), np.ones(4))
    assert (slope, error, count) == (0.5, pytest.approx(sqrt(16 / 9 / 8)), 4)


def test_a_pair_shown_in_one_order_only_says_nothing_of_position() -> None:
    x, y = np.array([0.5, 0.5, -0.5, -0.5, 0.5, 0.5]), np.array([1.0, 1, 1, 0, 1, 0])
    slope, _, _ = within_pairs(x, y, np.array([0, 0, 0, 0, 1, 1]), np.arange(6), np.ones(6))
    assert slope == 0.5


def test_a_pair_judged_once_adds_nothing_to_position() -> None:
    x, y = np.array([0.5, 0.5, -0.5, -0.5, 0.5]), np.array([1.0, 1, 1, 0, 1])
    pairs = np.array([0, 0, 0, 0, 1])
    assert within_pairs(x, y, pairs, np.arange(5), np.ones(5)) == within_pairs(
        x[:4], y[:4], pairs[:4], np.arange(4), np.ones(4)
    )


def test_where_pairs_are_sparse_position_keeps_its_level() -> None:
    # 1770 pairs share 3000 coin flips; without m/(m − 1) one p-value in ten is at most .05.
    rng, small, trials, n = np.random.default_rng(0), 0, 400, 60
    for _ in range(trials):
        a = rng.integers(0, n, 3000)
        b = (a + rng.integers(1, n, 3000)) % n
        x, y = rng.choice([-0.5, 0.5], 3000), (rng.random(3000) < 0.5).astype(float)
        pair = np.minimum(a, b) * n + np.maximum(a, b)
        slope, error, count = within_pairs(x, y, pair, np.arange(3000), np.ones(3000))
        small += 2 * t.sf(abs(slope) / error, count - 1) <= 0.05
    assert small / trials <= 0.05 + 3 * sqrt(0.05 * 0.95 / trials)


def test_position_finds_the_effect_and_the_places() -> None:
    rows = [("a", "b", 1)] * 30 + [("a", "b", -1)] * 10 + [("a", "b", 1)] * 20 + [("a", "b", -1)] * 20
    first = [1] * 40 + [2] * 40
    found = position(case(judged(rows, position_a=first, position_b=[3 - p for p in first])))
    # Three in four against one in two; the error is that of a difference of two shares, √(.75·.25/40 + .5·.5/40).
    assert found.effect == pytest.approx(0.25)
    # 80 units, and the mean of 80 judgments.
    error = sqrt((0.1875 + 0.25) / 40) * 80 / 79
    reach = t.ppf(0.975, 79) * error
    assert found.interval == pytest.approx((0.25 - reach, 0.25 + reach))
    assert found.p == pytest.approx(2 * t.sf(0.25 / error, 79), rel=1e-6)
    # a won ⅝ of all; it stood first in half of them and won ¾ there.
    assert [s.name for s in found.subjects] == ["place 1", "place 2"]
    assert found.subjects[0].effect == pytest.approx(0.125, abs=1e-3)
    assert "wins 25.0 of 100 decided comparisons more" in found.sentence


def test_position_is_skipped_where_every_pair_was_shown_in_one_order() -> None:
    found = position(case(judged([("a", "b", 1), ("a", "b", -1)] * 10, position_a=[1] * 20, position_b=[2] * 20)))
    assert found.skipped == "no two systems with outputs of their own were shown in both orders often enough"


def test_outputs_that_systems_share_say_nothing_of_position() -> None:
    rows = [("a", "b", 0), ("a", "c", 1), ("b", "c", 1), ("a", "d", 1), ("b", "d", 1), ("c", "d", 1)]
    places = {"a": 1, "b": 1, "c": 2, "d": 3}
    shown = {f"position_{s}": [places[r[i]] for r in rows] for i, s in enumerate("ab")}
    # Another ranking, of two outputs, is needed to resample.
    shown = {"position_a": [*shown["position_a"], 1], "position_b": [*shown["position_b"], 2]}
    table = judged([*rows, ("a", "b", 1)], ranking=["r"] * 6 + ["q"], **shown)
    made = case(table)
    kept = unshared(made, [made.judgments.frame[f"position_{s}"].to_numpy().astype(int) for s in "ab"])
    pairs = [
        (table.systems[a], table.systems[b]) for a, b in made.judgments.frame.select("system_a", "system_b").rows()
    ]
    assert {pair for pair, keep in zip(pairs, kept, strict=True) if keep} == {("a", "b"), ("c", "d")}
    assert kept.sum() == 2


# -- residual points and judges --------------------------------------------------------------------


def test_residual_points_are_points_less_what_is_expected() -> None:
    table = judged([("a", "b", 1), ("a", "c", 0), ("b", "c", -1)], ranking=["r", "r", "q"])
    outcomes = np.zeros((3, 3, 3))
    outcomes[0, 1], outcomes[0, 2], outcomes[1, 2] = (0.5, 0.2, 0.3), (0.7, 0.1, 0.2), (0.3, 0.3, 0.4)
    found = residual_points(table, np.array([0, 0, 1]), outcomes)
    # a: 1 − .6 against b and ½ − .75 against c; b: 0 − .4; c: ½ − .25. In q: b lost where .45 was expected.
    assert found.totals(np.array([0, 1]), 2) == pytest.approx(np.array([[0.15, -0.4, 0.25], [0, -0.45, 0.45]]))
    assert found.amounts(np.array([0, 1]), 2).tolist() == [[2, 1, 1], [0, 1, 1]]
    assert found.keep(np.array([False, True])).totals(np.array([0]), 1) == pytest.approx(np.array([[0, -0.45, 0.45]]))


def test_two_opposed_judges_by_hand() -> None:
    # Each side wins half, so residuals are ±½ and judge x gives a 2½ points. The variance of a unit's points is
    # 10/9 · ¼; a sum over 5 of 10 has 2½ times that: 6.25 / (2.5 · 10/36) = 9, for both judges.
    found = case(opposed()).judge_sums
    assert not isinstance(found, str)
    assert found.sums == pytest.approx(np.array([[2.5, -2.5], [-2.5, 2.5]]), abs=1e-6)
    assert found.lengths / found.scale == pytest.approx([9, 9])
    assert design_effect(found, 0.05) == (pytest.approx(9), None)


def test_the_p_value_of_two_opposed_judges_is_that_of_all_assignments() -> None:
    # Only 2 of the 252 ways to give five rankings to each judge put all wins on one side.
    for check in (differences, influence):
        found = check(case(opposed()))
        assert found.p == pytest.approx(2 / comb(10, 5), abs=4 * sqrt(2 / 252 / 999))


def test_exchanged_judges_have_the_covariance_that_the_test_uses() -> None:
    rows = campaign(1, rankings=10, judges=2).with_columns(
        judge=pl.when(pl.col("ranking") <= "ranking-05").then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    found = case(Judgments.from_rows(rows)).judge_sums
    assert not isinstance(found, str)
    products = []
    for chosen in combinations(range(10), 5):
        label = np.ones(10, dtype=int)
        label[list(chosen)] = 0
        mean = found.points.totals(np.zeros(10, dtype=int), 1)[0] / 10
        drawn = found.points.totals(label, 2)[0] - 5 * mean
        products.append(np.outer(drawn, drawn))
    assert np.mean(products, axis=0) == pytest.approx(found.scale[0] * found.covariance, abs=1e-9)


def test_a_judge_is_compared_with_the_others_not_with_all() -> None:
    # x gave a every point, y none: one point a comparison more, and the others' mean does not contain x.
    found = case(opposed()).judge_sums
    assert not isinstance(found, str)
    system, effect, (low, high) = departures(found, 0, 1.96)
    assert (system, effect) == (0, pytest.approx(1.0))
    # Error: √(2.5 · 10/36) points over 5 comparisons, times 10/5.
    assert (high - low) / 2 == pytest.approx(1.96 * 2 * sqrt(2.5 * 10 / 36) / 5)


def test_moves_are_told_by_rank() -> None:
    told = moves(np.array([3.0, 2, 1, 0]), np.array([1.5, 2, 1, 0.5]), ("a", "b", "c", "d"))
    assert told == ["a falls from 1 to 2", "b rises from 2 to 1"]
    assert moves(np.array([3.0, 2]), np.array([9.0, 1]), ("a", "b")) == []


def test_judges_with_few_rankings_are_not_tested() -> None:
    assert differences(case(opposed(each=4))).skipped == "fewer than two judges have 5 judgments or more"


def test_a_block_is_what_a_judge_said_of_a_segment() -> None:
    rows = [("a", "b", 1)] * 6
    table = judged(rows, judge=["x", "x", "x", "y", "y", "y"], segment=["1", "1", "2", "1", "1", "1"])
    made = case(table).blocks
    assert (sorted(made.sizes.tolist()), made.name) == ([1, 2, 3], "segment")
    assert len(np.unique(made.classes)) == 3
    # Without segments, or with one for all, every judgment is a block.
    for other in (table.to_rows().drop("segment"), table.to_rows().with_columns(segment=pl.lit("s"))):
        bare = case(Judgments.from_rows(other)).blocks
        assert (bare.sizes.tolist(), bare.name != "segment") == ([1] * 6, True)


def test_judgments_whose_segment_is_unknown_are_blocks_of_their_own() -> None:
    made = case(judged([("a", "b", 1)] * 4, judge=["x"] * 4, segment=["1", "2", None, None])).blocks
    assert made.sizes.tolist() == [1] * 4


def test_judges_who_say_one_thing_five_times_are_not_taken_at_their_word() -> None:
    # Each judge has one opinion a segment, and gives it ten times; by single judgments, they would differ for sure.
    rng = np.random.default_rng(4)
    rows, judges, segments = [], [], []
    for segment in range(48):
        outcome = int(rng.choice([-1, 1]))
        rows += [("a", "b", outcome)] * 10
        judges += [f"judge-{segment % 6}"] * 10
        segments += [str(segment)] * 10
    table = judged(rows, judge=judges, segment=segments)
    assert differences(case(table)).p > 0.05
    assert differences(case(Judgments.from_rows(table.to_rows().drop("segment")))).p == 0.001


def test_exchange_within_sizes_has_the_mean_that_the_test_uses() -> None:
    # Judge x: blocks of 1, 1, 2, 2, 2; judge y: 1, 1, 1, 2, 2. All 10 · 10 exchanges within sizes.
    sizes = {"x": [1, 1, 2, 2, 2], "y": [1, 1, 1, 2, 2]}
    rng, rows, judges, segments = np.random.default_rng(1), [], [], []
    for who, made in sizes.items():
        for segment, size in enumerate(made):
            rows += [("a", "b", int(rng.choice([-1, 0, 1]))) for _ in range(size)]
            judges += [who] * size
            segments += [f"{who}{segment}"] * size
    found = case(judged(rows, judge=judges, segment=segments)).judge_sums
    assert not isinstance(found, str)
    small, large = (np.flatnonzero(found.classes == c) for c in (0, 1))
    squares = []
    for one in combinations(small, 2):
        for two in combinations(large, 3):
            label = np.ones(10, dtype=int)
            label[[*one, *two]] = 0
            sums = found.points.totals(label, 2) - found.expected
            squares.append(((sums @ found.white) ** 2).sum(axis=1))
    assert np.mean(squares, axis=0) == pytest.approx(found.scale * found.white.shape[1])
    assert np.allclose(found.points.totals(found.label, 2) - found.expected, found.sums)


def test_a_judge_whose_blocks_nobody_else_makes_cannot_be_compared() -> None:
    assert per_scale(np.array([2.0, 1.0]), np.array([4.0, 0.0])).tolist() == [0.5, 0.0]


def test_whitening_is_a_root_of_the_pseudo_inverse() -> None:
    covariance = np.array([[2.0, -2, 0], [-2, 2, 0], [0, 0, 3]])
    white = whitening(covariance)
    assert white @ white.T == pytest.approx(np.linalg.pinv(covariance))
    assert white.shape == (3, 2)


def test_a_tail_counts_the_observed_value_too() -> None:
    assert tail(3.0, np.array([1.0, 2, 3, 4]))[0] == 3 / 5
    assert tail(np.array([0.0, 9.0]), np.array([1.0, 2, 3, 4])).tolist() == [1.0, 1 / 5]


# -- concentration ---------------------------------------------------------------------------------


def test_uneven_shares_by_hand() -> None:
    # Eight or more of ten with probability ⅓: (45·4 + 10·2 + 1) / 3¹⁰, for any of three judges.
    assert uneven(np.array([8.0, 1, 1])) == pytest.approx(3 * 201 / 3**10)
    assert uneven(np.array([4.0, 3, 3])) == 1.0


def test_exact_intervals_are_those_of_clopper_and_pearson() -> None:
    assert exact_interval(8, 10, 0.05) == pytest.approx((0.4439, 0.9748), abs=5e-5)  # published tables
    assert exact_interval(0, 10, 0.05) == pytest.approx((0, 1 - 0.025**0.1))
    assert exact_interval(10, 10, 0.05) == pytest.approx((0.025**0.1, 1))


@pytest.mark.parametrize(
    ("shares", "half", "much"),
    [
        ([0.25] * 4, 2, False),
        ([0.4, 0.2, 0.2, 0.2], 2, True),  # one holds 40 %, more than one and a half times an even share
        ([0.3, 0.25, 0.25, 0.2], 2, False),
        ([0.6, 0.4], 1, False),
        ([0.8, 0.2], 1, True),
        ([0.2, 0.2, 0.2, *[0.04] * 10], 3, True),  # 3 of 13 hold half
        ([0.1] * 10, 5, False),
    ],
)
def test_when_a_few_hold_much(shares: list[float], half: int, much: bool) -> None:
    assert (holders(np.array(shares)), material(np.array(shares))) == (half, much)


def test_concentration_counts_rankings_not_pairs() -> None:
    rows = [("a", "b", 1), ("a", "c", 1), ("b", "c", 1)] * 2 + [("a", "b", 1)]
    found = concentration(case(judged(rows, ranking=["1"] * 3 + ["2"] * 3 + ["3"], judge=["x"] * 6 + ["y"])))
    assert found.effect == pytest.approx(2 / 3)
    assert [s.detail for s in found.subjects] == ["2 rankings", "1 ranking"]
    assert "equivalent to 1.8 judges" in found.sentence  # 1 / (4/9 + 1/9)


# -- circles ---------------------------------------------------------------------------------------


def beats(n: int, ahead: range) -> np.ndarray:
    """System i beats the next few, in a circle."""
    return np.array([[1.0 if (j - i) % n in ahead else 0.0 for j in range(n)] for i in range(n)])


def test_circular_triples_are_counted_as_kendall_and_babington_smith_do() -> None:
    # The most circular triads of n odd are (n³ − n) / 24 (Kendall & Babington Smith 1940).
    for n in (3, 5, 7, 9):
        assert circular(beats(n, range(1, (n + 1) // 2)))[0] == (n**3 - n) / 24
    assert circular(np.triu(np.ones((6, 6)), 1))[0] == 0


def test_the_strength_of_a_circle_is_the_product_of_its_margins() -> None:
    margin = np.array([[0, 2.0, -4], [-2, 0, 3], [4, -3, 0]])
    assert circular(margin)[0] == 24
    assert strongest(margin) == [(0, 1, 2, 2.0)]
    assert strongest(-margin) == [(0, 2, 1, 2.0)]
    assert standardised(margin, np.array([[0, 2.0, 0], [2, 0, 1], [0, 1, 0]])).tolist() == [
        [0, 1, 0],
        [-1, 0, 3],
        [0, -3, 0],
    ]


def test_what_strengths_can_follow_is_taken_out_of_margins() -> None:
    weight = np.array([[0, 2.0, 1], [2, 0, 3], [1, 3, 0]])
    strengths = np.array([1.0, -2, 4])
    fitted = weight * (strengths[:, None] - strengths)
    assert unfitted(fitted, weight, laplacian_inverse(weight)) == pytest.approx(np.zeros((3, 3)), abs=1e-12)
    circle = np.array([[0, 1.0, -1], [-1, 0, 1], [1, -1, 0]])  # nobody gains
    assert unfitted(circle + fitted, weight, laplacian_inverse(weight)) == pytest.approx(circle)


def test_margins_and_their_errors_by_hand() -> None:
    # Even pairs: a 6–2 with two ties, the others balanced, so the fit expects nothing.
    table = counted({("a", "b"): (6, 2, 6), ("a", "c"): (5, 0, 5), ("b", "c"): (4, 0, 4)})
    margin, expected, error = margins(case(table))
    assert margin.tolist() == np.zeros((3, 3)).tolist()
    assert expected == pytest.approx(np.zeros((3, 3)), abs=1e-9)
    # Twelve decided judgments of ±1, each its own cluster; but for b–c the model's tie rate would say less than 8.
    assert error[0, 1] == pytest.approx(sqrt(14 * (1 - case(table).fit.outcomes[0, 1, 1])), rel=1e-6)
    assert error[0, 2] == pytest.approx(sqrt(10))
    assert error[1, 2] == pytest.approx(sqrt(8))


def test_a_circle_of_three_is_found_and_named() -> None:
    table = counted({("a", "b"): (40, 5, 10), ("b", "c"): (40, 5, 10), ("a", "c"): (10, 5, 40)})
    found = intransitivity(case(table))
    assert found.p == 0.001
    assert "a > b (80 %), b > c (80 %), c > a (80 %)" in found.sentence
    # Three systems with equal points stand in a circle unless a margin is 0: its strength is beyond chance, not that it
    # is there.
    assert 0 <= found.effect < 0.15


def test_dependent_judgments_are_those_of_segments_if_there_are_enough_else_items_or_rankings() -> None:
    many = judged([("a", "b", 1)] * 60, segment=[str(i // 2) for i in range(60)])
    assert len(np.unique(dependent(many, np.arange(60)))) == 30
    few = judged([("a", "b", 1), ("a", "b", -1), ("a", "c", 1)], segment=["1", "1", "1"])
    assert dependent(few, np.arange(3))[0] == dependent(few, np.arange(3))[1] != dependent(few, np.arange(3))[2]
    ranked = judged([("a", "b", 1), ("a", "c", -1)], segment=["1", "1"], ranking=["r", "q"])
    assert dependent(ranked, np.array([0, 1])).tolist() == [0, 1]


def test_a_circle_takes_three_systems_that_met() -> None:
    assert intransitivity(case(opposed())).skipped == "a circle needs at least three systems"
    chain = counted({("a", "b"): (3, 0, 2), ("b", "c"): (3, 0, 2)})
    assert intransitivity(case(chain)).skipped == "no three systems were all compared with each other"


# -- ties ------------------------------------------------------------------------------------------


def test_opposite_orders_need_both_to_be_shown() -> None:
    z = np.array([[[0, 2.0], [-2, 0]], [[0, -1.0], [1, 0]], [[0, 0.5], [-0.5, 0]]])
    p, above, below = reversals(z)
    # The weaker assertion is one standard error; three conventions.
    assert p[0, 1] == p[1, 0] == pytest.approx(3 * norm.sf(1))
    assert (above[0, 1], below[0, 1]) == (0, 1)


def test_a_lead_is_in_standard_errors_of_the_difference() -> None:
    covariance = np.array([[4.0, 1, 2, 0], [1, 9, 0, 3], [2, 0, 5, 0], [0, 3, 0, 8]])
    tallies = Tallies({"half": np.array([2.0, 1.0]), "ignore": np.array([1.0, 3.0])}, covariance.reshape(2, 2, 2, 2))
    assert leads(tallies)[0, 0, 1] == pytest.approx(1 / sqrt(4 + 9 - 2 * 1))
    assert leads(tallies)[1, 0, 1] == pytest.approx(-2 / sqrt(5 + 8))
    # (2 − 1) − (1 − 3), and the variance of a − b − c + d: 4 + 9 + 5 + 8 − 2·1 − 2·2 + 0 − 2·(0 + 3) − 0.
    effect, interval = change(tallies, ("half", "ignore"), (0, 1), 0.05)
    assert effect == 3
    assert interval[1] - effect == pytest.approx(norm.ppf(0.975) * sqrt(4 + 9 + 5 + 8 - 2 - 4 - 6))


@pytest.mark.parametrize("make", [tying_system, lambda: clean(3)])
def test_errors_by_influence_functions_are_those_of_the_bootstrap(make: Callable[[], Judgments]) -> None:
    made = case(make())
    for k, name in enumerate(made.conventions.scores):
        drawn = plain_samples(
            BradleyTerry(ties=name), made.judgments, unit=made.unit, resamples=600,
            execution=Execution("serial", seed=1),
        ).scores  # fmt: skip
        error = np.sqrt(np.diag(made.conventions.covariance[k, :, k]))
        # A standard deviation of 600 samples has a relative error of 3 %.
        assert error == pytest.approx(drawn.std(axis=0), rel=0.12)


# -- drift -----------------------------------------------------------------------------------------


def test_exchanged_times_have_the_covariance_that_the_test_uses() -> None:
    rows = campaign(2, rankings=8, judges=1)
    found = trend_of(case(Judgments.from_rows(rows)))
    assert found is not None
    points, time = found.points, found.time
    assert sorted(time) == [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]
    dense = np.zeros((8, points.systems))
    dense[points.unit, points.system] = points.value
    slopes = np.array(list(permutations(time))) @ dense  # all 40,320
    assert slopes.T @ slopes / len(slopes) == pytest.approx(found.covariance, abs=1e-9)
    assert found.slope == pytest.approx(time @ dense)


def test_a_change_is_the_difference_of_two_means() -> None:
    rows = [("a", "b", 1)] * 6 + [("a", "b", -1)] * 2 + [("a", "b", 1)] * 2 + [("a", "b", -1)] * 6
    table = judged(rows, time=np.arange(16).astype("datetime64[us]"))
    found = trend_of(case(table))
    assert found is not None
    effect, (low, high) = _change(found, 0, 1.0)
    # From three wins in four to one in four; each share has the error √(.75 · .25 / 8).
    assert effect == pytest.approx(-0.5, abs=1e-6)
    assert (high - low) / 2 == pytest.approx(sqrt(2 * 0.1875 / 8))


def test_a_block_stands_at_the_mean_of_its_ranks_in_time() -> None:
    rows = [("a", "b", 1), ("a", "b", -1), ("a", "b", 1), ("a", "b", 1), ("a", "b", -1)]
    times = np.array([10, 20, 30, 40, 50]).astype("datetime64[us]")
    found = trend_of(case(judged(rows, segment=["1", "2", "1", "2", "3"], time=times)))
    assert found is not None
    # Blocks of two at ranks (1 + 3) / 2 and (2 + 4) / 2 are exchanged with each other, the single one with none.
    assert sorted(found.time) == [-0.5, 0, 0.5]


def test_judges_who_differ_and_work_one_after_the_other_are_no_drift() -> None:
    table = opposed(each=20)
    now_and_then = 1 - 2 * (pl.int_range(40) % 10 == 0)
    times = pl.Series(np.arange(40)).cast(pl.Datetime("us"))
    rows = table.to_rows().with_columns(time=times, outcome=pl.col("outcome") * now_and_then)
    assert drift(case(Judgments.from_rows(rows))).p > 0.05
    assert drift(case(Judgments.from_rows(rows.drop("judge")))).p == 0.001


def test_an_odd_segment_that_all_judges_meet_at_one_time_is_no_drift() -> None:
    # Ten judges go through eight segments in one order and agree on each; a and b win four.
    outcome = [-1, -1, 1, 1, -1, -1, 1, 1]
    rows = [("a", "b", o) for _ in range(10) for o in outcome]
    judges, segments = [f"{j}" for j in range(10) for _ in outcome], [str(s) for _ in range(10) for s in range(8)]
    times = np.arange(80).astype("datetime64[us]")
    table = judged(rows, judge=judges, segment=segments, time=times)
    # All sums of ±3½, ±2½, ±1½ and ±½, each twice, that are at least as far from 0 as theirs.
    weights = np.arange(8) - 3.5
    slope = abs(weights @ outcome)
    signs = np.array([[1 - 2 * (k >> i & 1) for i in range(8)] for k in range(256)])
    share = np.mean(np.abs(signs @ weights) >= slope - 1e-9)
    assert drift(case(table)).p == pytest.approx(share, abs=4 * sqrt(share / 999))
    alone = Judgments.from_rows(table.to_rows().with_columns(segment=pl.int_range(80).cast(pl.String)))
    assert drift(case(alone)).p < 0.01 < 0.1 < share


def test_drift_is_skipped_where_time_stands_still() -> None:
    rows = opposed().to_rows().with_columns(time=pl.lit(0).cast(pl.Datetime("us")))
    assert drift(case(Judgments.from_rows(rows))).skipped == "no judge made judgments at different times"


# -- design ----------------------------------------------------------------------------------------


def test_a_rare_pair_by_hand() -> None:
    found = rare_pairs(case(counted({("a", "b"): (5, 0, 5), ("a", "c"): (5, 0, 5), ("b", "c"): (1, 0, 0)})))
    # One or none of 21 with probability ⅓, and three pairs to look at.
    assert found.p == pytest.approx(3 * ((2 / 3) ** 21 + 21 / 3 * (2 / 3) ** 20))
    assert found.effect == pytest.approx(1 / 7)
    assert found.interval == pytest.approx(tuple(3 * b for b in exact_interval(1, 21, 0.05)))
    assert "b – c met in 1 judgment, .14" in found.sentence


def test_a_pair_meets_once_in_a_ranking() -> None:
    rows = [("a", "b", 1), ("a", "b", 1), ("a", "c", 1), ("b", "c", 1)]
    met = together(case(judged(rows, ranking=["1", "1", "1", "2"])))
    assert met.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_the_minimum_cut_is_that_of_stoer_and_wagner() -> None:
    # The example of their paper (1997): the cut of weight 4 between {3, 4, 7, 8} and the rest.
    edges = "122 153 233 252 262 344 372 472 482 563 671 783"
    links = np.zeros((8, 8))
    for i, j, weight in edges.split():
        links[int(i) - 1, int(j) - 1] = links[int(j) - 1, int(i) - 1] = int(weight)
    weight, side = minimum_cut(links)
    assert weight == 4
    assert {i + 1 for i in range(8) if side[i]} in ({3, 4, 7, 8}, {1, 2, 5, 6})


def test_the_minimum_cut_is_the_least_of_all_cuts() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        links = np.triu(rng.integers(0, 6, (6, 6)), 1).astype(float)
        links += links.T
        sides = [[i for i in range(6) if mask >> i & 1] for mask in range(1, 32)]
        cuts = [links[np.ix_(s, [i for i in range(6) if i not in s])].sum() for s in sides]
        weight, side = minimum_cut(links)
        inside = np.array(side)
        assert weight == min(cuts) == links[np.ix_(inside, ~inside)].sum()
        assert 0 < inside.sum() <= 3


def test_the_weakest_link_is_named() -> None:
    found = groups(case(counted({("a", "b"): (5, 0, 5), ("a", "c"): (2, 1, 0), ("b", "c"): (0, 1, 0)})))
    assert found.sentence == "all 3 systems are linked; 4 judgments link c to the others, the weakest link"
    assert (found.flagged, found.p, found.effect) == (False, None, 1)


def test_the_weakest_link_counts_judgments_not_weights() -> None:
    rows = [("a", "b", 1)] * 5 + [("a", "c", 1)] * 2
    assert "; 2 judgments link c to the others" in groups(case(judged(rows, weight=[0.3] * 7))).sentence


# -- claims ----------------------------------------------------------------------------------------


def test_a_claim_holds_where_all_others_are_below() -> None:
    scores = np.array([[3.0, 1, 2], [1, 3, 2], [2, 2, 1], [3, 3 + 1e-14, 1]])
    assert holds(scores, 0, np.array([1, 2])).tolist() == [1, 0, 0.5, 0.5]
    assert holds(scores, 0, np.array([2])).tolist() == [1, 0, 1, 1]


def test_being_best_is_as_sure_as_the_least_sure_comparison() -> None:
    leads, errors, free = np.array([1.0, 2.0]), np.array([0.1, 3.0]), np.full(2, np.inf)
    assert weakest(leads, errors, free) == (1, 3.0, pytest.approx(2 * norm.sf(2 / 3)))
    # The first lead is ten errors of the bootstrap, but a fit says it is one half.
    assert weakest(leads, errors, np.array([0.5, np.inf])) == (0, 2.0, pytest.approx(2 * norm.sf(0.5)))
    # A fit that orders the two otherwise: nothing is shown, and the error stays a number.
    assert weakest(leads, errors, np.array([-1.0, np.inf])) == (0, 10.0, 1.0)


def test_a_lead_of_nothing_is_not_shown() -> None:
    assert weakest(np.array([0.0]), np.array([0.0]), np.array([0.0])) == (0, 0.0, 1.0)


def test_a_system_can_lose_to_those_from_whom_a_chain_of_wins_leads_to_it() -> None:
    # c beat b and b beat a; d beat nobody, and nobody beat e.
    counts = counted(
        {("b", "a"): (1, 0, 0), ("c", "b"): (1, 0, 0), ("a", "d"): (1, 0, 0), ("e", "a"): (1, 0, 0)}
    ).counts
    chains = chains_of_wins(counts)
    assert dict(zip(counts.systems, chains[0], strict=True)) == {
        "a": True, "b": True, "c": True, "d": False, "e": True,
    }  # fmt: skip
    assert chains[4].tolist() == [False, False, False, False, True]


@pytest.mark.parametrize("won", [3, 40])
def test_the_fitted_lead_of_a_perfect_record_is_that_of_log_odds_with_a_half(won: int) -> None:
    counts = counted({("a", "b"): (won, 0, 0)}).counts
    # log((won + ½) / ½) with the error √(1 / (won + ½) + 2); the prior, of standard deviation 5, pulls a little.
    expected = np.log(2 * won + 1) / sqrt(1 / (won + 0.5) + 2)
    assert fitted_lead(counts, 0, 1) == pytest.approx(expected, rel=0.04)
    assert fitted_lead(counts, 1, 0) == pytest.approx(-fitted_lead(counts, 0, 1))


@pytest.mark.parametrize(
    ("changes", "verdict", "reasons"),
    [
        ({}, "supported", ()),
        ({"adjusted": 0.06}, "not shown", ()),
        ({"breaking": ("j",)}, "fragile", ("without judge j",)),
        ({"ties": {"half": False, "ignore": True}}, "fragile", ("if ties count half",)),
        ({"by_judge": 0.97}, "fragile", ("with other judges (holds in .970)",)),
        ({"by_judge": 0.98}, "supported", ()),
        ({"adjusted": 0.06, "breaking": ("j",)}, "not shown", ()),
        (
            {"adjusted": 0.06, "boundary": True},
            "not shown",
            ("the boundary below it holds by itself, not jointly with the others",),
        ),
        ({"adjusted": 0.04, "boundary": True}, "supported", ()),
    ],
)
def test_verdicts(changes: dict[str, object], verdict: str, reasons: tuple[str, ...]) -> None:
    given = {"p": 0.01, "adjusted": 0.04, **changes}
    claim = _judged(Claim("above", "a", "b", 1.0, (0.5, 1.5), 0.99, **given), 0.05)
    assert (claim.verdict, claim.reasons) == (verdict, reasons)


def test_where_bradley_terry_orders_two_systems_otherwise_ties_are_not_the_reason() -> None:
    never = {"half": False, "ignore": False, "davidson": False}
    claim = Claim("above", "a", "b", 1.0, (0.5, 1.5), 0.99, 0.01, 0.04, ties=never)
    assert _judged(claim, 0.05, otherwise=True).reasons == ("by bradley-terry, which orders them otherwise",)
    assert len(_judged(claim, 0.05).reasons) == 3


# -- all together ----------------------------------------------------------------------------------


def test_flags_follow_p_values_adjusted_over_checks() -> None:
    findings = [
        Finding("a", "", p=0.01),
        Finding("b", "", p=0.02),
        Finding("c", "", p=0.02, material=False),
        Finding("d", "", skipped="why"),
        Finding("e", "", flagged=True),
    ]
    done = corrected(findings, 0.05)
    # Three tests: .01 · 3, .02 · 2, and no less for the last.
    assert [f.adjusted for f in done] == [pytest.approx(0.03), pytest.approx(0.04), pytest.approx(0.04), None, None]
    assert [f.flagged for f in done] == [True, True, False, False, True]


def test_a_judge_departs_only_where_that_is_shown_after_correction() -> None:
    told = "judge x (9 % of the judgments) departs most from the others: gives a .20 points"
    shown = "judge x (9 % of the judgments) departs from the others: gives a .20 points"
    judges = tuple(Subject(name, p=p) for name, p in {"x": 0.02, "y": 0.02, "z": 0.03}.items())
    found = Finding("judge-influence", told, p=0.02, subjects=judges, if_flagged=shown)
    alone, among = corrected([found], 0.05)[0], corrected([found, *[Finding("a", "", p=1.0)] * 3], 0.05)[0]
    assert alone.sentence == shown + "; so do y, z"
    assert (among.flagged, among.adjusted, among.sentence) == (False, 0.08, told)
    # Of two checks: .02 · 2 is enough, .03 · 2 is not.
    assert corrected([found, Finding("a", "", p=1.0)], 0.05)[0].sentence.endswith("points; so does y")


def test_every_check_of_the_registry_gives_a_finding_of_its_name() -> None:
    made = case(clean(1))
    for check in CHECKS:
        found = CHECKS.load(check)(made)
        assert found.check == check
        assert found.skipped is None
        assert found.sentence
        assert found.effect_name
    with pytest.raises(InputError, match=r"unknown check 'tie'; known: .*did you mean 'ties'"):
        CHECKS["tie"]


def test_weights_count_like_repeated_judgments() -> None:
    rows = campaign(3, rankings=60)
    doubled = rows.with_columns(weight=pl.lit(2.0))
    one, two = (case(Judgments.from_rows(r)) for r in (rows, doubled))
    sums = [made.judge_sums.sums for made in (one, two)]
    # A prior weighs less the more judgments there are, so the fits differ a little.
    assert sums[1] == pytest.approx(2 * sums[0], abs=0.05)
    assert position(two).effect == pytest.approx(position(one).effect)
    assert differences(two).effect == pytest.approx(differences(one).effect, rel=1e-2)


def test_wording() -> None:
    assert [decimals(0.214), decimals(-0.071), decimals(1.3), decimals(-0.001)] == [".21", "−.07", "1.30", ".00"]
    assert span((0.1, -0.2)) == ".10 to −.20"
    assert [decimals(0.3, 0), decimals(-12.0, 0)] == ["0", "−12"]
    assert [percent(0.14), percent(0.031), percent(0.0004), percent(0)] == ["14 %", "3.1 %", "0.04 %", "0 %"]
    assert [judge_named("15"), judge_named("judge-07"), judge_named("ann")] == ["judge 15", "judge-07", "judge ann"]
    assert some(["a", "b"]) == "a, b"
    assert some(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert [number(1, "judge"), number(1200, "judge")] == ["1 judge", "1,200 judges"]
    assert plain({"a": (1, float("inf")), "b": float("nan")}) == {"a": [1, None], "b": None}
