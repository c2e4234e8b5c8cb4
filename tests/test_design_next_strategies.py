"""Strategies that learn: what they know, and what they want asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from palmares.design.next import STRATEGIES, Knowledge
from palmares.design.next.baseline import Baseline
from palmares.design.next.boundaries import OpenBoundaries, claimed_at, open_needs
from palmares.design.next.gains import spreads, told_pair
from palmares.design.next.information import expected_information
from palmares.design.next.knowledge import ranking_stretch
from palmares.errors import InputError
from palmares.judgments import PairCounts
from palmares.models.bradley_terry import BradleyTerry
from palmares.ranking.anytime import claims, critical

THETA = np.array([1.2, 1.0, 0.2, -0.3, -0.9, -1.2])


def counts(theta: np.ndarray = THETA, each: int = 300, nu: float = 0.25, seed: int = 1) -> PairCounts:
    """So many comparisons of every two systems, as Davidson has it."""
    rng, n = np.random.default_rng(seed), len(theta)
    wins, ties = np.zeros((n, n)), np.zeros((n, n))
    for i, j in combinations(range(n), 2):
        r = np.exp((theta[i] - theta[j]) / 2)
        weights = np.array([r, nu, 1 / r])
        wins[i, j], ties[i, j], wins[j, i] = rng.multinomial(each, weights / weights.sum())
    return PairCounts(tuple("abcdef"[:n]), wins, ties + ties.T)


def crossed(knowledge: Knowledge, k: int) -> tuple[set[int], set[int]]:
    order = knowledge.claims.order.tolist()
    return set(order[:k]), set(order[k:])


# -- knowledge -----------------------------------------------------------------------------------------


def test_knowledge_is_the_fit_of_bradley_terry() -> None:
    data = counts()
    fit = BradleyTerry().fit(data)
    knowledge = Knowledge.of(data)
    assert knowledge.gaps == pytest.approx(fit.theta[:, None] - fit.theta, abs=1e-7)
    assert spreads(knowledge.covariance) == pytest.approx(spreads(fit.covariance[:-1, :-1]), rel=1e-5)
    assert knowledge.judged == pytest.approx(np.full(6, 1500.0))
    again = Knowledge.of(data, start=knowledge)
    assert again.mean == pytest.approx(knowledge.mean, abs=1e-8)


def test_the_information_of_a_comparison_is_minus_the_curvature_of_its_log_likelihood() -> None:
    knowledge, h = Knowledge.of(counts()), 1e-4
    nu = np.exp(knowledge.tie)

    def expected(gap: float, at: float) -> float:
        """The expected log likelihood at a difference, if the true one is ``gap``."""
        r, s = np.exp(gap / 2), np.exp(at / 2)
        p, q = (np.array([x, nu, 1 / x]) / (x + nu + 1 / x) for x in (r, s))
        return float(p @ np.log(q))

    for i, j in [(0, 1), (0, 5), (2, 4)]:
        d = knowledge.gaps[i, j]
        curvature = (expected(d, d + h) - 2 * expected(d, d) + expected(d, d - h)) / h**2
        assert knowledge.information[i, j] == pytest.approx(-curvature, rel=1e-4)


def test_a_stretch_widens_errors_and_makes_a_comparison_tell_less() -> None:
    data = counts()
    plain, wide = Knowledge.of(data), Knowledge.of(data, stretch=2.0)
    assert wide.covariance == pytest.approx(4 * plain.covariance)
    assert wide.information == pytest.approx(plain.information / 4)
    assert wide.claims.claimed.sum() < plain.claims.claimed.sum()
    # So one more comparison shrinks either by the same factor.
    before, after = (k.covariance for k in (plain, wide))
    shrunk = [told_pair(c, 0, 3, k.information[0, 3]) for c, k in ((before, plain), (after, wide))]
    assert shrunk[1] == pytest.approx(4 * shrunk[0])


def test_outstanding_comparisons_make_less_unsure_and_claim_nothing() -> None:
    data, outstanding = counts(each=60), np.zeros((6, 6))
    outstanding[0, 1] = outstanding[1, 0] = 2
    knowledge = Knowledge.of(data)
    awaited = Knowledge.of(data, outstanding=outstanding)
    expected = knowledge.covariance
    for _ in range(2):
        expected = told_pair(expected, 0, 1, knowledge.information[0, 1])
    assert awaited.covariance == pytest.approx(expected)
    assert awaited.met[0, 1] == 62
    assert awaited.judged[0] == knowledge.judged[0] + 2
    assert (awaited.claims.claimed == knowledge.claims.claimed).all()


def test_systems_without_any_judgment_are_placed_by_the_prior() -> None:
    knowledge = Knowledge.of(PairCounts(tuple("abc"), np.zeros((3, 3)), np.zeros((3, 3))))
    assert knowledge.mean == pytest.approx(np.zeros(3))
    assert spreads(knowledge.covariance)[0, 1] == pytest.approx(50)  # 2 · 5²
    assert not knowledge.claims.claimed.any()


@pytest.mark.parametrize("size", [2, 3, 5])
def test_the_stretch_of_rankings_is_that_of_random_orders(size: int) -> None:
    """Wins of a system less those of another, by rankings in random order and by as many independent comparisons."""
    rng, rankings = np.random.default_rng(size), 40_000
    places = rng.random((rankings, size)).argsort(axis=1)
    dependent = np.var(places[:, 0] - places[:, 1])
    independent = 1 + (size - 2) / 2
    assert ranking_stretch(size) ** 2 == pytest.approx(dependent / independent, rel=0.03)


# -- what all strategies keep ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5, 6])
@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_a_plan_is_a_distribution_over_screens_of_different_systems(strategy: str, size: int) -> None:
    knowledge = Knowledge.of(counts(each=20))
    choices = STRATEGIES.load(strategy)().choices(knowledge, size, 12, np.random.default_rng(0))
    assert choices.strategy == strategy
    assert choices.systems == knowledge.systems
    assert sum(choices.weights) == pytest.approx(1)
    assert all(len(screen) == size and list(screen) == sorted(set(screen)) for screen in choices.screens)
    assert 12 * np.array(choices.weights) == pytest.approx(np.round(12 * np.array(choices.weights)))
    again = STRATEGIES.load(strategy)().choices(knowledge, size, 12, np.random.default_rng(0))
    assert again == choices


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_two_systems_without_judgments_are_compared(strategy: str) -> None:
    knowledge = Knowledge.of(PairCounts(("a", "b"), np.zeros((2, 2)), np.zeros((2, 2))))
    choices = STRATEGIES.load(strategy)().choices(knowledge, 2, 3, np.random.default_rng(0))
    assert choices.screens == ((0, 1),)


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_a_screen_of_more_systems_than_there_are_has_all_of_them(strategy: str) -> None:
    choices = STRATEGIES.load(strategy)().choices(Knowledge.of(counts(each=20)), 9, 3, np.random.default_rng(0))
    assert choices.screens == (tuple(range(6)),)


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_one_system_stops_nobody(strategy: str) -> None:
    knowledge = Knowledge.of(PairCounts(("a",), np.zeros((1, 1)), np.zeros((1, 1))))
    choices = STRATEGIES.load(strategy)().choices(knowledge, 2, 3, np.random.default_rng(0))
    assert set(choices.screens) <= {(0,)}


@pytest.mark.parametrize("strategy", ["open-boundaries", "information"])
def test_other_names_change_no_choice(strategy: str) -> None:
    """Systems in another order of codes: what draws no random numbers plans the same screens, by name."""
    data, flip = counts(each=40), np.arange(6)[::-1]
    other = PairCounts(tuple("uvwxyz"), data.wins[np.ix_(flip, flip)], data.ties[np.ix_(flip, flip)])
    for size in (2, 4):
        plan, flipped = (
            STRATEGIES.load(strategy)().choices(Knowledge.of(d), size, 4, np.random.default_rng(0))
            for d in (data, other)
        )
        turned = [tuple(sorted(5 - code for code in screen)) for screen in flipped.screens]
        assert dict(zip(plan.screens, plan.weights, strict=True)) == dict(zip(turned, flipped.weights, strict=True))


# -- open boundaries -------------------------------------------------------------------------------------


def test_the_boundary_that_is_cheapest_to_close_is_asked_for() -> None:
    theta = np.array([2.0, 1.9, 1.0, 0.4, -1.5, -1.55])
    knowledge = Knowledge.of(counts(theta, each=150))
    needs = open_needs(knowledge)
    assert {need.above for need in needs} == set(knowledge.claims.open)
    cheapest = min(needs, key=lambda need: need.comparisons)
    above, below = crossed(knowledge, cheapest.above)
    (members, served), *_ = OpenBoundaries().plan(knowledge, 2, 1)
    assert served == cheapest.above
    assert len(above & set(members.tolist())) == 1
    assert len(below & set(members.tolist())) == 1


def test_a_need_is_the_sum_of_what_every_two_systems_across_lack() -> None:
    knowledge = Knowledge.of(counts(each=30))
    variance, m = spreads(knowledge.covariance), knowledge.claims.pairs
    for need in open_needs(knowledge):
        above, below = crossed(knowledge, need.above)
        total, weakest = 0.0, (np.inf, 0.0)
        for i in above:
            for j in below:
                v = variance[i, j]
                d = max(knowledge.gaps[i, j], 0.3 * np.sqrt(v))
                # The information at which d² V passes what is needed at V, by bisection.
                low, high = 1e-6, 1e9
                for _ in range(200):
                    middle = np.sqrt(low * high)
                    low, high = (middle, high) if d * d * middle < critical(middle, m) else (low, middle)
                total += max(low - 1 / v, 0) / knowledge.information[i, j]
                weakest = min(weakest, (knowledge.gaps[i, j] / np.sqrt(v), d * np.sqrt(low)))
        assert need.comparisons == pytest.approx(total, rel=0.01)
        assert (need.z, need.critical) == pytest.approx(weakest, rel=0.01)


@pytest.mark.parametrize("df", [None, 6.0, 40.0])
def test_a_difference_is_claimed_at_the_information_where_it_passes_the_bound(df: float | None) -> None:
    squares = np.array([1e-4, 0.01, 0.3, 2.0, 9.0, 40.0])
    enough = claimed_at(squares, 7, 0.05, df=df)
    assert squares * enough == pytest.approx(critical(enough, 7, 0.05, df=df), rel=0.02 if df else 1e-4)


def test_a_claimed_boundary_is_left_alone() -> None:
    theta = np.array([3.0, 2.9, 0.0, -0.05])
    data = counts(theta, each=400)
    knowledge = Knowledge.of(replace(data, systems=tuple("abcd")))
    assert knowledge.claims.claimed.tolist() == [False, True, False]
    choices = OpenBoundaries().choices(knowledge, 2, 40, np.random.default_rng(0))
    assert set(choices.screens) <= {(0, 1), (2, 3)}


def test_nothing_is_wanted_where_every_boundary_is_claimed() -> None:
    knowledge = Knowledge.of(replace(counts(np.array([2.0, 0.0, -2.0]), each=500), systems=tuple("abc")))
    assert knowledge.claims.claimed.all()
    for size in (2, 3):
        assert OpenBoundaries().choices(knowledge, size, 5, np.random.default_rng(0)).screens == ()


@pytest.mark.parametrize("size", [2, 3])
def test_a_boundary_that_is_nearly_claimed_is_closed_first(size: int) -> None:
    mean, covariance = np.array([2.0, 2.0, 0.0, 0.0]), 0.1 * np.eye(4)
    known = Knowledge.of(PairCounts(tuple("abcd"), np.ones((4, 4)) - np.eye(4), np.zeros((4, 4))))
    knowledge = replace(known, mean=mean, covariance=covariance, claims=claims(mean, covariance))
    (need,) = [need for need in open_needs(knowledge) if need.above == 2]
    assert need.z == pytest.approx(2 / np.sqrt(0.2))
    assert need.z < need.critical
    for members, first in OpenBoundaries().plan(knowledge, size, 6):
        assert first == 2
        assert len(members) == size


def test_what_is_under_way_counts_so_that_judges_do_not_all_do_the_same() -> None:
    knowledge = Knowledge.of(counts(np.array([0.6, 0.5, 0.0, -0.5, -0.55]), each=60))
    (first, above), *_ = OpenBoundaries().plan(knowledge, 2, 1)
    (need,) = [need for need in open_needs(knowledge) if need.above == above]
    outstanding = np.zeros((5, 5))
    x, y = first
    outstanding[x, y] = outstanding[y, x] = 3 * need.comparisons
    (second, other), *_ = OpenBoundaries().plan(knowledge.awaiting(outstanding), 2, 1)
    assert (set(second.tolist()), other) != (set(first.tolist()), above)


def test_a_long_plan_goes_on_to_other_boundaries() -> None:
    knowledge = Knowledge.of(counts(np.array([0.6, 0.35, 0.0, -0.3, -0.6]), each=120))
    needs = open_needs(knowledge)
    assert len(needs) > 1
    number = int(2 * min(need.comparisons for need in needs)) + 40
    assert len({above for _, above in OpenBoundaries().plan(knowledge, 2, number)}) > 1


def claimed(strategy: str, size: int, judgments: int, seed: int) -> int:
    """Boundaries claimed, added up over looks every 200 judgments, of eight systems at equal distances.

    A tenth is uniform. Rankings are Plackett and Luce's, whose pairs are Bradley and Terry's.
    """
    theta, rng, screens = np.linspace(0.9, -0.9, 8), np.random.default_rng(seed), 400 // (size * (size - 1))
    chooses, uniform = STRATEGIES.load(strategy)(), STRATEGIES.load("uniform")()
    data = PairCounts(tuple("abcdefgh"), np.zeros((8, 8)), np.zeros((8, 8)))
    knowledge, total = None, 0
    for _ in range(judgments // 200):
        knowledge = Knowledge.of(data, start=knowledge, stretch=ranking_stretch(size))
        total += int(knowledge.claims.claimed.sum())
        choices = chooses.choices(knowledge, size, screens, rng)
        choices = choices if choices.screens else uniform.choices(knowledge, size, screens, rng)
        by_chance = uniform.choices(knowledge, size, screens, rng).screens
        for place in rng.choice(len(choices.screens), screens, p=choices.weights):
            shown = by_chance[rng.integers(len(by_chance))] if rng.random() < 0.1 else choices.screens[place]
            members = np.array(shown)
            ranked = members[np.argsort(-theta[members] - rng.gumbel(size=size))]
            for better, worse in combinations(ranked, 2):
                data.wins[better, worse] += 1
    return total


@pytest.mark.parametrize(("size", "judgments"), [(2, 3000), (5, 8000)])
def test_open_boundaries_are_claimed_sooner_than_by_uniform_choice(size: int, judgments: int) -> None:
    active, uniform = (
        [claimed(strategy, size, judgments, seed) for seed in range(4)] for strategy in ("open-boundaries", "uniform")
    )
    assert sum(active) > 1.3 * sum(uniform) > 0


# -- information -----------------------------------------------------------------------------------------


def test_expected_information_is_what_simulated_outcomes_tell() -> None:
    knowledge = Knowledge.of(counts(each=3))
    gains = expected_information(knowledge, knowledge.covariance)
    rng, nu = np.random.default_rng(7), np.exp(knowledge.tie)
    theta = rng.multivariate_normal(knowledge.mean, knowledge.covariance, 200_000)
    for i, j in [(0, 1), (0, 5), (2, 3)]:
        r = np.exp((theta[:, i] - theta[:, j]) / 2)
        p = np.stack([r, np.full_like(r, nu), 1 / r]) / (r + nu + 1 / r)
        marginal = p.mean(axis=1)
        expected = (p * np.log(p / marginal[:, None])).sum(axis=0).mean()
        assert gains[i, j] == pytest.approx(expected, rel=0.02)
    assert gains == pytest.approx(gains.T)
    assert np.diag(gains) == pytest.approx(np.zeros(6))


def test_a_batch_of_information_links_all_systems() -> None:
    knowledge = Knowledge.of(counts(each=30))
    choices = STRATEGIES.load("information")().choices(knowledge, 2, 5, np.random.default_rng(0))
    linked = {0}
    for _ in range(6):
        linked |= {s for screen in choices.screens for s in screen if linked & set(screen)}
    assert linked == set(range(6))


# -- S14's, match quality, baseline ----------------------------------------------------------------------


def test_s14_takes_the_least_known_and_opponents_by_distance() -> None:
    data = counts(each=50)
    wins, ties = data.wins.copy(), data.ties.copy()
    wins[2], wins[:, 2], ties[2], ties[:, 2] = wins[2] / 10, wins[:, 2] / 10, ties[2] / 10, ties[:, 2] / 10
    knowledge = Knowledge.of(PairCounts(data.systems, wins, ties))
    rng, met = np.random.default_rng(3), Counter()
    for _ in range(3000):
        (screen,) = STRATEGIES.load("s14")().choices(knowledge, 2, 1, rng).screens
        assert 2 in screen
        met[sum(screen) - 2] += 1
    weight = np.exp(-np.abs(knowledge.gaps[2]))
    weight[2] = 0
    for other in (0, 1, 3, 4, 5):
        share = weight[other] / weight.sum()
        assert met[other] / 3000 == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 3000))


def test_match_quality_by_hand() -> None:
    knowledge = Knowledge.of(counts(each=50))
    variance = np.array([0.1, 0.2, 0.3, 0.1, 0.1, 0.1])
    logs = STRATEGIES.load("match-quality")().logs(knowledge, variance, 0)
    c2 = 1.702**2 + 0.1 + 0.3
    expected = np.sqrt(1.702**2 / c2) * np.exp(-(knowledge.gaps[0, 2] ** 2) / (2 * c2))
    assert np.exp(logs[2]) == pytest.approx(expected)


def test_the_baseline_is_on_every_screen_and_meets_all_alike() -> None:
    knowledge = Knowledge.of(counts(each=50))
    choices = Baseline("c").choices(knowledge, 3, 10, np.random.default_rng(0))
    assert all(2 in screen for screen in choices.screens)
    met: Counter[int] = Counter()
    for screen, weight in zip(choices.screens, choices.weights, strict=True):
        met.update(screen * round(10 * weight))
    assert met == {2: 10, 0: 4, 1: 4, 3: 4, 4: 4, 5: 4}
    nearest = int(np.abs(knowledge.mean - knowledge.mean.mean()).argmin())
    plan = Baseline().choices(knowledge, 2, 10, np.random.default_rng(0))
    assert dict(zip(plan.screens, plan.weights, strict=True)) == pytest.approx(
        {tuple(sorted((nearest, other))): 0.2 for other in range(6) if other != nearest}
    )
    with pytest.raises(InputError, match="there is no system 'z'; there are: a, b, c"):
        Baseline("z").choices(knowledge, 2, 1, np.random.default_rng(0))
