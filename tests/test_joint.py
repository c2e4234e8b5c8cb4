"""What is said of all systems at once: against plain loops, by hand, and by campaigns whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from builders import counted
from scipy.stats import binom, norm, t

import palmares as pm
from palmares.ranking.bootstrap import Replicates
from palmares.ranking.joint import Boundary, Joint, boundaries_of, joint, joint_of_tests

SYSTEMS = 5


def spread_of(rng: np.random.Generator, systems: int = SYSTEMS) -> np.ndarray:
    """A covariance with unequal variances, in which systems depend on each other."""
    loads = rng.normal(size=(systems, 3))
    return loads @ loads.T * 0.2 + np.diag(rng.uniform(0.2, 1.5, systems))


def samples_of(
    scores: np.ndarray, covariance: np.ndarray, rng: np.random.Generator, draws: int = 400, df: float | None = None
) -> Replicates:
    heavy = 1.0 if df is None else np.sqrt(df / rng.chisquare(df, draws))[:, None]
    drawn = scores + rng.multivariate_normal(np.zeros(len(scores)), covariance, draws) * heavy
    names = tuple(f"s{i}" for i in range(len(scores)))
    return Replicates(names, drawn, np.ones(drawn.shape, dtype=np.int64), covariance, df)


def best_first(scores: np.ndarray) -> np.ndarray:
    return np.argsort(-scores, kind="stable")


def found_for(scores: np.ndarray, samples: Replicates) -> Joint:
    return joint(scores, samples, best_first(scores))


# -- pairs -----------------------------------------------------------------------------------------


def stepped_down(scores: np.ndarray, samples: Replicates) -> dict[tuple[int, int], float]:
    """Romano & Wolf (2005), by the book: of the pairs that are left, the largest error of any, draw by draw."""
    covariance, deviations = samples.covariance, samples.scores - samples.scores.mean(axis=0)
    pairs = [(i, j) if scores[i] >= scores[j] else (j, i) for i, j in combinations(range(len(scores)), 2)]
    error = {(i, j): np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]) for i, j in pairs}
    clear = {(i, j): (scores[i] - scores[j]) / error[i, j] for i, j in pairs}
    left, chances, least = sorted(pairs, key=lambda pair: -clear[pair]), {}, 0.0
    while left:
        largest = [max(abs(row[i] - row[j]) / error[i, j] for i, j in left) for row in deviations]
        exceeded = sum(value >= clear[left[0]] for value in largest)
        least = max(least, (exceeded + 1) / (len(deviations) + 1))
        chances[left.pop(0)] = least
    return chances


@pytest.mark.parametrize("seed", range(4))
def test_pairs_are_those_of_a_step_down_by_the_book(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 1.5, SYSTEMS)
    samples = samples_of(scores, spread_of(rng), rng, df=(None, 6.0)[seed % 2])
    found = found_for(scores, samples).pairs
    expected = stepped_down(scores, samples)
    assert len({round(p, 9) for p in expected.values()}) > 3
    for (i, j), chance in expected.items():
        assert found[i, j] == pytest.approx(chance)
        assert found[j, i] == 1


def test_adjusting_only_raises_and_keeps_the_order_of_pairs() -> None:
    rng = np.random.default_rng(7)
    scores, covariance = rng.normal(0, 1.5, SYSTEMS), spread_of(rng)
    samples = samples_of(scores, covariance, rng)
    found = found_for(scores, samples).pairs
    deviations = samples.scores - samples.scores.mean(axis=0)
    by_clarity = []
    for i, j in combinations(best_first(scores), 2):
        error = np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        alone = (1 + (np.abs(deviations[:, i] - deviations[:, j]) >= scores[i] - scores[j]).sum()) / 401
        assert found[i, j] >= alone - 1e-12
        by_clarity.append(((scores[i] - scores[j]) / error, found[i, j]))
    adjusted = [chance for _, chance in sorted(by_clarity, reverse=True)]
    assert adjusted == sorted(adjusted)


def test_ranges_count_who_is_surely_better_and_surely_worse() -> None:
    pairs = np.ones((4, 4))
    pairs[0, 2], pairs[0, 3], pairs[1, 3], pairs[2, 3] = 0.01, 0.002, 0.05, 0.06
    # Nobody is surely better than 0 or 1; 0 surely beats 2 and 3, 1 surely beats 3 (p itself still counts).
    found = Joint(pairs, np.ones(3)).ranges(0.05)
    assert found.tolist() == [[1, 2], [1, 3], [2, 4], [3, 4]]


# -- boundaries ------------------------------------------------------------------------------------


@pytest.mark.parametrize("df", [None, 4.0])
def test_a_boundary_is_as_sure_as_its_least_sure_pair_and_adjusted_by_holm(df: float | None) -> None:
    rng = np.random.default_rng(2)
    scores = np.array([0.0, 9.0, 1.2, 25.0])
    covariance = spread_of(rng, 4)
    found = found_for(scores, samples_of(scores, covariance, rng, df=df)).boundaries
    law = norm if df is None else t(df)
    order, raw = [3, 1, 2, 0], []
    for above in (1, 2, 3):
        least = min(
            (scores[i] - scores[j]) / np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
            for i in order[:above] for j in order[above:]
        )  # fmt: skip
        raw.append(min(1.0, 2 * law.sf(least)))
    expected, running = {}, 0.0
    for step, k in enumerate(sorted(range(3), key=lambda k: raw[k])):
        running = max(running, raw[k] * (3 - step))
        expected[k] = min(running, 1.0)
    assert found == pytest.approx([expected[k] for k in range(3)])
    assert len(set(found)) > 1


def test_a_boundary_holds_jointly_only_where_a_cluster_begins() -> None:
    found = boundaries_of(np.array([0.001, 0.2, 0.001, 0.05]), np.array([1, 1, 2, 3, 4]), 0.05)
    assert found == (
        Boundary(1, 0.001, marginal=False, joint=False),
        Boundary(2, 0.2, marginal=True, joint=False),
        Boundary(3, 0.001, marginal=True, joint=True),
        Boundary(4, 0.05, marginal=True, joint=True),
    )


def test_clusters_that_are_not_in_the_order_of_scores_have_no_boundary_between_them() -> None:
    # The second system is of a later cluster than the third, as may be where the order is not that of the ranges.
    found = boundaries_of(np.zeros(3), np.array([1, 2, 1, 3]), 0.05)
    assert [boundary.marginal for boundary in found] == [False, False, True]


def test_a_ranking_has_one_boundary_between_every_two_neighbours() -> None:
    data = counted({("a", "b"): (30, 0, 30), ("a", "c"): (55, 0, 5), ("b", "c"): (52, 0, 8), ("c", "d"): (31, 0, 29),
                    ("a", "d"): (50, 0, 9), ("b", "d"): (50, 0, 9)})  # fmt: skip
    ranking = pm.rank(data, resamples=400, rng=0)
    assert [(b.above, b.marginal, b.joint) for b in ranking.boundaries] == [
        (1, False, False), (2, True, True), (3, False, False)
    ]  # fmt: skip
    assert [line.joint_cluster for line in ranking.lines] == [1, 1, 2, 2]
    assert [line.joint_range for line in ranking.lines] == [(1, 2), (1, 2), (3, 4), (3, 4)]
    shown = ranking.shown_jointly()
    assert [shown.cluster_of(line) for line in shown.lines] == [1, 1, 2, 2]
    # A ranking that knows nothing of all systems at once claims no boundary to hold jointly.
    alone = replace(ranking, joint=None)
    assert [(b.marginal, b.joint) for b in alone.boundaries] == [(False, False), (True, False), (False, False)]


# -- how often any of it is wrong ------------------------------------------------------------------


def test_all_equal_systems_are_ordered_in_no_more_campaigns_than_stated() -> None:
    rng = np.random.default_rng(1)
    campaigns, n, wrong, alone = 500, 8, 0, 0
    covariance = spread_of(rng, n)
    variance = np.diag(covariance)
    error = np.sqrt(variance[:, None] + variance - 2 * covariance) + np.eye(n)
    for _ in range(campaigns):
        scores = rng.multivariate_normal(np.zeros(n), covariance)
        found = found_for(scores, samples_of(scores, covariance, rng, draws=200))
        wrong += bool((found.pairs <= 0.05).any())
        alone += bool((np.abs(scores[:, None] - scores) / error > 1.96).any())
    assert wrong / campaigns <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / campaigns)
    assert wrong / campaigns >= 0.02  # nor is it so careful that it never orders any
    assert alone / campaigns > 0.3


def test_boundaries_within_pairs_of_equals_show_in_no_more_campaigns_than_stated() -> None:
    rng = np.random.default_rng(2)
    truth = np.repeat(np.arange(6.0, 0, -1) * 16, 2)
    campaigns, wrong, alone, missed = 500, 0, 0, 0
    for _ in range(campaigns):
        covariance = spread_of(rng, 12)
        scores = rng.multivariate_normal(truth, covariance)
        found = found_for(scores, samples_of(scores, covariance, rng, draws=60)).boundaries
        wrong += bool((found[::2] <= 0.05).any())
        missed += bool((found[1::2] > 0.05).any())
        pairs = [covariance[k, k] + covariance[k + 1, k + 1] - 2 * covariance[k, k + 1] for k in range(0, 12, 2)]
        alone += bool((np.abs(scores[::2] - scores[1::2]) / np.sqrt(pairs) > 1.96).any())
    assert wrong / campaigns <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / campaigns)
    assert alone / campaigns > 0.2
    assert missed / campaigns < 0.2  # those that are there are mostly found


# -- the least and the odd -------------------------------------------------------------------------


def test_two_systems_need_no_adjustment() -> None:
    rng = np.random.default_rng(3)
    scores, covariance = np.array([0.0, 2.2]), np.array([[0.5, 0.1], [0.1, 0.9]])
    samples = samples_of(scores, covariance, rng)
    found = found_for(scores, samples)
    error = np.sqrt(0.5 + 0.9 - 0.2)
    assert found.boundaries == pytest.approx([2 * norm.sf(2.2 / error)])
    difference = samples.scores[:, 1] - samples.scores[:, 0]
    exceeded = (np.abs(difference - difference.mean()) >= 2.2).sum()
    assert found.pairs[1, 0] == pytest.approx((exceeded + 1) / 401)
    assert found.pairs[0, 1] == 1


def test_equal_scores_are_never_ordered() -> None:
    rng = np.random.default_rng(4)
    scores = np.array([1.0, 1.0, -9.0])
    found = found_for(scores, samples_of(scores, np.eye(3) * 0.1, rng))
    assert found.pairs[0, 1] == found.pairs[1, 0] == 1
    assert found.boundaries[0] == 1
    assert found.ranges(0.05).tolist() == [[1, 2], [1, 2], [3, 3]]


def test_a_score_that_never_varied_is_compared_by_the_error_of_the_other() -> None:
    rng = np.random.default_rng(5)
    covariance = np.diag([0.0, 1.0, 0.0])
    scores = np.array([1.5, 0.0, 1.5])
    found = found_for(scores, samples_of(scores, covariance, rng))
    assert np.isfinite(found.pairs).all()
    assert np.isfinite(found.boundaries).all()
    # 1.5 standard errors are not enough; of the two that are level and never varied, none is better.
    assert found.pairs[0, 1] > 0.05
    assert found.pairs[0, 2] == found.pairs[2, 0] == 1
    assert found.boundaries == pytest.approx([1, 2 * 2 * norm.sf(1.5)])


def test_many_draws_are_counted_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    from palmares.ranking import joint as module

    rng = np.random.default_rng(6)
    scores = rng.normal(0, 1.5, SYSTEMS)
    samples = samples_of(scores, spread_of(rng), rng)
    whole = found_for(scores, samples).pairs
    monkeypatch.setattr(module, "_NUMBERS_IN_A_PIECE", 70)
    assert np.array_equal(found_for(scores, samples).pairs, whole)


# -- sign tests ------------------------------------------------------------------------------------

#: Decided comparisons that a won against b, c, and b against c.
WINS = {("a", "b"): (30, 10), ("a", "c"): (35, 5), ("b", "c"): (25, 15)}


@pytest.mark.parametrize("source", ["sign-test", "one-sided-sign-test"])
def test_sign_tests_are_adjusted_by_holm_and_two_sided_in_any_case(source: str) -> None:
    ranking = pm.rank(counted({pair: (won, 0, lost) for pair, (won, lost) in WINS.items()}), resample=source, rng=0)
    raw = {pair: 2 * binom.sf(won - 1, won + lost, 0.5) for pair, (won, lost) in WINS.items()}
    expected = {
        ("a", "c"): 3 * raw["a", "c"],
        ("a", "b"): 2 * raw["a", "b"],
        ("b", "c"): raw["b", "c"],
    }
    assert sorted(raw, key=raw.get) == list(expected)
    assert {(pair.above, pair.below): pair.adjusted for pair in ranking.pairs} == pytest.approx(expected)
    # a is surely better than both; the order of b and c, 25 of 40, is open.
    assert [line.joint_range for line in ranking.lines] == [(1, 1), (2, 3), (2, 3)]
    # Boundaries: a above b and c (the less sure is 30 of 40), and a, b above c (25 of 40); two of them.
    assert [b.p for b in ranking.boundaries] == pytest.approx([2 * raw["a", "b"], raw["b", "c"]])


def test_two_equal_systems_are_ordered_by_one_sided_tests_no_more_often_than_stated() -> None:
    # All outcomes of twelve comparisons of two equal systems, each with its chance.
    wrong = 0.0
    for won in range(13):
        worse = np.array([[1.0, binom.cdf(won, 12, 0.5)], [binom.cdf(12 - won, 12, 0.5), 1.0]])
        found = joint_of_tests(worse, np.array([0, 1] if won >= 6 else [1, 0]))
        assert (found.pairs <= 0.05).any() == (found.boundaries[0] <= 0.05)
        wrong += binom.pmf(won, 12, 0.5) * bool((found.pairs <= 0.05).any())
    assert 0.03 < wrong <= 0.05
