"""How many orders are optimal, and the one that is shown, against all permutations."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial

import numpy as np
import pytest
from builders import counted, pair_counts

from palmares import rank
from palmares.models import orders
from palmares.models.orders import Lopez, MostProbableRanking
from palmares.report.tables import Grouped, rendered


def contradicted(wins: np.ndarray) -> np.ndarray:
    """``[j, k]``: what Lopez's order pays for j before k, max(0, win(k, j) − win(j, k))."""
    return np.maximum(0.0, wins.T - wins)


def improbable(wins: np.ndarray) -> np.ndarray:
    """``[j, k]``: minus the log probability that j beats k, (win + ½) / (win + loss + 1)."""
    return -np.log((wins + 0.5) / (wins + wins.T + 1))


def optimal_by_trying_all(cost: np.ndarray) -> np.ndarray:
    """Every permutation of least cost, one a row."""
    tried = np.array(list(permutations(range(len(cost)))))
    paid = sum(cost[tried[:, i], tried[:, j]] for i, j in combinations(range(len(cost)), 2))
    return tried[paid <= paid.min() + 1e-9]


MODELS = pytest.mark.parametrize(
    ("model", "cost"),
    [(Lopez(), contradicted), (MostProbableRanking(), improbable)],
    ids=["lopez", "most-probable-ranking"],
)


@MODELS
@pytest.mark.parametrize("systems", [2, 3, 4, 5, 6, 7])
def test_the_order_shown_is_optimal_and_all_optimal_orders_are_counted(
    model: object, cost: object, systems: int
) -> None:
    rng = np.random.default_rng(systems)
    for _ in range(20):
        wins = rng.integers(0, 4, (systems, systems)) * ~np.eye(systems, dtype=bool)
        optimal = optimal_by_trying_all(cost(wins))
        fit = model.fit(pair_counts(wins))
        assert fit.optimal == len(optimal)
        assert fit.counted
        assert fit.order.tolist() in optimal.tolist()
        assert fit.scores == pytest.approx(-1 - np.argsort(optimal, axis=1).mean(axis=0))


def test_the_printed_order_is_optimal_where_the_order_of_mean_places_is_not() -> None:
    rng = np.random.default_rng(1)
    misleading = 0
    for _ in range(60):
        wins = rng.integers(0, 3, (6, 6)) * ~np.eye(6, dtype=bool)
        counts = pair_counts(wins)
        optimal = [[counts.systems[i] for i in order] for order in optimal_by_trying_all(contradicted(wins))]
        ranking = rank(counts, model="lopez", resample=None)
        assert list(ranking.systems) in optimal
        by_score = sorted(ranking.lines, key=lambda line: (-line.score, line.system))
        misleading += [line.system for line in by_score] not in optimal
        said = any(note.startswith(f"{len(optimal)} orders are optimal; one is shown") for note in ranking.notes)
        assert said == (len(optimal) > 1)
    assert misleading >= 3  # tables on which sorting by the mean places shows an order that is not optimal


def test_a_lead_below_zero_is_explained() -> None:
    rng = np.random.default_rng(1)
    below = []
    for _ in range(20):
        wins = rng.integers(0, 3, (6, 6)) * ~np.eye(6, dtype=bool)
        ranking = rank(pair_counts(wins), model="lopez", resample="pair", resamples=40, rng=0)
        text = rendered("rank", [Grouped(ranking)], "table", "pairs").text
        scores = [line.score for line in ranking.lines]
        below.append(sorted(scores, reverse=True) != scores)
        assert ("A lead below 0: the order is one of several that are optimal" in text) == below[-1]
    assert {*below} == {True, False}


def test_a_circle_of_three_has_three_optimal_orders_and_the_first_by_name_is_shown() -> None:
    # a beat b, b beat c, c beat a, each twice: abc, bca and cab contradict one of them, the other three orders two.
    ranking = rank(counted({("a", "b"): (2, 0, 0), ("b", "c"): (2, 0, 0), ("a", "c"): (0, 0, 2)}), model="lopez")
    assert ranking.fit.optimal == 3
    assert ranking.systems == ("a", "b", "c")
    assert [line.rank for line in ranking.lines] == [1, 1, 1]
    assert [line.score for line in ranking.lines] == [-2, -2, -2]


def test_orders_of_independent_groups_multiply() -> None:
    # Two level systems above a circle of three above two level ones: 2 · 3 · 2 orders.
    wins = np.zeros((7, 7))
    wins[:2, 2:] = wins[2:5, 5:] = 5
    wins[[0, 1, 5, 6], [1, 0, 6, 5]] = 1
    wins[[2, 3, 4], [3, 4, 2]] = 3
    assert Lopez().fit(pair_counts(wins)).optimal == len(optimal_by_trying_all(contradicted(wins))) == 12


def test_the_count_is_exact_for_twenty_level_systems() -> None:
    wins = 1 - np.eye(20)
    fit = Lopez().fit(pair_counts(wins))
    assert fit.optimal == factorial(20)
    assert fit.notes[0].startswith("2,432,902,008,176,640,000 orders are optimal; one is shown")


def test_one_optimal_order_is_shown_without_a_word() -> None:
    fit = Lopez().fit(pair_counts(np.triu(np.ones((5, 5)), 1)))
    assert (fit.optimal, fit.notes, fit.order.tolist()) == (1, (), [0, 1, 2, 3, 4])


# -- groups too large for dynamic programming ------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_orders_beside_that_of_the_integer_program_are_optimal_too(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    wins = np.random.default_rng(seed).integers(0, 3, (6, 6)) * ~np.eye(6, dtype=bool)
    every = Lopez().fit(pair_counts(wins))
    optimal = optimal_by_trying_all(contradicted(wins)).tolist()
    monkeypatch.setattr(orders, "EXACT_BY_SUBSETS", 2)
    found = Lopez().fit(pair_counts(wins))
    assert found.order.tolist() in optimal
    assert 1 <= found.optimal <= len(optimal) == every.optimal
    assert found.counted == all(len(group) <= 2 for group in orders.groups(wins - wins.T))


def test_what_the_integer_program_did_not_count_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "EXACT_BY_SUBSETS", 2)
    circle = pair_counts([[0, 2, 0], [0, 0, 2], [2, 0, 0]])
    fit = Lopez().fit(circle)
    # From any of the three orders, moving the first system to the end gives another.
    assert fit.notes == (
        "3 systems beat each other in cycles: one optimal order, by integer programming; at least 3 orders are optimal",
    )
    monkeypatch.setattr(orders, "MOST_FOUND", 2)
    assert Lopez().fit(circle).optimal == 2
    alone = pair_counts([[0, 3, 0], [0, 0, 2], [1, 0, 0]])
    assert Lopez().fit(alone).notes[0].endswith("there may be others")
