"""The ordered-response model of judges: derivatives, limits, recovery by a generator of its own, predictions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from builders import random_rows

import palmares as pm
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.kernels.ordinal import Answers, Place, Prior, curvature, log_posterior
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.ordinal import Ordinal

FREE = np.array([True, True])


def answers(seed: int, *, ties: bool = True) -> Answers:
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(4, 1)
    judge = np.repeat(np.arange(3), len(a))
    counts = rng.integers(0, 6, (3, len(judge))).astype(float)
    counts[1] *= ties
    x, shift = rng.normal(0, 1, (len(judge), 2)), rng.normal(0, 0.5, len(judge))
    return Answers(4, 3, judge, np.tile(a, 3), np.tile(b, 3), counts, x, shift)


def unpacked(x: np.ndarray, wide: bool) -> Place:
    return Place(x[:4], float(x[6]) if wide else None, x[6 + wide :].reshape(3, 2), x[4:6])


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("link", ["logit", "probit"])
def test_the_gradient_is_that_of_the_log_posterior(link: str, wide: bool) -> None:
    data, prior = answers(0, ties=wide), Prior(0.04, np.array([2.0, 1.0]), np.array([True, wide]))
    x = np.random.default_rng(1).normal(0, 0.4, 6 + wide + 6)
    if not wide:
        x[7::2] = 0.0
    found = curvature(link, data, unpacked(x, wide), prior)
    analytic = np.concatenate([found.common, found.own.ravel()])
    for k in range(len(x)):
        step = np.zeros(len(x))
        step[k] = 1e-5
        up, down = (log_posterior(link, data, unpacked(x + sign * step, wide), prior) for sign in (1, -1))
        frozen = not wide and k >= 6 and k % 2 == 1
        assert analytic[k] == pytest.approx(0.0 if frozen else (up - down) / 2e-5, abs=1e-5)


def crowd(
    seed: int, *, systems: int = 6, judges: int = 40, each: int = 150, s_a: float = 0.4, s_d: float = 0.6,
    random_share: float = 0.0,
) -> tuple[Judgments, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Single comparisons by latent logistic noise, drawn without the model's code."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, 0.7, systems)
    theta -= theta.mean()
    log_a, log_d = rng.normal(0, s_a, judges), np.log(0.5) + rng.normal(0, s_d, judges)
    judge = np.repeat(np.arange(judges), each)
    a = rng.integers(0, systems, len(judge))
    b = (a + rng.integers(1, systems, len(judge))) % systems
    seen = np.exp(log_a[judge]) * (theta[a] - theta[b]) + rng.logistic(0, 1, len(judge))
    outcome = np.where(seen > np.exp(log_d[judge]), 1, np.where(seen < -np.exp(log_d[judge]), -1, 0))
    at_random = judge < random_share * judges
    outcome = np.where(at_random, rng.integers(-1, 2, len(judge)), outcome)
    frame = pl.DataFrame({
        "system_a": [f"s{i}" for i in a], "system_b": [f"s{i}" for i in b], "outcome": outcome,
        "judge": [f"j{k:03d}" for k in judge], "segment": [f"g{k}" for k in rng.integers(0, 200, len(judge))],
    })  # fmt: skip
    return Judgments.from_rows(frame), theta, log_a, log_d


def test_strengths_widths_and_sensitivities_lie_in_their_intervals() -> None:
    inside: dict[str, list[bool]] = {"theta": [], "a": [], "d": []}
    for seed in range(12):
        judgments, theta, log_a, log_d = crowd(seed)
        fit = Ordinal().fit(judgments)
        assert fit.convergence.converged
        inside["theta"] += (np.abs(fit.scores - theta) < 1.96 * fit.deviations).tolist()
        inside["a"] += (np.abs(np.log(fit.sensitivity) - log_a) < 1.96 * fit.log_errors[:, 0]).tolist()
        inside["d"] += (np.abs(np.log(fit.tie_width) - log_d) < 1.96 * fit.log_errors[:, 1]).tolist()
    rates = {name: np.mean(values) for name, values in inside.items()}
    # 72 strengths (± .05 at two standard errors), 480 judges (± .02, and strengths are estimated too).
    assert rates["theta"] > 0.88
    assert 0.91 < rates["a"] < 0.985
    assert 0.91 < rates["d"] < 0.985


def test_the_spread_of_judges_is_found() -> None:
    found = np.array([list(Ordinal().fit(crowd(100 + seed)[0]).spreads) for seed in range(6)])
    assert np.abs(found.mean(axis=0) - [0.4, 0.6]).max() < 0.08


def test_alike_judges_are_rao_and_kuppers_model() -> None:
    judgments = crowd(3)[0]
    plain, peer = Ordinal(judges="none").fit(judgments), BradleyTerry(ties="rao-kupper").fit(judgments)
    # Their weak priors on the width differ.
    assert plain.scores == pytest.approx(peer.scores, abs=1e-4)
    assert np.exp(np.exp(plain.place.width)) == pytest.approx(peer.tie_parameter, abs=1e-3)
    assert plain.deviations == pytest.approx(peer.deviations, rel=1e-2)


def test_random_judges_get_little_sensitivity_and_bias_strengths_less() -> None:
    distances = []
    for seed in range(24):
        judgments, theta, _, _ = crowd(200 + seed, s_a=0.1, random_share=0.3)
        fit, plain = Ordinal().fit(judgments), BradleyTerry(ties="rao-kupper").fit(judgments)
        assert np.median(fit.sensitivity[:12]) < 0.6 < 0.8 < np.median(fit.sensitivity[12:])
        distances.append([1 - np.corrcoef(scores, theta)[0, 1] for scores in (fit.scores, plain.scores)])
    with_judges, without = np.mean(distances, axis=0)
    assert with_judges < 0.95 * without


def test_a_judge_who_is_known_is_predicted_better_than_as_a_stranger() -> None:
    judgments = crowd(5)[0]
    half = np.arange(len(judgments)) % 2 == 0
    train, test = judgments.filter(half), judgments.filter(~half)
    fit = Ordinal().fit(train)
    outcome = 1 - test.codes("outcome")
    losses = []
    for known in (test, Judgments.from_rows(test.to_rows().with_columns(judge=pl.lit("somebody new")))):
        q = fit.predict_rows(known)
        assert q.sum(axis=1) == pytest.approx(1.0)
        losses.append(-np.log(q[np.arange(len(test)), outcome]).mean())
    assert losses[0] < losses[1] - 0.01
    stranger = fit.predict_rows(Judgments.from_rows(test.to_rows().with_columns(judge=pl.lit("x"))))
    a, b = fit.row_codes(test)
    assert stranger == pytest.approx(fit.predict_pairs()[a, b])


def test_without_judges_all_are_one() -> None:
    rows = random_rows(np.random.default_rng(0)).drop("judge")
    fit = Ordinal().fit(Judgments.from_rows(rows))
    assert fit.judges == ()
    assert any("name no judge" in note for note in fit.notes)


def test_without_ties_no_tie_is_expected() -> None:
    judgments = crowd(7)[0]
    decided = judgments.filter(judgments.codes("outcome") != 0)
    fit = Ordinal().fit(decided)
    assert fit.convergence.converged
    assert fit.predict(0, 1).tie < 1e-12
    assert (fit.tie_width == 0).all()


def test_warm_refits_equal_cold_ones_with_the_same_spreads() -> None:
    judgments = crowd(9, judges=12, each=60)[0]
    model = Ordinal(width_sd=0.6, sensitivity_sd=0.4)
    rows = np.random.default_rng(0).integers(0, len(judgments), len(judgments))
    weights = np.bincount(rows, minlength=len(judgments)).astype(float)
    warm = model.warmed(judgments).rescore(weights)
    assert warm == pytest.approx(model.fit(judgments.take(rows)).scores, abs=1e-4)


def test_two_way_errors_cover_and_agree_with_a_bootstrap_by_judge() -> None:
    missed, ratio = [], []
    for seed in range(25):
        judgments, theta, _, _ = crowd(300 + seed, judges=20, each=60)
        ranking = pm.rank(judgments, model="ordinal", rng=0)
        for line in ranking.lines:
            low, high = line.interval
            missed.append(not low <= theta[int(line.system[1:])] <= high)
        if seed < 3:
            drawn = pm.rank(judgments, model="ordinal", resample="judge", resamples=200, rng=0)
            errors = [
                np.array([line.error for line in sorted(r.lines, key=lambda x: x.system)]) for r in (ranking, drawn)
            ]
            ratio.append((errors[0] / errors[1]).mean())
    assert np.mean(missed) < 0.09  # 150 intervals at .05, which are not independent
    assert 0.7 < np.mean(ratio) < 1.5


@pytest.mark.parametrize(("setting", "value", "allowed"), [
    ("link", "cauchy", "logit, probit"), ("judges", "some", "both, width, sensitivity, none"),
    ("width_sd", "-1", "a number above 0, or fit"), ("sensitivity_sd", "many", "a number, or fit"),
])  # fmt: skip
def test_settings_are_checked(setting: str, value: str, allowed: str) -> None:
    with pytest.raises(InputError, match=f"setting {setting}: got .*; allowed: {allowed}"):
        pm.models.create("ordinal", {setting: value})


def test_pair_counts_are_not_enough() -> None:
    with pytest.raises(InputError, match="needs the judgments"):
        Ordinal().fit(crowd(0)[0].counts)


@pytest.mark.parametrize("random_share", [0.0, 0.3])
def test_leaving_out_a_judge_by_one_step_is_nearly_a_fit_without_them(random_share: float) -> None:
    judgments = crowd(11, judges=8, each=300, random_share=random_share)[0]
    fit, warm = Ordinal().fit(judgments), Ordinal().warmed(judgments)
    scores, roots, whole, _ = Ordinal().influence_rows(judgments, fit)
    judge = judgments.codes("judge").astype(int)
    known = roots(np.arange(len(judgments)))
    parts = [np.einsum("rmi,rmj->ij", known[judge == k], known[judge == k]) for k in range(8)]
    # All that is known but the priors of strengths and of the common width.
    assert np.sum(parts, axis=0) + 0.04 * np.eye(6) == pytest.approx(whole, abs=1e-3)
    steps = np.stack([-np.linalg.solve(whole - parts[k], scores[judge == k].sum(axis=0)) for k in range(8)])
    fits = np.stack([warm.rescore((judge != k).astype(float)) - fit.scores for k in range(8)])
    steps, fits = (changes - changes.mean(axis=1, keepdims=True) for changes in (steps, fits))
    assert np.linalg.norm(steps - fits) < 0.25 * np.linalg.norm(fits)
    assert np.linalg.norm(steps) == pytest.approx(np.linalg.norm(fits), rel=0.15)
