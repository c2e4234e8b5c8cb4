"""Scores that rank directly, against arithmetic by hand, brute force and exact enumeration."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise, permutations
from math import factorial

import numpy as np
import pytest
from builders import counted, pair_counts

from palmares import rank
from palmares.judgments.counts import PairCounts
from palmares.kernels.linear_order import optimal_orders
from palmares.models import orders
from palmares.models.orders import Lopez, MostProbableRanking, groups, optimum
from palmares.models.playoffs import MonteCarloPlayoffs, order_by_content
from palmares.models.ratios import Bojar, ExpectedWins, OrigWmt

# a beat b 3 times, tied once, lost once; a met c: 1 won, 2 tied, 1 lost; b met c: only ties and one loss.
THREE = counted({("a", "b"): (3, 1, 1), ("a", "c"): (1, 2, 1), ("b", "c"): (0, 2, 1)})


def scores(model: object, data: object) -> dict[str, float]:
    fit = model.fit(data, rng=0)
    return dict(zip(fit.systems, fit.scores.tolist(), strict=True))


# -- ratios by hand --------------------------------------------------------------------------------


def test_orig_wmt_by_hand() -> None:
    # a: 4 won, 3 tied, 2 lost; b: 1 + 0 won, 1 + 2 tied, 3 + 1 lost; c: 1 + 1 won, 2 + 2 tied, 1 + 0 lost.
    assert scores(OrigWmt(), THREE) == pytest.approx({"a": 7 / 9, "b": 4 / 8, "c": 6 / 7})


def test_bojar_by_hand() -> None:
    # Without ties: a 4 of 6, b 1 of 5, c 2 of 3.
    assert scores(Bojar(), THREE) == pytest.approx({"a": 4 / 6, "b": 1 / 5, "c": 2 / 3})


def test_expected_wins_by_hand() -> None:
    # a: 3/4 against b, 1/2 against c; b: 1/4 and 0/1; c: 1/2 and 1/1.
    assert scores(ExpectedWins(), THREE) == pytest.approx({"a": 5 / 8, "b": 1 / 8, "c": 3 / 4})


# a and c never met, b and d only tied: each has two opponents that count, of three.
SPARSE = counted(
    {("a", "b"): (3, 0, 1), ("b", "c"): (1, 0, 1), ("c", "d"): (4, 0, 1), ("a", "d"): (1, 0, 1), ("b", "d"): (0, 5, 0)}
)


def test_expected_wins_leaves_out_opponents_without_a_decision() -> None:
    assert scores(ExpectedWins(), SPARSE) == pytest.approx(
        {
            "a": (3 / 4 + 1 / 2) / 2,
            "b": (1 / 4 + 1 / 2) / 2,
            "c": (1 / 2 + 4 / 5) / 2,
            "d": (1 / 2 + 1 / 5) / 2,
        }
    )


def test_expected_wins_as_published_divides_by_all_opponents() -> None:
    assert scores(ExpectedWins(published=True), SPARSE) == pytest.approx(
        {
            "a": (3 / 4 + 1 / 2) / 3,
            "b": (1 / 4 + 1 / 2) / 3,
            "c": (1 / 2 + 4 / 5) / 3,
            "d": (1 / 2 + 1 / 5) / 3,
        }
    )


def test_published_changes_nothing_where_all_pairs_are_decided() -> None:
    assert scores(ExpectedWins(published=True), THREE) == scores(ExpectedWins(), THREE)


@pytest.mark.parametrize("model", [ExpectedWins(), Bojar(), OrigWmt()], ids=lambda m: m.id)
def test_a_system_absent_from_a_bootstrap_sample_scores_a_half(model: object) -> None:
    wins = np.array([[[0.0, 3, 0], [1, 0, 0], [0, 0, 0]]])
    batch = PairCounts(("a", "b", "absent"), wins, np.zeros_like(wins))
    assert model.score(batch, [np.random.default_rng(0)])[0] == pytest.approx([0.75, 0.25, 0.5])


def test_a_batch_is_scored_member_by_member() -> None:
    rng = np.random.default_rng(0)
    wins = rng.integers(0, 5, (4, 6, 6)).astype(float) * ~np.eye(6, dtype=bool)
    batch = PairCounts(tuple("abcdef"), wins, np.zeros_like(wins))
    for model in (ExpectedWins(), Bojar(), OrigWmt(), Lopez(), MostProbableRanking()):
        together = model.score(batch, [rng] * 4)
        for k in range(4):
            alone = PairCounts(batch.systems, wins[k : k + 1], batch.ties[k : k + 1])
            assert np.array_equal(together[k], model.score(alone, [rng])[0])


# -- orders against brute force --------------------------------------------------------------------


def lopez_cost(wins: np.ndarray, order: tuple[int, ...]) -> float:
    """METHODS §2, literally: over pairs ranked j before k, max(0, win(k, j) − win(j, k))."""
    return sum(max(0.0, wins[k, j] - wins[j, k]) for j, k in combinations(order, 2))


def minus_log_probability(wins: np.ndarray, order: tuple[int, ...]) -> float:
    """METHODS §2, literally: minus the sum over pairs ranked j before k of log p(j beats k)."""
    return -sum(np.log((wins[j, k] + 0.5) / (wins[j, k] + wins[k, j] + 1)) for j, k in combinations(order, 2))


def mean_place_of_all_optimal_orders(cost: object, wins: np.ndarray) -> tuple[np.ndarray, int]:
    found = {order: cost(wins, order) for order in permutations(range(len(wins)))}
    best = [order for order, value in found.items() if value <= min(found.values()) + 1e-9]
    return np.mean([np.argsort(order) + 1 for order in best], axis=0), len(best)


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 6])
@pytest.mark.parametrize(
    ("model", "cost"),
    [(Lopez(), lopez_cost), (MostProbableRanking(), minus_log_probability)],
    ids=lambda m: getattr(m, "id", ""),
)
def test_the_score_is_minus_the_mean_place_over_all_optimal_orders(model: object, cost: object, systems: int) -> None:
    rng = np.random.default_rng(systems)
    several = 0
    for _ in range(4 if systems == 6 else 15):
        wins = rng.integers(0, 4, (systems, systems)).astype(float) * ~np.eye(systems, dtype=bool)
        expected, optimal = mean_place_of_all_optimal_orders(cost, wins)
        found = model.score(PairCounts(tuple("abcdef"[:systems]), wins[None], 0 * wins[None]), [rng])[0]
        assert found == pytest.approx(-expected, abs=1e-9)
        several += optimal > 1
    assert several > 0  # ties between optimal orders did occur


def test_all_orders_are_optimal_where_nothing_speaks_against_any() -> None:
    ranking = rank(counted(dict.fromkeys(combinations("abcdefg", 2), (2, 0, 2))), model="lopez", resample=None)
    assert [line.score for line in ranking.lines] == pytest.approx([-4] * 7)
    assert {line.rank for line in ranking.lines} == {1}


def test_places_that_are_equal_but_for_rounding_share_a_rank() -> None:
    rng = np.random.default_rng(0)
    model = Lopez()
    for _ in range(100):
        margins = np.triu(rng.integers(-1, 2, (7, 7)), 1)
        wins = np.where(margins > 0, margins, 0) + np.where(margins < 0, -margins, 0).T + 1.0
        ranking = rank(pair_counts(wins * ~np.eye(7, dtype=bool)), model=model, resample=None, rng=0)
        for place, (one, other) in enumerate(pairwise(ranking.lines), 2):
            level = abs(one.score - other.score) < 1e-9
            assert other.rank == (one.rank if level else place)


# -- what the orders lack: examples found by search, checked by brute force ------------------------


def test_one_more_win_can_lower_a_system_in_lopez() -> None:
    margins = np.array(
        [
            [0, 1, 0, -2, 1, 2, 1],
            [-1, 0, 1, 0, 2, -2, 2],
            [0, -1, 0, 0, 0, 2, 1],
            [2, 0, 0, 0, 2, -1, -2],
            [-1, -2, 0, -2, 0, 2, 0],
            [-2, 2, -2, 1, -2, 0, 2],
            [-1, -2, -1, 2, 0, -2, 0],
        ]
    )
    wins = np.maximum(margins, 0.0)
    more = wins.copy()
    more[1, 3] += 1
    for table, place in ((wins, 3.5), (more, 4.0)):
        assert mean_place_of_all_optimal_orders(lopez_cost, table)[0][1] == pytest.approx(place)
        assert Lopez().fit(pair_counts(table)).scores[1] == pytest.approx(-place)


def test_doubled_judgments_can_change_the_most_probable_ranking() -> None:
    wins = np.array([[0, 3, 3, 2, 0], [0, 0, 1, 2, 3], [3, 0, 0, 3, 3], [2, 3, 0, 0, 0], [2, 1, 1, 2, 0]], dtype=float)
    orders_found = []
    for table in (wins, 2 * wins):
        expected, _ = mean_place_of_all_optimal_orders(minus_log_probability, table)
        found = MostProbableRanking().fit(pair_counts(table)).scores
        assert found == pytest.approx(-expected)
        orders_found.append(np.argsort(-found).tolist())
    assert orders_found[0] != orders_found[1]


def test_groups_are_the_cycles_in_the_order_in_which_they_beat_each_other() -> None:
    # 4 beats all; 0 > 1 > 2 > 0 is a cycle; 3 and 5 are level; both lose to the cycle.
    margins = np.zeros((6, 6))
    wins = [(4, x) for x in (0, 1, 2, 3, 5)] + [(0, 1), (1, 2), (2, 0)] + [(c, x) for c in (0, 1, 2) for x in (3, 5)]
    for i, j in wins:
        margins[i, j], margins[j, i] = 1, -1
    assert [group.tolist() for group in groups(margins)] == [[4], [0, 1, 2], [3, 5]]
    assert optimum(margins).places.tolist() == [2, 2, 2, 4.5, 0, 4.5]


def test_groups_of_a_chain_are_single_systems() -> None:
    order = [3, 0, 4, 1, 2]
    margins = np.zeros((5, 5))
    for i, j in combinations(order, 2):
        margins[i, j], margins[j, i] = 2, -2
    assert [group.tolist() for group in groups(margins)] == [[i] for i in order]


def cyclic(systems: int, seed: int) -> np.ndarray:
    """Random margins that form one cycle through all systems, so that nothing decomposes."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-9, 10, (systems, systems)), 1)
    margins = (upper - upper.T).astype(float)
    for i in range(systems):
        j = (i + 1) % systems
        margins[i, j], margins[j, i] = 10, -10
    return margins


def order_cost(margins: np.ndarray, places: np.ndarray) -> float:
    before = places[:, None] < places
    return float(np.maximum(0, -margins)[before].sum())


@pytest.mark.parametrize("systems", [12, 13, 15])
def test_the_integer_program_finds_the_cost_of_dynamic_programming(
    monkeypatch: pytest.MonkeyPatch, systems: int
) -> None:
    margins = cyclic(systems, seed=systems)
    assert len(groups(margins)) == 1
    least = optimal_orders(np.maximum(0, -margins), 1e-9)[0]
    monkeypatch.setattr(orders, "EXACT_BY_SUBSETS", 3)
    found = optimum(margins)
    assert found.proven
    assert sorted(found.places) == list(range(systems))
    assert order_cost(margins, found.places) == pytest.approx(least)
    assert np.argsort(found.places).tolist() == found.order.tolist()


def test_a_large_cycle_is_solved_and_its_note_says_how() -> None:
    margins = cyclic(26, seed=1)
    counts = pair_counts(np.maximum(margins, 0))
    fit = Lopez().fit(counts)
    assert fit.notes[0].startswith("26 systems beat each other in cycles: one optimal order, by integer programming")
    assert sorted(-fit.scores) == list(range(1, 27))


def test_a_heuristic_order_says_that_it_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "SECONDS", 1e-9)
    fit = Lopez().fit(pair_counts(np.maximum(cyclic(26, seed=1), 0)))
    assert "not proven optimal" in fit.notes[0]
    assert sorted(-fit.scores) == list(range(1, 27))


def test_small_data_needs_no_note() -> None:
    assert Lopez().fit(pair_counts(np.maximum(cyclic(9, seed=1), 0))).notes == ()


# -- playoffs against exact enumeration ------------------------------------------------------------


def matchings(players: tuple[int, ...]) -> list[list[tuple[int, int]]]:
    """All ways to pair an even number of players."""
    if not players:
        return [[]]
    first, *rest = players
    return [
        [(first, other), *others]
        for other in rest
        for others in matchings(tuple(p for p in rest if p != other))
    ]  # fmt: skip


def exact_mean_places(beats: np.ndarray) -> np.ndarray:
    """Expected places: all sets of byes, all pairings of every round, all results.

    A uniformly random bracket pairs the survivors of a round uniformly at random again in the next one.
    """
    n = len(beats)
    bracket = 1 << (n - 1).bit_length()

    @cache
    def rest(players: tuple[int, ...]) -> tuple[float, ...]:
        if len(players) == 1:
            return tuple(1.0 if i in players else 0.0 for i in range(n))
        byes = bracket - n if len(players) == n else 0
        places, ways = np.zeros(n), 0
        for idle in combinations(players, byes):
            for games in matchings(tuple(p for p in players if p not in idle)):
                ways += 1
                shared = (len(players) + len(players) - len(games) + 1) / 2
                for losers in range(1 << len(games)):
                    lost = [g[losers >> k & 1] for k, g in enumerate(games)]
                    won = [g[1 - (losers >> k & 1)] for k, g in enumerate(games)]
                    chance = np.prod([beats[w, x] for w, x in zip(won, lost, strict=True)])
                    following = np.array(rest(tuple(sorted((*idle, *won)))))
                    following[lost] = shared
                    places += chance * following
        return tuple(places / ways)

    return np.array(rest(tuple(range(n))))


def test_the_enumeration_by_hand_for_two_and_for_three_level_players() -> None:
    assert exact_mean_places(np.array([[0, 0.8], [0.2, 0]])) == pytest.approx([0.8 * 1 + 0.2 * 2, 1.8])
    # Two of three meet (loser third), the winner meets the one with the bye (loser second): level, so all 2.
    assert exact_mean_places(np.full((3, 3), 0.5)) == pytest.approx([2, 2, 2])


def test_the_enumeration_by_hand_for_four_players() -> None:
    # Player 0 always wins, the others are level: it is first, they are second with 1/3, else share 3.5.
    beats = np.full((4, 4), 0.5)
    beats[0], beats[:, 0] = 1.0, 0.0
    assert exact_mean_places(beats) == pytest.approx([1, *[(2 + 3.5 + 3.5) / 3] * 3])
    assert len(matchings((0, 1, 2, 3))) == 3


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 6])
def test_playoffs_agree_with_exact_enumeration(systems: int) -> None:
    rng = np.random.default_rng(systems)
    wins = rng.integers(0, 12, (systems, systems)) * ~np.eye(systems, dtype=bool)
    counts = pair_counts(wins)
    expected = exact_mean_places((wins + 0.5) / (wins + wins.T + 1))
    tournaments = 200_000
    found = -MonteCarloPlayoffs(tournaments).fit(counts, rng=1).scores
    # A place lies within [1, n], so its standard deviation is at most (n − 1) / 2.
    assert np.abs(found - expected).max() < 5 * (systems - 1) / 2 / np.sqrt(tournaments)
    assert found.sum() == pytest.approx(systems * (systems + 1) / 2)


def test_those_with_a_bye_do_not_always_meet_each_other() -> None:
    # Two players beat all four others and are level: they share the places 1 and 2, or 1 and 3.5 if they meet in
    # the semifinal, or 1 and 5.5 in the first round. Pairing byes with byes would give 0.033 more.
    wins = np.zeros((6, 6))
    wins[:2, 2:] = 10_000
    wins[0, 1] = wins[1, 0] = 1
    wins[2:, 2:] = 1 - np.eye(4)
    found = -MonteCarloPlayoffs(500_000).fit(pair_counts(wins), rng=1).scores
    # First round: both play (6/15) and meet (1/3). Otherwise (13/15) they meet in the semifinal with chance 1/3.
    first, semifinal = 2 / 15, 13 / 15 / 3
    expected = (1 + 5.5 * first + 3.5 * semifinal + 2 * (1 - first - semifinal)) / 2
    assert found[:2] == pytest.approx([expected] * 2, abs=0.01)


@pytest.mark.parametrize(
    ("systems", "places"),
    [
        # 3 players: one bye; losers are third and second.
        (3, {1.0, 2.0, 3.0}),
        # 5 players: three byes; the one match costs place 5, the next round shares 3.5, the final 2.
        (5, {1.0, 2.0, 3.5, 5.0}),
        # 6 players: two byes; two losers share 5.5.
        (6, {1.0, 2.0, 3.5, 5.5}),
    ],
)
def test_byes_leave_a_power_of_two(systems: int, places: set[float]) -> None:
    wins = np.ones((systems, systems)) - np.eye(systems)
    beats = (wins + 0.5) / 2
    from palmares.kernels.playoffs import mean_finishing_places

    rng = np.random.default_rng(0)
    seen = {place for _ in range(200) for place in mean_finishing_places(beats, 1, rng).tolist()}
    assert seen == places


def test_alike_systems_are_recognised_and_others_are_not() -> None:
    cycle = np.array([[0.5, 0.9, 0.1, 0.6], [0.1, 0.5, 0.9, 0.6], [0.9, 0.1, 0.5, 0.6], [0.4, 0.4, 0.4, 0.5]])
    order, alike = order_by_content(cycle)
    assert sorted(order) == [0, 1, 2, 3]
    assert alike[0] == alike[1] == alike[2] != alike[3]
    rng = np.random.default_rng(0)
    order, alike = order_by_content(rng.random((6, 6)))
    assert len(set(alike)) == 6


def test_the_order_by_content_gives_the_same_matrix_whatever_the_names() -> None:
    rng = np.random.default_rng(1)
    # Crossed twins: only swapping both pairs at once is a symmetry.
    beats = np.array([[0.5, 0.5, 0.9, 0.6], [0.5, 0.5, 0.6, 0.9], [0.1, 0.4, 0.5, 0.5], [0.4, 0.1, 0.5, 0.5]])
    order, _ = order_by_content(beats)
    for _ in range(factorial(4)):
        names = rng.permutation(4)
        renamed = beats[np.ix_(names, names)]
        again, _ = order_by_content(renamed)
        assert np.array_equal(renamed[np.ix_(again, again)], beats[np.ix_(order, order)])
