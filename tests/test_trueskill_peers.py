"""TrueSkill's updates against high-precision arithmetic and against the package of that name."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
import trueskill as peer
from builders import judged, random_rows
from mpmath import mp
from scipy.special import ndtr
from scipy.stats import truncnorm

from palmares.judgments import Judgments
from palmares.kernels.normal import tie_moments, win_moments
from palmares.models.trueskill import TrueSkill
from palmares.models.trueskill_rows import chains_of

MARGINS = [1e-12, 1e-6, 9e-4, 1e-3, 0.01, 0.1, 0.11, 0.32, 1.0, 3.0, 10.0]
DISTANCES = [0.0, 1e-9, 0.01, 0.999, 1.0, 2.0, 4.99, 5.01, 9.9, 11.0, 20.0, 40.0]


# -- v and w ---------------------------------------------------------------------------------------


def exact(x: float) -> tuple[mp.mpf, mp.mpf]:
    """Density and distribution function of the standard normal."""
    x = mp.mpf(x)
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi), mp.erfc(-x / mp.sqrt(2)) / 2


def exact_win(t: float, margin: float) -> tuple[mp.mpf, mp.mpf]:
    x = mp.mpf(t) - mp.mpf(margin)
    density, below = exact(x)
    v = density / below
    return v, v * (v + x)


def exact_tie(t: float, margin: float) -> tuple[mp.mpf, mp.mpf]:
    low, high = -mp.mpf(margin) - mp.mpf(t), mp.mpf(margin) - mp.mpf(t)
    (at_low, below_low), (at_high, below_high) = exact(low), exact(high)
    inside = below_high - below_low
    v = (at_low - at_high) / inside
    return v, v * v + (high * at_high - low * at_low) / inside


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize(("ours", "formula"), [(win_moments, exact_win), (tie_moments, exact_tie)], ids=["win", "tie"])
def test_corrections_equal_the_formula_in_high_precision_out_to_40_deviations(ours, formula, margin: float) -> None:
    with mp.workdps(800):  # at 40 deviations the differences cancel 350 digits
        for t in [*DISTANCES, *(-d for d in DISTANCES)]:
            v, w = ours(t, margin)
            expected_v, expected_w = (float(x) for x in formula(t, margin))
            assert v == pytest.approx(expected_v, rel=1e-12, abs=1e-12), (t, margin)
            assert w == pytest.approx(expected_w, abs=2e-12), (t, margin)


@pytest.mark.parametrize("t", [-1.5, 0.0, 0.3, 2.5])
def test_corrections_are_the_moments_of_truncated_normals(t: float) -> None:
    v, w = win_moments(t, 0.4)
    mean, variance = truncnorm.stats(0.4 - t, np.inf)
    assert (v, 1 - w) == pytest.approx((mean, variance), abs=1e-9)
    v, w = tie_moments(t, 0.4)
    mean, variance = truncnorm.stats(-0.4 - t, 0.4 - t)
    assert (v, 1 - w) == pytest.approx((mean, variance), abs=1e-9)


@pytest.mark.parametrize("t", [-1e6, -300.0, -40.0, 40.0, 300.0, 1e6])
def test_nothing_is_infinite_however_far_out(t: float) -> None:
    for moments in (win_moments, tie_moments):
        for margin in (1e-9, 0.3, 5.0):
            v, w = moments(t, margin)
            assert np.isfinite([v, w]).all()
            assert -1e-9 <= w <= 1 + 1e-9 or abs(t) > 40  # further out w loses its digits, but stays finite


# -- against the package ---------------------------------------------------------------------------

SCALES = [TrueSkill(), TrueSkill(preset="paper"), TrueSkill(beta=0.3, margin=0.1), TrueSkill(sigma=3, beta=1.0)]
scales = pytest.mark.parametrize("model", SCALES, ids=["program", "paper", "set", "wide"])


def peer_environment(model: TrueSkill, judgments: int) -> peer.TrueSkill:
    beta, margin = model.scale(judgments)
    draw = 2 * ndtr(margin / (np.sqrt(2) * beta)) - 1
    return peer.TrueSkill(mu=0, sigma=model.sigma, beta=beta, tau=0, draw_probability=draw, backend="scipy")


def peer_pass(environment: peer.TrueSkill, systems: tuple[str, ...], games: list[dict[str, int]]) -> np.ndarray:
    """Means and deviations after games, each a place for every system that took part."""
    rating = {name: environment.create_rating() for name in systems}
    for game in games:
        rated = environment.rate([(rating[name],) for name in game], ranks=list(game.values()), min_delta=1e-13)
        rating.update({name: r for name, (r,) in zip(game, rated, strict=True)})
    return np.array([[rating[name].mu, rating[name].sigma] for name in systems]).T


@scales
def test_a_sequence_of_wins_and_draws_gives_what_the_package_gives(model: TrueSkill) -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(1), rankings=30))
    rows = judgments.to_rows().select("system_a", "system_b", "outcome").rows()
    games = [{a: int(o < 0), b: int(o > 0)} for a, b, o in rows]
    fit = replace(model, mode="sequence").fit(judgments)
    expected = peer_pass(peer_environment(model, len(judgments)), judgments.systems, games)
    np.testing.assert_allclose([fit.scores, fit.deviations], expected, atol=1e-9)


def ranked(rng: np.random.Generator, rankings: int, least: int = 3) -> tuple[Judgments, list[dict[str, int]]]:
    """Rankings with ties of three to five of six systems: as judgments, and as places by name."""
    rows, games = [], []
    for number in range(rankings):
        names = sorted(f"s{i}" for i in rng.permutation(6)[: rng.integers(least, 6)])
        game = {name: int(rng.integers(0, 3)) for name in names}
        games.append(game)
        rows += [(a, b, int(np.sign(game[b] - game[a])), f"r{number}") for a, b in combinations(names, 2)]
    frame = pl.DataFrame(rows, schema=["system_a", "system_b", "outcome", "ranking"], orient="row")
    return Judgments.from_rows(frame), games


@scales
def test_rankings_of_several_give_what_the_package_gives_in_its_order(model: TrueSkill) -> None:
    judgments, games = ranked(np.random.default_rng(2), 12)
    # The package stops after ten sweeps, which is enough where performances vary much more than skills.
    fit = replace(model, mode="rankings", tie_order="given").fit(judgments)
    expected = peer_pass(peer_environment(model, len(judgments)), judgments.systems, games)
    tolerance = 1e-9 if model.beta == 0 else 2e-4
    assert fit.convergence.converged
    np.testing.assert_allclose([fit.scores, fit.deviations], expected, atol=tolerance)


def test_both_orders_of_a_tie_are_averaged() -> None:
    # The package sees the tied systems in either order; a, c stand for places 0 and 2.
    model = TrueSkill(mode="rankings", beta=1.0, margin=0.2)
    game = {"a": 0, "b": 1, "c": 1, "d": 2}
    rows = [(x, y, int(np.sign(game[y] - game[x]))) for x, y in combinations(game, 2)]
    fit = model.fit(judged(rows, ranking=["r"] * 6))
    turned = {name: game[name] for name in ("a", "c", "b", "d")}
    both = [peer_pass(peer_environment(model, 6), tuple("abcd"), [g]) for g in (game, turned)]
    np.testing.assert_allclose(fit.scores, (both[0][0] + both[1][0]) / 2, atol=1e-6)
    np.testing.assert_allclose(fit.deviations**2, (both[0][1] ** 2 + both[1][1] ** 2) / 2, atol=1e-6)
    assert fit.deviations[1] == pytest.approx(fit.deviations[2], abs=1e-12)


def test_a_ranking_of_two_is_a_pair() -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(1), rankings=30).drop("ranking"))
    one, other = (TrueSkill(mode=mode).fit(judgments) for mode in ("sequence", "rankings"))
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-10)
    np.testing.assert_allclose(one.deviations, other.deviations, atol=1e-10)


def test_a_ranking_that_is_no_order_is_taken_pair_by_pair_and_said_so() -> None:
    cycle = judged([("a", "b", 1), ("b", "c", 1), ("a", "c", -1)], ranking=["r"] * 3)
    fit = TrueSkill(mode="rankings").fit(cycle)
    assert "1 rankings are not complete orders and were taken pair by pair" in fit.notes
    np.testing.assert_allclose(fit.scores, TrueSkill(mode="sequence").fit(cycle).scores, atol=1e-10)


def test_a_ranking_drawn_twice_is_two_rankings() -> None:
    judgments, _ = ranked(np.random.default_rng(5), 4)
    whole = chains_of(judgments)
    twice = chains_of(judgments.take(np.concatenate([np.arange(len(judgments))] * 2)))
    assert len(twice.starts) - 1 == 2 * (len(whole.starts) - 1)
    assert twice.note is None
