"""The models that sample latent qualities, against integrals, enumeration and their own definition."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from builders import counted, judged, random_rows
from scipy.special import gammaln, ndtr
from scipy.stats import chisquare, kstest, norm, spearmanr, truncnorm

import palmares as pm
from palmares.errors import InputError, UnplaceableError
from palmares.judgments import Judgments
from palmares.kernels.truncated import above, between
from palmares.models.base import Model
from palmares.models.by_name import create
from palmares.models.gibbs import comparisons_of, convergence, effective_draws, split_r
from palmares.models.hopkins_may import HopkinsMay
from palmares.models.irt_categorical import IrtCategorical, log_outcomes

both = pytest.mark.parametrize("model", [HopkinsMay(), IrtCategorical()], ids=lambda m: m.id)
every_sampler = pytest.mark.parametrize(
    "model", [HopkinsMay(), HopkinsMay(sampler="projection"), IrtCategorical()], ids=["exact", "projection", "irt"]
)

# -- truncated normals -----------------------------------------------------------------------------

DRAWS = 4000
INFINITE = [(low, math.inf) for low in (-40.0, -2.0, 0.0, 0.3, 0.69, 0.71, 3.0, 8.0, 40.0)]
FINITE = [
    (-0.3, 0.3), (-5.0, 4.0), (-0.1, 2.3), (0.0, 1.0), (0.1, 3.0), (0.8, 9.0), (-9.0, -0.6), (3.0, 3.5), (20.0, 20.6),
    (40.0, 40.01), (40.0, 60.0), (-60.0, -40.0), (-40.5, -40.0), (1e-12, 2e-12),
]  # fmt: skip


def drawn(low: float, high: float) -> np.ndarray:
    rng = np.random.default_rng(17)
    one = (lambda: above(low, rng)) if high == math.inf else (lambda: between(low, high, rng))
    return np.array([one() for _ in range(DRAWS)])


def in_the_tail(x: np.ndarray, low: float, high: float) -> np.ndarray:
    """P(low < X < x) / P(low < X < high), from logarithms of the upper tail, for 0 < low."""
    tail, first, last = norm.logsf(x), norm.logsf(low), norm.logsf(high)
    return np.expm1(tail - first) / np.expm1(last - first)


@pytest.mark.parametrize(("low", "high"), INFINITE + FINITE)
def test_truncated_draws_have_the_distribution(low: float, high: float) -> None:
    x = drawn(low, high)
    assert (x >= low).all()
    assert (x <= high).all()
    if low > 1:
        shares = in_the_tail(x, low, high)
    elif high < -1:
        shares = in_the_tail(-x, -high, -low)
    else:
        shares = truncnorm.cdf(x, low, high)
    assert kstest(shares, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(("low", "high"), INFINITE + FINITE[:-1])
def test_truncated_draws_have_the_mean_and_the_variance(low: float, high: float) -> None:
    x = drawn(low, high)
    mean, variance = truncnorm.stats(low, high, moments="mv")
    assert x.mean() == pytest.approx(mean, abs=5 * x.std() / math.sqrt(DRAWS))
    if abs(low) < 20:  # further out scipy's own variance is a difference of nearly equal numbers
        assert x.var() == pytest.approx(variance, rel=0.15)


def test_far_out_the_excess_is_exponential() -> None:
    assert (drawn(40.0, math.inf) - 40).mean() == pytest.approx(1 / 40, rel=0.1)
    assert np.isfinite(drawn(1e8, math.inf)).all()
    assert np.isfinite(drawn(-1e8 - 1, -1e8)).all()


# -- hopkins-may against integrals -----------------------------------------------------------------

LONG = {"iterations": 40_000, "burn_in": 100}


def outcome_chance(outcome: int, apart: np.ndarray, radius: float, deviation: float) -> np.ndarray:
    """P(outcome) when the difference seen is N(apart, deviation²)."""
    lose, not_win = ndtr((-radius - apart) / deviation), ndtr((radius - apart) / deviation)
    return {1: 1 - not_win, 0: not_win - lose, -1: lose}[outcome]


def moments_of_two(model: HopkinsMay, segments: list[list[int]]) -> tuple[float, float]:
    """Mean and deviation of μ_1 from the outcomes of system 1 against 2, by segment, by two nested sums.

    μ_1 = (s + d) / 2, where the sum s is independent of the data and d is not; all comparisons of a segment see one
    difference of qualities, N(d, 2σ_a²).
    """
    d = np.linspace(-9, 9, 1201) * model.sigma_0
    density = norm.pdf(d, scale=math.sqrt(2) * model.sigma_0)
    z = np.linspace(-7, 7, 401)
    for outcomes in segments:
        quality = d[:, None] + math.sqrt(2) * model.sigma_a * z
        chance = np.prod(
            [outcome_chance(o, quality, model.radius, math.sqrt(2) * model.sigma_obs) for o in outcomes], axis=0
        )
        density = density * (chance @ norm.pdf(z))
    density /= density.sum()
    mean = d @ density
    return mean / 2, math.sqrt((d**2 @ density - mean**2) / 4 + model.sigma_0**2 / 2)


TWO = {
    "one win": [[1]],
    "one tie": [[0]],
    "lone": [[1], [1], [0], [-1], [1]],
    "one segment": [[1, 1, 0, 1]],
    "several segments": [[1, 1], [0, 0, 1], [-1], [1, -1, 1]],
    "six wins on one segment": [[1] * 6],
}


@pytest.mark.parametrize("settings", [{}, {"sigma_a": 1.5, "sigma_obs": 0.7, "radius": 0.8, "sigma_0": 2.0}], ids=str)
@pytest.mark.parametrize("segments", TWO.values(), ids=list(TWO))
def test_two_systems_have_the_posterior_of_the_integral(segments: list[list[int]], settings: dict[str, float]) -> None:
    model = HopkinsMay(**LONG, **settings)
    rows = [("a", "b", o) for outcomes in segments for o in outcomes]
    names = [f"seg-{k}" for k, outcomes in enumerate(segments) for _ in outcomes]
    fit = model.fit(judged(rows, segment=names), rng=1)
    mean, deviation = moments_of_two(model, segments)
    # 40,000 draws of which more than a fifth are effective: a standard error of about 0.01 deviations.
    assert fit.scores == pytest.approx([mean, -mean], abs=0.035 * deviation)
    assert fit.deviations == pytest.approx([deviation] * 2, rel=0.03)


def test_an_item_seen_twice_is_one_item() -> None:
    """a meets b and c on one segment: the same output of a, so a sum over three qualities."""
    model = HopkinsMay(**LONG, sigma_a=1.0)
    fit = model.fit(judged([("a", "b", 1), ("a", "c", 0)], segment=["x", "x"]), rng=2)
    total = math.sqrt(model.sigma_0**2 + model.sigma_a**2)
    grid = np.linspace(-6, 6, 121) * total
    a, b, c = np.meshgrid(grid, grid, grid, indexing="ij", sparse=True)
    deviation = math.sqrt(2) * model.sigma_obs
    weight = norm.pdf(a / total) * norm.pdf(b / total) * norm.pdf(c / total)
    weight = (
        weight * outcome_chance(1, a - b, model.radius, deviation) * outcome_chance(0, a - c, model.radius, deviation)
    )
    weight /= weight.sum()
    shrunk = (model.sigma_0 / total) ** 2
    assert fit.scores == pytest.approx([shrunk * (weight * q).sum() for q in (a, b, c)], abs=0.03)


def test_one_item_or_two_is_not_the_same() -> None:
    rows = [("a", "b", 1)] * 8
    model = HopkinsMay(iterations=4000, sigma_a=2.0)
    same, fresh = (model.fit(judged(rows, segment=s), rng=0).scores[0] for s in (["x"] * 8, list("abcdefgh")))
    assert fresh > same + 0.2


def test_without_segments_every_comparison_has_items_of_its_own() -> None:
    rows = [("a", "b", 1), ("a", "b", 1), ("b", "c", 0), ("a", "c", -1)]
    model = HopkinsMay()
    one, other = model.fit(judged(rows), rng=0), model.fit(judged(rows, segment=list("wxyz")), rng=0)
    assert np.array_equal(one.scores, other.scores)
    assert np.array_equal(one.scores, model.fit(judged(rows).counts, rng=0).scores)


def test_no_spread_of_items_is_the_limit_of_little() -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(1)))
    none, little = (HopkinsMay(sigma_a=s, iterations=2000).fit(judgments, rng=0) for s in (0.0, 1e-7))
    assert none.scores == pytest.approx(little.scores, abs=1e-4)


def test_a_new_item_meets_a_new_item() -> None:
    model = HopkinsMay(iterations=3000)
    fit = model.fit(counted({("a", "b"): (6, 2, 1), ("b", "c"): (3, 3, 1)}), rng=0)
    apart, spread = fit.draws[:, 0] - fit.draws[:, 2], math.sqrt(2 * 0.5**2 + 2 * 1.0**2)
    expected = [outcome_chance(o, apart, model.radius, spread).mean() for o in (1, 0, -1)]
    assert fit.predict("a", "c") == pytest.approx(expected, abs=1e-9)
    assert fit.predict("c", "a") == pytest.approx(expected[::-1], abs=1e-9)


# -- simulation-based calibration (Talts et al. 2018) ----------------------------------------------


def from_the_prior(rng: np.random.Generator, model: HopkinsMay, systems: int = 4) -> tuple[np.ndarray, Judgments]:
    """Abilities, and judgments made exactly as the model says: 45 comparisons on 9 segments."""
    mu = rng.normal(0, model.sigma_0, systems)
    quality = rng.normal(mu, model.sigma_a, (9, systems))
    rows, segments = [], []
    for k in range(45):
        segment = k % 9
        a, b = rng.permutation(systems)[:2]
        seen = quality[segment, [a, b]] + rng.normal(0, model.sigma_obs, 2)
        apart = seen[0] - seen[1]
        rows.append((f"s{a}", f"s{b}", 0 if abs(apart) < model.radius else int(np.sign(apart))))
        segments.append(f"g{segment}")
    return mu, judged(rows, segment=segments)


def calibration_ranks(simulations: int, seed: int, *, apart: int = 8, **settings: float) -> np.ndarray:
    """Where the true μ_0 and μ_1 − μ_2 stand among 15 draws so far ``apart`` that they are nearly independent."""
    rng = np.random.default_rng(seed)
    model = HopkinsMay(iterations=20 * apart, burn_in=5 * apart, **settings)
    ranks = []
    for _ in range(simulations):
        mu, judgments = from_the_prior(rng, model)
        draws = model.fit(judgments, rng=rng).draws[apart - 1 :: apart]
        ranks.append([(draws[:, 0] < mu[0]).sum(), (draws[:, 1] - draws[:, 2] < mu[1] - mu[2]).sum()])
    return np.array(ranks)


def assert_uniform(ranks: np.ndarray) -> None:
    for column in ranks.T:
        assert chisquare(np.bincount(column // 2, minlength=8)).pvalue > 1e-3


def test_true_abilities_are_anywhere_among_the_draws() -> None:
    assert_uniform(calibration_ranks(200, seed=5))


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"sigma_a": 2.0, "radius": 1.0}, {"sigma_obs": 0.3}], ids=str)
def test_true_abilities_are_anywhere_among_the_draws_of_many(settings: dict[str, float]) -> None:
    # Little noise makes a slow chain, and draws that hang together look like too narrow a posterior.
    assert_uniform(calibration_ranks(1500, seed=6, apart=60, **settings))


# -- irt-categorical against enumeration -----------------------------------------------------------


def noise_by_hand(levels: int, sigma: float) -> np.ndarray:
    table = np.array([[math.exp(-((x - q) ** 2) / (2 * sigma**2)) for x in range(levels)] for q in range(levels)])
    return table / table.sum(1, keepdims=True)


def outcomes_by_hand(levels: int, sigma: float) -> dict[tuple[int, int, int], float]:
    noise = noise_by_hand(levels, sigma)
    chance = dict.fromkeys(itertools.product(range(levels), range(levels), (-1, 0, 1)), 0.0)
    for p, q, x, y in itertools.product(range(levels), repeat=4):
        chance[p, q, (x > y) - (x < y)] += noise[p, x] * noise[q, y]
    return chance


def enumerated_scores(model: IrtCategorical, items: list[int], rows: list[tuple[int, int, int]]) -> np.ndarray:
    """Posterior mean scores: the sum over all levels of all items, abilities integrated out (Dirichlet-multinomial).

    ``items`` are the systems of the items, ``rows`` (item, item, outcome).
    """
    chance = outcomes_by_hand(model.levels, model.sigma_obs)
    total, weighted = 0.0, np.zeros(max(items) + 1)
    for levels in itertools.product(range(model.levels), repeat=len(items)):
        counts = np.zeros((max(items) + 1, model.levels))
        np.add.at(counts, (items, levels), 1)
        strength = counts + model.alpha
        weight = math.exp((gammaln(strength) - gammaln(model.alpha)).sum() - gammaln(strength.sum(1)).sum())
        weight *= math.prod(chance[levels[u], levels[v], o] for u, v, o in rows)
        total += weight
        weighted += weight * (strength / strength.sum(1, keepdims=True)) @ np.arange(1, model.levels + 1)
    return weighted / total


IRT_CASES = {
    "one win": ([0, 1], [(0, 1, 1)], ["x"]),
    "lone": ([0, 1, 0, 1, 0, 1], [(0, 1, 1), (2, 3, 1), (4, 5, 0)], ["x", "y", "z"]),
    "one item": ([0, 1], [(0, 1, 1), (0, 1, 1), (0, 1, 0)], ["x", "x", "x"]),
    "three systems": (
        [0, 1, 2, 0, 1],
        [(0, 1, 1), (0, 2, 1), (1, 2, -1), (3, 4, 0), (3, 4, 1)],
        ["x", "x", "x", "y", "y"],
    ),
}


@pytest.mark.parametrize("settings", [{"levels": 2, "sigma_obs": 0.6}, {"levels": 3, "alpha": 1.5}], ids=str)
@pytest.mark.parametrize("case", IRT_CASES.values(), ids=list(IRT_CASES))
def test_levels_have_the_posterior_of_the_enumeration(case: tuple, settings: dict[str, float]) -> None:
    items, rows, segments = case
    model = IrtCategorical(iterations=8_000, burn_in=100, **settings)
    named = [(f"s{items[u]}", f"s{items[v]}", o) for u, v, o in rows]
    fit = model.fit(judged(named, segment=segments), rng=4)
    assert fit.scores == pytest.approx(enumerated_scores(model, items, rows), abs=0.02)
    assert fit.draws.mean(0) == pytest.approx(fit.scores, abs=0.03)


@pytest.mark.parametrize(("levels", "sigma"), [(2, 1.0), (5, 0.7), (8, 1.0)])
def test_outcomes_of_levels_are_sums_over_what_is_seen(levels: int, sigma: float) -> None:
    table = np.exp(log_outcomes(levels, sigma))
    for (p, q, o), chance in outcomes_by_hand(levels, sigma).items():
        assert table[o + 1, p, q] == pytest.approx(chance, rel=1e-9)


def test_no_outcome_of_levels_is_impossible_however_little_noise() -> None:
    assert np.isfinite(log_outcomes(20, 0.01)).all()
    judgments = counted({("a", "b"): (3, 1, 3), ("b", "c"): (2, 2, 2)})
    fit = IrtCategorical(levels=20, sigma_obs=0.01, alpha=0.001).fit(judgments, rng=0)
    assert np.isfinite(fit.scores).all()
    assert np.isfinite(fit.outcomes).all()


def test_predictions_of_levels_average_over_draws() -> None:
    model = IrtCategorical(levels=3, iterations=60, burn_in=10)
    abilities = np.random.default_rng(0).dirichlet(np.ones(3), (4, 2))
    chance = outcomes_by_hand(3, 1.0)
    expected = [
        sum(d[0, p] * d[1, q] * chance[p, q, o] for d in abilities for p, q in itertools.product(range(3), repeat=2))
        / 4
        for o in (1, 0, -1)
    ]
    assert model.outcomes(abilities)[0, 1] == pytest.approx(expected, rel=1e-9)


# -- both ------------------------------------------------------------------------------------------


@every_sampler
def test_the_same_seed_gives_the_same_draws_and_another_does_not(model: Model) -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(2)))
    one, other, third = (model.fit(judgments, rng=seed) for seed in (0, 0, 1))
    assert np.array_equal(one.draws, other.draws)
    assert not np.array_equal(one.draws, third.draws)


@every_sampler
@pytest.mark.parametrize("context", [True, False], ids=["segments", "no segments"])
def test_shuffled_rows_change_no_bit(model: Model, context: bool) -> None:
    rows = random_rows(np.random.default_rng(3))
    rows = rows if context else rows.select("system_a", "system_b", "outcome")
    one, other = (Judgments.from_rows(r) for r in (rows, rows.sample(fraction=1, shuffle=True, seed=1)))
    assert np.array_equal(model.fit(one, rng=0).draws, model.fit(other, rng=0).draws)


@every_sampler
def test_renaming_systems_keeps_scores_up_to_monte_carlo_error(model: Model) -> None:
    rows = random_rows(np.random.default_rng(4), rankings=100)
    turned = rows.with_columns(pl.col("system_a", "system_b").replace_strict({f"s{i}": f"s{4 - i}" for i in range(5)}))
    # The common level of `irt-categorical` is nearly free, and a short chain does not settle it.
    one, other = (model.fit(Judgments.from_rows(r), rng=0).scores for r in (rows, turned))
    assert other[::-1] - other.mean() == pytest.approx(one - one.mean(), abs=0.1 * np.ptp(one))


@every_sampler
def test_the_order_of_a_simulated_campaign_is_found(model: Model) -> None:
    campaign = pm.simulate(systems=8, rankings=1500, segments=400, spread=6.0, rng=7)
    fit = model.fit(campaign.judgments, rng=0)
    truth = [campaign.quality[name] for name in fit.systems]
    assert spearmanr(fit.scores, truth).statistic > 0.95
    assert fit.convergence.converged
    assert fit.convergence.iterations == 200


def test_the_projection_orders_systems_as_the_exact_sampler_does() -> None:
    judgments = pm.simulate(systems=8, rankings=800, segments=200, rng=8).judgments
    exact, projected = (HopkinsMay(sampler=s).fit(judgments, rng=0) for s in ("exact", "projection"))
    assert spearmanr(exact.scores, projected.scores).statistic > 0.95
    assert any("not from the posterior" in note for note in projected.notes)


def test_the_projection_of_one_win_by_hand() -> None:
    """Without spread the first iteration has q1 = q2 = 0, and a win moves them to ± radius / 2."""
    model = HopkinsMay(sampler="projection", sigma_obs=1e-12, sigma_a=0, radius=0.4, iterations=3, burn_in=0)
    won, tied = (model.fit(judged([("a", "b", o)]), rng=0).scores for o in (1, 0))
    assert won == pytest.approx([0.2, -0.2], abs=1e-9)
    assert tied == pytest.approx([0, 0], abs=1e-9)


@every_sampler
@pytest.mark.parametrize("won", [(1, 0, 0), (0, 1, 0), (3, 0, 0), (2000, 0, 0), (0, 500, 0)], ids=str)
def test_two_systems_get_finite_numbers(model: Model, won: tuple[int, int, int]) -> None:
    fit = model.fit(counted({("a", "b"): won}), rng=0)
    assert np.isfinite(fit.scores).all()
    assert np.isfinite(fit.deviations).all()
    assert sum(fit.predict("a", "b")) == pytest.approx(1)
    assert min(fit.predict("a", "b")) > 0


@every_sampler
def test_a_system_that_won_or_lost_everything_is_placed(model: Model) -> None:
    pairs = {("best", "m"): (40, 0, 0), ("best", "worst"): (40, 0, 0), ("m", "worst"): (40, 0, 0)}
    fit = model.fit(counted(pairs), rng=0)
    scores = dict(zip(fit.systems, fit.scores, strict=True))
    assert scores["best"] > scores["m"] > scores["worst"]
    assert np.isfinite(fit.draws).all()


@every_sampler
def test_a_sample_without_a_system_still_scores_it(model: Model) -> None:
    assert model.needs == "rows"
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(5)))
    without = np.flatnonzero((judgments.codes("system_a") != 4) & (judgments.codes("system_b") != 4))
    scores = model.rescore(judgments.take(without), rng=np.random.default_rng(0))
    middle = (model.levels + 1) / 2 if isinstance(model, IrtCategorical) else 0
    assert scores[4] == pytest.approx(middle)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    "settings",
    [{"radius": 1e-15}, {"radius": 60.0}, {"sigma_0": 1e-6}, {"sigma_0": 1e4}, {"sigma_obs": 1e-3}, {"sigma_a": 50.0}],
    ids=str,
)
def test_extreme_settings_give_finite_numbers(settings: dict[str, float]) -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(5), rankings=20))
    fit = HopkinsMay(**settings).fit(judgments, rng=0)
    assert np.isfinite(fit.draws).all()
    assert np.isfinite(fit.outcomes).all()


@pytest.mark.parametrize("pairs", [{("a", "b"): (300, 0, 0)}, {("a", "b"): (9, 4, 3), ("b", "c"): (0, 70, 1)}], ids=str)
def test_the_chain_starts_at_the_mode_of_lone_comparisons(pairs: dict) -> None:
    """Where a finite difference of the log-posterior, written down anew, is nearly 0."""
    model, counts = HopkinsMay(), counted(pairs).counts

    def log_posterior(mu: np.ndarray) -> float:
        total = -(mu @ mu) / 2
        for i, j in itertools.combinations(range(len(mu)), 2):
            met = {1: counts.wins[i, j], 0: counts.ties[i, j], -1: counts.wins[j, i]}
            total += sum(c * np.log(outcome_chance(o, mu[i] - mu[j], 0.4, math.sqrt(2.5))) for o, c in met.items() if c)
        return total

    mode = model._start(counts)
    for step in 0.02 * np.concatenate([np.eye(len(mode)), -np.eye(len(mode))]):
        assert log_posterior(mode + step) < log_posterior(mode)


@both
def test_groups_that_never_met_are_refused(model: Model) -> None:
    with pytest.raises(UnplaceableError, match=r"a, b; c, d"):
        model.fit(counted({("a", "b"): (1, 0, 1), ("c", "d"): (1, 1, 1)}))


@both
def test_weights_are_refused(model: Model) -> None:
    weighted = judged([("a", "b", 1), ("a", "b", -1)], weight=[1.0, 0.5])
    with pytest.raises(InputError, match=f"model '{model.id}' .* cannot use weights"):
        model.fit(weighted)
    with pytest.raises(InputError, match="pair counts are sums of weights"):
        model.fit(weighted.counts)
    assert np.isfinite(model.fit(judged([("a", "b", 1)], weight=[1.0]), rng=0).scores).all()


@both
def test_more_judgments_need_a_new_fit(model: Model) -> None:
    judgments = counted({("a", "b"): (2, 1, 1)})
    with pytest.raises(InputError, match="fit all of them together"):
        model.fit(judgments, rng=0).update(judgments)


@both
def test_rank_ranges_come_from_the_draws(model: Model) -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(6), rankings=80))
    ranking = pm.rank(judgments, model=model.id, rng=0)
    assert "|unit:posterior|resamples:150|" in ranking.signature
    assert np.array_equal(ranking.replicates.scores, ranking.fit.draws)
    assert all(line.range is not None for line in ranking.lines)


@both
def test_rank_ranges_come_from_resamples_if_asked_for(model: Model) -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(6)))
    quick = create(model.id, {"iterations": "30", "burn_in": "10"})
    ranking = pm.rank(judgments, model=quick, resample="ranking", resamples=40, rng=0)
    assert "|unit:ranking|resamples:40|" in ranking.signature
    assert ranking.replicates.scores.shape == (40, 5)


@pytest.mark.parametrize(
    ("model", "given", "wording"),
    [
        ("hopkins-may", {"sigma_0": "0"}, "setting sigma_0: got 0.0; allowed: a number above 0"),
        ("hopkins-may", {"sigma_obs": "nan"}, "setting sigma_obs: got nan; allowed: a number above 0"),
        ("hopkins-may", {"sigma_a": "-1"}, "setting sigma_a: got -1.0; allowed: a number of at least 0"),
        ("hopkins-may", {"radius": "inf"}, "setting radius: got inf; allowed: a number above 0"),
        ("hopkins-may", {"iterations": "50"}, r"iterations: got 50; allowed: at least 2 more than burn_in \(50\)"),
        ("hopkins-may", {"burn_in": "-1"}, "setting burn_in: got -1; allowed: at least 0"),
        ("hopkins-may", {"sampler": "best"}, "setting sampler: got 'best'; allowed: exact, projection"),
        ("irt-categorical", {"levels": "1"}, "setting levels: got 1; allowed: 2 to 100"),
        ("irt-categorical", {"alpha": "0"}, "setting alpha: got 0.0; allowed: a number above 0"),
        ("irt-categorical", {"sigma_obs": "-2"}, "setting sigma_obs: got -2.0; allowed: a number above 0"),
    ],
)
def test_wrong_settings_are_refused(model: str, given: dict[str, str], wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        create(model, given)


# -- items and convergence -------------------------------------------------------------------------


def test_items_fall_into_blocks() -> None:
    """Segment x links a, b, c; on y the pairs ab and cd share nothing; z was seen once; one row has no segment."""
    rows = [("a", "b", 1), ("b", "c", 0), ("a", "b", -1), ("a", "b", 1), ("c", "d", 1), ("c", "d", 1), ("a", "c", 0)]
    rows += [("a", "d", -1), ("a", "d", -1)]
    data = comparisons_of(judged(rows, segment=["x", "x", "x", "y", "y", "y", "z", "w", None]), "test")
    assert data.cells.tolist() == [[0, 1, 1], [0, 2, 0], [0, 3, -1]]
    assert data.copies.tolist() == [1, 1, 2]
    blocks = [data.author[lo:hi].tolist() for lo, hi in itertools.pairwise(data.item_starts)]
    assert blocks == [[0, 1, 2], [2, 3]]
    assert np.diff(data.row_starts).tolist() == [3, 2]
    assert data.author[data.first].tolist() == [0, 0, 1, 2, 2]
    assert data.author[data.second].tolist() == [1, 1, 2, 3, 3]
    assert data.outcome.tolist() == [-1, 1, 0, 1, 1]


def test_a_chain_that_drifts_is_not_converged() -> None:
    rng = np.random.default_rng(0)
    settled = rng.normal(size=(150, 6))
    drifting = settled + np.linspace(0, 4, 150)[:, None] * np.array([1, 0, 0, 0, 0, 0])
    assert convergence(settled, 200)[0].converged
    state, notes = convergence(drifting, 200)
    assert not state.converged
    assert "has not settled" in notes[0]


def test_effective_draws_of_an_autoregression() -> None:
    """Of x_t = ρ x_{t−1} + noise, k draws are worth k (1 − ρ) / (1 + ρ)."""
    rng = np.random.default_rng(1)
    x = np.zeros((40_000, 3))
    for t in range(1, len(x)):
        x[t] = np.array([0.0, 0.5, 0.9]) * x[t - 1] + rng.normal(size=3)
    assert effective_draws(x) == pytest.approx([40_000, 40_000 / 3, 40_000 / 19], rel=0.2)
    assert split_r(x) == pytest.approx(np.ones(3), abs=0.01)


@both
@pytest.mark.parametrize("seed", range(4))
def test_defaults_settle_on_usual_campaigns(model: Model, seed: int) -> None:
    judgments = pm.simulate(systems=10, rankings=300, segments=100, rng=seed).judgments
    assert model.fit(judgments, rng=seed).convergence.converged


# -- published data --------------------------------------------------------------------------------


@pytest.mark.real
@every_sampler
def test_wmt13_has_its_first_and_its_last(model: Model, real_data: Path) -> None:
    ranking = pm.rank(pm.read(real_data / "wmt13" / "fr-en.train.csv"), model=model, rng=0)
    assert "uedin-heafield" in ranking.systems[0]
    assert "Shef-wproa" in ranking.systems[-1]
