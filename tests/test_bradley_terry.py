"""Bradley–Terry against independent implementations, published estimates and its own theory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import choix
import evalica
import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize

import palmares as pm
from palmares import Execution
from palmares.errors import InputError, UnplaceableError
from palmares.kernels import bradley_terry as kernel
from palmares.models.bradley_terry import ELO, BradleyTerry
from palmares.models.by_name import create
from palmares.ranking.bootstrap import resample

TIES = ("davidson", "rao-kupper", "half", "ignore")


def random_counts(seed: int, systems: int = 6, games: int = 400) -> pm.PairCounts:
    """Counts of a tournament in which every pair has wins both ways, and ties."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.7, systems)
    wins, ties = np.zeros((2, systems, systems))
    for i in range(systems):
        for j in range(i + 1, systems):
            p = 1 / (1 + np.exp(strength[j] - strength[i]))
            won, tied, lost = rng.multinomial(games // 10, [0.75 * p, 0.25, 0.75 * (1 - p)])
            wins[i, j], wins[j, i] = won + 1, lost + 1
            ties[i, j] = ties[j, i] = tied
    return pm.PairCounts(tuple("abcdefghijklmnopqrstuvwxyz"[:systems]), wins, ties)


def test_without_ties_and_prior_it_is_what_choix_finds() -> None:
    counts = random_counts(1)
    data = [
        (i, j)
        for i in range(6)
        for j in range(6)
        for _ in range(int(counts.wins[i, j]))
    ]  # fmt: skip
    expected = choix.opt_pairwise(6, data, alpha=0.0, method="Newton-CG", tol=1e-12)
    found = BradleyTerry(ties="ignore", prior="none").fit(counts).theta
    np.testing.assert_allclose(found, expected - expected.mean(), atol=1e-6)


def test_half_wins_for_ties_are_what_evalica_finds() -> None:
    counts = random_counts(2)
    xs, ys, winners, weights = [], [], [], []
    for i in range(6):
        for j in range(i + 1, 6):
            for winner, count in (
                (evalica.Winner.X, counts.wins[i, j]),
                (evalica.Winner.Y, counts.wins[j, i]),
                (evalica.Winner.Draw, counts.ties[i, j]),
            ):
                xs.append(counts.systems[i])
                ys.append(counts.systems[j])
                winners.append(winner)
                weights.append(float(count))
    result = evalica.bradley_terry(xs, ys, winners, weights=weights, tolerance=1e-14, limit=10_000)
    expected = np.log(result.scores.sort_index().to_numpy())
    found = BradleyTerry(ties="half", prior="none").fit(counts).theta
    np.testing.assert_allclose(found, expected - expected.mean(), atol=1e-6)


@pytest.mark.real
def test_davidsons_puddings(real_data: Path) -> None:
    """Worths and standard errors of Davidson 1970, example 2, as R's PlackettLuce prints them.

    That program stopped after seven iterations of its own, so its last digits are not those of the maximum.
    """
    wins, ties = np.zeros((2, 6, 6))
    for i, j, _, won, lost, tied in pl.read_csv(real_data / "classics" / "pudding.csv").iter_rows():
        wins[i - 1, j - 1], wins[j - 1, i - 1] = won, lost
        ties[i - 1, j - 1] = ties[j - 1, i - 1] = tied
    names = tuple("123456")
    text = (real_data / "classics" / "EXPECTED.txt").read_text().splitlines()[1]
    *worths, _, theta = text.split()
    fit = BradleyTerry(prior="none").fit(pm.PairCounts(names, wins, ties))
    found = np.exp(fit.theta) / np.exp(fit.theta).sum()
    np.testing.assert_allclose(found, [float(w) for w in worths], atol=5e-5)
    assert fit.tie_parameter == pytest.approx(float(theta), abs=5e-5)
    anchored = BradleyTerry(prior="none", anchor="1=0").fit(pm.PairCounts(names, wins, ties))
    np.testing.assert_allclose(anchored.deviations[1:], [0.1872, 0.1935, 0.1882, 0.1927, 0.1924], atol=5e-5)
    assert np.sqrt(anchored.covariance[-1, -1]) == pytest.approx(0.0825, abs=5e-5)


@pytest.mark.parametrize("kind", [kernel.NONE, kernel.DAVIDSON, kernel.RAO_KUPPER])
def test_derivatives_are_those_of_the_log_posterior(kind: int) -> None:
    counts = random_counts(3)
    data = kernel.Meetings.of(counts.wins[None], counts.ties[None] if kind else np.zeros_like(counts.ties)[None])
    x = np.random.default_rng(0).normal(0, 0.5, 7)
    free = 6 if kind == kernel.NONE else 7
    steps = 1e-5 * np.eye(7)[:free]

    def slope(at: np.ndarray) -> np.ndarray:
        return kernel.gradient(kind, data, at[:, None], 0.04)[:, 0]

    def value(at: np.ndarray) -> float:
        return float(kernel.log_posterior(kind, data, at[:, None], 0.04)[0])

    by_value = [(value(x + s) - value(x - s)) / 2e-5 for s in steps]
    np.testing.assert_allclose(slope(x)[:free], by_value, atol=1e-5)
    by_slope = [-(slope(x + s) - slope(x - s))[:free] / 2e-5 for s in steps]
    curvature = kernel.information(kind, data, x[:, None], 0.04)[0]
    np.testing.assert_allclose(curvature[:free, :free], by_slope, atol=1e-5)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_the_maximum_of_the_textbook_likelihood_is_found(ties: str) -> None:
    """Against a general optimiser on the formulas as they are printed, with their own tie parameters."""
    counts = random_counts(4, systems=4)

    def minus_log_likelihood(x: np.ndarray) -> float:
        p, tie = np.exp(x[:-1]), np.exp(x[-1])
        total = 0.0
        for i in range(4):
            for j in range(4):
                root = np.sqrt(p[i] * p[j])
                eta = 1 + tie
                win = p[i] / (p[i] + p[j] + tie * root) if ties == "davidson" else p[i] / (p[i] + eta * p[j])
                tied = (
                    tie * root / (p[i] + p[j] + tie * root)
                    if ties == "davidson"
                    else (eta**2 - 1) * p[i] * p[j] / ((p[i] + eta * p[j]) * (p[j] + eta * p[i]))
                )
                total -= counts.wins[i, j] * np.log(win) + counts.ties[i, j] / 2 * np.log(tied)
        return total + x[:-1].sum() ** 2

    best = minimize(minus_log_likelihood, np.zeros(5), tol=1e-12, options={"gtol": 1e-9}).x
    fit = BradleyTerry(ties=ties, prior="none").fit(counts)
    np.testing.assert_allclose(fit.theta, best[:-1], atol=1e-5)
    expected = np.exp(best[-1]) if ties == "davidson" else 1 + np.exp(best[-1])
    assert fit.tie_parameter == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("ties", TIES)
def test_predictions_follow_the_formulas(ties: str) -> None:
    fit = BradleyTerry(ties=ties, prior="none").fit(random_counts(5))
    a, b = np.exp(fit.theta[0]), np.exp(fit.theta[3])
    expected = {
        "davidson": lambda v: (a / (a + b + v * np.sqrt(a * b)), v * np.sqrt(a * b) / (a + b + v * np.sqrt(a * b))),
        "rao-kupper": lambda v: (a / (a + v * b), (v**2 - 1) * a * b / ((a + v * b) * (b + v * a))),
        "half": lambda _: (a / (a + b), 0.0),
        "ignore": lambda _: (a / (a + b), 0.0),
    }[ties](fit.tie_parameter)
    found = fit.predict("a", "d")
    assert (found.win, found.tie) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("unit", ["pair", "ranking"])
def test_resampling_near_the_fit_gives_what_fitting_each_sample_gives(ties: str, unit: str) -> None:
    judgments = pm.simulate(systems=6, rankings=150, rng=1).judgments
    model = BradleyTerry(ties=ties)
    near = resample(model, judgments, unit=unit, resamples=60, execution=Execution(seed=3))

    class FromNothing(BradleyTerry):
        def prepared(self, counts: pm.PairCounts) -> BradleyTerry:
            return self

    each = resample(FromNothing(ties=ties), judgments, unit=unit, resamples=60, execution=Execution(seed=3))
    np.testing.assert_allclose(near.scores, each.scores, atol=1e-8)


def test_standard_errors_are_those_of_the_bootstrap_by_pair() -> None:
    judgments = pm.simulate(systems=8, outputs=2, rankings=6000, rng=2).judgments
    fit = BradleyTerry().fit(judgments)
    samples = resample(BradleyTerry(), judgments, unit="pair", resamples=2000, execution=Execution(seed=0))
    spread = samples.scores.std(axis=0)
    np.testing.assert_allclose(spread, fit.deviations, rtol=0.08)


def test_elo_and_anchor_only_move_the_scale() -> None:
    counts = random_counts(6)
    natural = BradleyTerry().fit(counts)
    elo = BradleyTerry(scale="elo").fit(counts)
    assert elo.scores.mean() == pytest.approx(1000)
    np.testing.assert_allclose(np.diff(elo.scores), 400 / np.log(10) * np.diff(natural.scores), atol=1e-9)
    anchored = BradleyTerry(scale="elo", anchor="c=1200").fit(counts)
    assert anchored.scores[2] == pytest.approx(1200)
    assert anchored.deviations[2] == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(np.diff(anchored.scores), np.diff(elo.scores), atol=1e-9)
    assert pytest.approx(173.7178, abs=1e-4) == ELO


def test_the_prior_keeps_a_system_that_always_won_finite() -> None:
    wins = np.array([[0, 9, 9], [0, 0, 5], [0, 5, 0.0]])
    counts = pm.PairCounts(("ace", "b", "c"), wins, np.zeros((3, 3)))
    tight, loose = (BradleyTerry(sd=sd).fit(counts).scores for sd in (1.0, 5.0))
    assert np.isfinite(loose).all()
    assert loose[0] - loose[1] > tight[0] - tight[1] > 0
    with pytest.raises(UnplaceableError, match=r"without a prior the strengths are infinite.*ace"):
        BradleyTerry(prior="none").fit(counts)


def test_an_update_is_the_fit_of_everything() -> None:
    first, second = random_counts(7), random_counts(8, systems=7)
    updated = BradleyTerry().fit(first).update(second)
    together = BradleyTerry().fit(first.plus(second))
    assert updated.systems == tuple("abcdefg")
    np.testing.assert_allclose(updated.scores, together.scores, atol=1e-9)


def test_weights_count_as_often_as_they_say() -> None:
    rows = pl.DataFrame({"system_a": ["x", "x", "y"], "system_b": ["y", "y", "z"], "outcome": [1, -1, 1]})
    weighted = pm.Judgments.from_rows(rows.with_columns(weight=pl.Series([3.0, 2.0, 4.0])))
    repeated = pm.Judgments.from_rows(pl.concat([rows[[0]]] * 3 + [rows[[1]]] * 2 + [rows[[2]]] * 4))
    a, b = (BradleyTerry().fit(data).scores for data in (weighted, repeated))
    np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ties": "maybe"}, "ties: got 'maybe'; allowed: ignore, half, davidson, rao-kupper"),
        ({"prior": "flat"}, "prior: got 'flat'; allowed: normal, none"),
        ({"sd": "0"}, "sd: got 0.0; allowed: a number above 0"),
        ({"anchor": "c"}, "anchor: got 'c'; allowed: NAME=VALUE"),
        ({"anchor": "nobody=3"}, "there is no system 'nobody'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pm.rank(random_counts(9), model=create("bradley-terry", settings))


def test_a_strong_order_is_recovered() -> None:
    campaign = pm.simulate(systems=10, rankings=4000, spread=3.0, rng=5)
    ranking = pm.rank(campaign.judgments, model="bradley-terry", resamples=100, rng=0)
    truth = [campaign.quality[name] for name in ranking.systems]
    apart = [(x, y) for x, y in pairwise(truth) if abs(x - y) > 0.3]
    assert all(x > y for x, y in apart)


def log_posterior_by_hand(counts: pm.PairCounts, ties: str, precision: float) -> Callable[[np.ndarray], float]:
    """Minus the log posterior of the formulas in the docstring of the model; log ν or log(η² − 1) last."""
    n = len(counts.systems)
    i, j = np.triu_indices(n, 1)
    won, lost, tied = counts.wins[i, j], counts.wins[j, i], counts.ties[i, j]
    if ties == "half":
        won, lost = won + tied / 2, lost + tied / 2

    def value(x: np.ndarray) -> float:
        a, b = x[i], x[j]  # log π
        if ties == "davidson":
            total = np.logaddexp(np.logaddexp(a, b), x[n] + (a + b) / 2)
            parts = won * (a - total) + lost * (b - total) + tied * (x[n] + (a + b) / 2 - total)
        elif ties == "rao-kupper":
            eta = np.logaddexp(0, x[n]) / 2
            first, second = np.logaddexp(a, eta + b), np.logaddexp(b, eta + a)
            parts = won * (a - first) + lost * (b - second) + tied * (x[n] + a + b - first - second)
        else:
            total = np.logaddexp(a, b)
            parts = won * (a - total) + lost * (b - total)
        return float(-parts.sum() + precision / 2 * (x**2).sum())

    return value


def sparse_counts(seed: int, systems: int, spread: float) -> pm.PairCounts:
    """A chain of systems and a few pairs more, each met once to four times: many won or lost everything."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, spread, systems)
    pairs = {(k, k + 1) for k in range(systems - 1)} | {
        tuple(sorted(rng.choice(systems, 2, replace=False).tolist())) for _ in range(systems)
    }
    wins, ties = np.zeros((2, systems, systems))
    for i, j in pairs:
        p = 1 / (1 + np.exp(strength[j] - strength[i]))
        won, tied, lost = rng.multinomial(rng.integers(1, 5), [0.8 * p, 0.2, 0.8 * (1 - p)])
        wins[i, j], wins[j, i] = won, lost
        ties[i, j] = ties[j, i] = tied
    return pm.PairCounts(tuple(f"s{k:03}" for k in range(systems)), wins, ties)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("systems", "spread"), [(2, 1.0), (12, 3.0), (40, 1.0)])
def test_the_maximum_is_where_a_general_optimiser_finds_it(ties: str, systems: int, spread: float) -> None:
    counts = sparse_counts(systems, systems, spread)
    if ties == "ignore":
        counts = pm.PairCounts(counts.systems, counts.wins + (counts.ties > 0), counts.ties)
    model = BradleyTerry(ties=ties, sd=2.0)
    value = log_posterior_by_hand(counts, ties, model.precision)
    best = minimize(value, np.zeros(systems + 1), method="BFGS", options={"gtol": 1e-7}).x
    fit = model.fit(counts)
    assert fit.convergence.converged
    np.testing.assert_allclose(fit.theta - fit.theta.mean(), best[:-1] - best[:-1].mean(), atol=2e-5)
    # Nowhere near is the log posterior higher; the mean of θ, which only the prior knows, is 0.
    assert value(fit.place) <= value(best) + 1e-9


@pytest.mark.parametrize("ties", TIES)
def test_samples_far_from_the_fit_are_fitted_all_the_same(ties: str) -> None:
    """Reversed, empty, one pair blown up, and near: each is what fitting that table alone gives."""
    counts = random_counts(10, systems=7)
    wins, tied = np.repeat(counts.wins[None], 5, axis=0), np.repeat(counts.ties[None], 5, axis=0)
    wins[1] = 3 * wins[1].T
    wins[2], tied[2] = 0.0, 0.0
    wins[3, 0, 1] *= 500
    wins[4, 2, 3] += 1
    batch = pm.PairCounts(counts.systems, wins, tied)
    model = BradleyTerry(ties=ties)
    found = model.prepared(counts).score(batch, [])
    np.testing.assert_allclose(found[0], model.fit(counts).scores, atol=1e-9)
    np.testing.assert_allclose(found[2], 0, atol=1e-9)
    for member in (1, 3, 4):
        alone = model.fit(pm.PairCounts(counts.systems, wins[member], tied[member])).scores
        np.testing.assert_allclose(found[member], alone, atol=1e-9)


def test_many_members_and_many_systems_are_fitted_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [random_counts(seed, systems=9) for seed in range(7)]
    batch = pm.PairCounts(tables[0].systems, np.stack([t.wins for t in tables]), np.stack([t.ties for t in tables]))
    whole = BradleyTerry().score(batch, [])
    monkeypatch.setattr(kernel, "_NUMBERS", 200)
    np.testing.assert_allclose(BradleyTerry().score(batch, []), whole, atol=1e-12)
    np.testing.assert_allclose(BradleyTerry().prepared(tables[3]).score(batch, []), whole, atol=1e-9)


def test_systems_that_nothing_links_in_a_sample_stay_where_they_were() -> None:
    """Without a prior nothing says how far apart the two halves are; the fit must still end, and within bounds."""
    counts = random_counts(11, systems=6)
    wins, tied = counts.wins.copy(), counts.ties.copy()
    for table in (wins, tied):
        table[:3, 3:] = table[3:, :3] = 0
    apart = pm.PairCounts(counts.systems, wins[None], tied[None])
    model = BradleyTerry(prior="none")
    found = model.prepared(counts).score(apart, [])[0]
    assert np.isfinite(found).all()
    for half in (slice(0, 3), slice(3, 6)):
        part = counts.keep(counts.systems[half])
        alone = BradleyTerry(prior="none", ties="ignore").fit(part).scores
        together = BradleyTerry(prior="none", ties="ignore").prepared(counts).score(apart, [])[0, half]
        np.testing.assert_allclose(together - together.mean(), alone - alone.mean(), atol=1e-7)
