"""Crowd-BT: values by brute force, derivatives, recovery by a generator of its own, influences, the on-line form."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from builders import judged, random_rows
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import beta, norm

import palmares as pm
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.judgments.units import unit_kinds
from palmares.kernels.crowd_bt import Place, Prior, climb, curvature, log_posterior
from palmares.kernels.ordinal import Answers
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.crowd_beliefs import Beliefs, answered, expected_change, next_question, posterior
from palmares.models.crowd_bt import CrowdBT
from palmares.ranking.two_way import row_jackknife


def crowd(
    seed: int, *, systems: int = 6, judges: int = 30, each: int = 100, nu: float = 0.5, eta: np.ndarray | None = None,
    s: np.ndarray | None = None,
) -> tuple[Judgments, np.ndarray, np.ndarray]:  # fmt: skip
    """Answers of judges who look, tie or decide, and then tell the truth or its opposite; none of the model's code."""
    rng = np.random.default_rng(seed)
    s = rng.normal(0, 1, systems) if s is None else s
    eta = rng.beta(10, 1, judges) if eta is None else eta
    judge = np.repeat(np.arange(judges), each)
    a = rng.integers(0, systems, len(judge))
    b = (a + rng.integers(1, systems, len(judge))) % systems
    strength = np.exp(s)
    tie = nu * np.sqrt(strength[a] * strength[b])
    whole = strength[a] + strength[b] + tie
    drawn = rng.random(len(judge)) * whole
    seen = np.where(drawn < strength[a], 1, np.where(drawn < strength[a] + tie, 0, -1))
    said = np.where(rng.random(len(judge)) < eta[judge], seen, -seen)
    frame = pl.DataFrame({
        "system_a": [f"s{i}" for i in a], "system_b": [f"s{i}" for i in b], "outcome": said,
        "judge": [f"j{k:03d}" for k in judge], "segment": [f"g{k}" for k in rng.integers(0, 100, len(judge))],
    })  # fmt: skip
    return Judgments.from_rows(frame), s - s.mean(), eta


def brute_objective(judgments: Judgments, x: np.ndarray, ties: bool, *, penalty: float = 1.0) -> float:
    """The log posterior written out judgment by judgment: strengths, log ν if there are ties, logits of η."""
    n = len(judgments.systems)
    s, nu, eta = x[:n], np.exp(x[n]) if ties else 0.0, expit(x[n + ties :])
    total = -0.5 * (x[n] / 5) ** 2 if ties else 0.0
    total += penalty * float((np.log(expit(s)) + np.log(expit(-s))).sum())
    total += float((9.5 * np.log(eta) + 0.5 * np.log(1 - eta)).sum())
    rows = zip(*(judgments.codes(c) for c in ("system_a", "system_b", "outcome", "judge")), strict=True)
    for a, b, outcome, k in rows:
        i, j = np.exp(s[a]), np.exp(s[b])
        whole = i + j + nu * np.sqrt(i * j)
        p = {1: eta[k] * i + (1 - eta[k]) * j, 0: nu * np.sqrt(i * j), -1: eta[k] * j + (1 - eta[k]) * i}[int(outcome)]
        total += float(np.log(p / whole))
    return total


@pytest.mark.parametrize("nu", [0.5, 0.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_fit_is_where_an_optimiser_ends(seed: int, nu: float) -> None:
    judgments = crowd(seed, systems=3, judges=3, each=25, nu=nu, eta=np.array([0.95, 0.9, 0.2]))[0]
    fit, ties = CrowdBT().fit(judgments), nu > 0
    start = np.concatenate([np.zeros(3 + ties), np.full(3, logit(0.95))])
    found = minimize(lambda x: -brute_objective(judgments, x, ties), start, method="BFGS", options={"gtol": 1e-6})
    # A gradient by differences ends a little short of the top.
    assert fit.place.strengths == pytest.approx(found.x[:3], abs=1e-4)
    assert fit.scores == pytest.approx(found.x[:3] - found.x[:3].mean(), abs=1e-4)
    assert fit.place.logits == pytest.approx(found.x[3 + ties :], abs=1e-3)
    assert fit.tie_parameter == pytest.approx(np.exp(found.x[3]) if ties else 0.0, abs=1e-3)


@pytest.mark.parametrize("nu", [0.5, 0.0])
def test_the_fit_is_a_top_by_finite_differences(nu: float) -> None:
    judgments = crowd(2, systems=4, judges=4, each=40, nu=nu)[0]
    fit, ties = CrowdBT(penalty=0.7).fit(judgments), nu > 0
    x = np.concatenate([fit.place.strengths, [fit.place.tie] if ties else [], fit.place.logits])
    level = brute_objective(judgments, x, ties, penalty=0.7)
    for k in range(len(x)):
        step = 1e-4 * np.eye(len(x))[k]
        up, down = (brute_objective(judgments, x + sign * step, ties, penalty=0.7) for sign in (1, -1))
        assert abs(up - down) / 2e-4 < 1e-5
        assert max(up, down) < level


def answers(seed: int, *, ties: bool) -> Answers:
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(4, 1)
    judge = np.repeat(np.arange(3), len(a))
    counts = rng.integers(0, 6, (3, len(judge))).astype(float)
    counts[1] *= ties
    return Answers(4, 3, judge, np.tile(a, 3), np.tile(b, 3), counts, np.zeros((len(judge), 0)))


@pytest.mark.parametrize("ties", [True, False])
def test_gradient_and_information_are_those_of_the_log_posterior(ties: bool) -> None:
    data, prior = answers(0, ties=ties), Prior(0.8, 9.5, 0.5, 0.04)
    x = np.random.default_rng(1).normal(0, 0.8, 4 + ties + 3)

    def at(x: np.ndarray) -> Place:
        return Place(x[:4], float(x[4]) if ties else None, x[4 + ties :])

    def gradient(x: np.ndarray) -> np.ndarray:
        found = curvature(data, at(x), prior)
        return np.concatenate([found.common, found.own])

    found, common = curvature(data, at(x), prior), 4 + ties
    whole = np.zeros((len(x), len(x)))
    whole[:common, :common], whole[:common, common:], whole[common:, :common] = found.joint, found.cross, found.cross.T
    whole[common:, common:] = np.diag(found.blocks)
    for k in range(len(x)):
        step = 1e-5 * np.eye(len(x))[k]
        slope = (log_posterior(data, at(x + step), prior) - log_posterior(data, at(x - step), prior)) / 2e-5
        assert gradient(x)[k] == pytest.approx(slope, abs=1e-5)
        assert whole[k] == pytest.approx(-(gradient(x + step) - gradient(x - step)) / 2e-5, abs=1e-5)


def test_every_step_leads_upwards_also_away_from_a_saddle() -> None:
    eta = np.array([0.97, 0.95, 0.03, 0.05, 0.5])  # as many against as for: all alike is a saddle
    judgments = crowd(3, judges=5, each=300, eta=eta)[0]
    model, fit = CrowdBT(), CrowdBT().fit(judgments)
    data = fit.crowd.answers
    at, levels = model._start(data), []
    for _ in range(fit.convergence.iterations):
        levels.append(log_posterior(data, at, model.prior))
        at = climb(data, at, model.prior, tolerance=0.0, steps=1)[0]
    assert (np.diff(levels) >= -1e-8).all()
    assert fit.convergence.converged
    assert fit.curve.concave


def test_strengths_and_honesty_lie_in_their_intervals() -> None:
    inside: dict[str, list[bool]] = {"s": [], "eta": []}
    for seed in range(30):
        judgments, s, eta = crowd(seed, nu=0.5 * (seed % 2))
        fit = CrowdBT().fit(judgments)
        inside["s"] += (np.abs(fit.scores - s) < 1.96 * fit.deviations).tolist()
        low, high = fit.honesty_intervals(0.05).T
        inside["eta"] += ((low < eta) & (eta < high)).tolist()
    # 180 strengths (± .035 at two standard errors), 900 judges (± .015); the joint top makes both a little too sure.
    assert 0.89 < np.mean(inside["s"]) < 0.99
    assert 0.89 < np.mean(inside["eta"]) < 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("work", "nu"), [((20, 150), 0.5), ((40, 500), 0.0), ((400, 50), 0.5), ((400, 50), 0.0)])
def test_strengths_are_least_biased_on_the_scale_of_the_prior(work: tuple[int, int], nu: float) -> None:
    """Slopes of estimated on true strengths: with the prior's density in η (nearly), in arcsin √η and in logit η."""
    scales = (CrowdBT(prior_true=9.5, prior_false=0.52), CrowdBT(), CrowdBT(prior_true=10.5, prior_false=1.5))
    slopes, inside = [], {"s": [], "eta": []}
    for seed in range(40):
        judgments, s, eta = crowd(1000 + seed, judges=work[0], each=work[1], nu=nu)
        fits = [model.fit(judgments) for model in scales]
        slopes.append([float(fit.scores @ s / (s @ s)) for fit in fits])
        inside["s"] += (np.abs(fits[1].scores - s) < 1.96 * fits[1].deviations).tolist()
        low, high = fits[1].honesty_intervals(0.05).T
        inside["eta"] += ((low < eta) & (eta < high)).tolist()
    in_eta, middle, in_logit = np.mean(slopes, axis=0)
    assert 0.8 < in_eta < 0.97 < middle < 1.06 < in_logit < 1.27
    # 240 strengths (± .03): what is left of the bias shows where judges are many.
    assert 0.78 < np.mean(inside["s"]) < 0.99
    assert 0.87 < np.mean(inside["eta"]) < 0.97


def test_random_and_reversed_judges_are_found_and_harm_less() -> None:
    eta = np.concatenate([np.full(5, 0.5), np.full(4, 0.05), np.full(21, 0.95)])
    distances = []
    for seed in range(8):
        judgments, s, _ = crowd(50 + seed, eta=eta, each=400, s=np.linspace(-1.5, 1.5, 6))
        fit, plain = CrowdBT().fit(judgments), BradleyTerry().fit(judgments)
        assert np.abs(fit.honesty[:5] - 0.5).max() < 0.25  # the prior pulls them upwards
        assert fit.honesty[5:9].max() < 0.25
        assert fit.honesty[9:].min() > 0.75
        distances.append([1 - np.corrcoef(scores, s)[0, 1] for scores in (fit.scores, plain.scores)])
    assert np.mean(distances, axis=0)[0] < 0.7 * np.mean(distances, axis=0)[1]


def test_turning_one_judge_round_turns_their_honesty_round() -> None:
    judgments = crowd(60, each=1000)[0]
    rows = judgments.to_rows()
    turned = Judgments.from_rows(
        rows.with_columns(outcome=pl.when(pl.col("judge") == "j000").then(-pl.col("outcome")).otherwise("outcome"))
    )
    before, after = CrowdBT().fit(judgments), CrowdBT().fit(turned)
    assert before.honesty[0] > 0.75
    assert after.honesty[0] == pytest.approx(1 - before.honesty[0], abs=0.12)  # the prior pulls both upwards
    assert np.corrcoef(before.scores, after.scores)[0, 1] > 0.999


def test_a_crowd_of_liars_is_taken_for_honest() -> None:
    judgments, s, _ = crowd(61, eta=np.full(30, 0.1))
    fit = CrowdBT().fit(judgments)
    assert np.corrcoef(fit.scores, s)[0, 1] < -0.95
    assert fit.usual_honesty > 0.8


def test_without_ties_no_tie_is_expected_and_with_one_judge_it_is_bradley_terry() -> None:
    judgments = crowd(7, nu=0.0, judges=1, each=3000, eta=np.array([1.0]))[0]
    fit = CrowdBT(prior_true=1e7).fit(judgments)  # who always tells the truth
    assert fit.predict(0, 1).tie < 1e-12
    assert fit.tie_parameter == 0
    plain = BradleyTerry(ties="half").fit(judgments)
    assert fit.scores == pytest.approx(plain.scores, abs=0.02)  # their weak priors differ
    assert fit.deviations == pytest.approx(plain.deviations, rel=0.02)


def test_nothing_but_ties_leaves_systems_alike_and_judges_as_they_were() -> None:
    rows = [("a", "b", 0), ("b", "c", 0), ("a", "c", 0)] * 4
    fit = CrowdBT().fit(judged(rows, judge=["x", "y", "z"] * 4))
    assert fit.convergence.converged
    assert fit.scores == pytest.approx(0.0, abs=1e-9)
    assert fit.honesty == pytest.approx(10 / 11)
    assert fit.predict("a", "b").tie > 0.9


def test_an_unknown_judge_gets_the_mean_honesty_and_a_known_one_their_own() -> None:
    judgments = crowd(8, eta=np.linspace(0.1, 0.99, 30))[0]
    fit = CrowdBT().fit(judgments)
    rows = judgments.to_rows()
    stranger = fit.predict_rows(Judgments.from_rows(rows.with_columns(judge=pl.lit("new"))))
    a, b = fit.row_codes(judgments)
    assert stranger == pytest.approx(fit.predict_pairs()[a, b])
    table = fit.predict_pairs()[a, b]
    true = CrowdBT(prior_true=1e9).fit(judgments)  # nobody ever lies: the mix by hand from Davidson's probabilities
    d, nu = fit.scores[a] - fit.scores[b], fit.tie_parameter
    win, loss = (np.exp(x / 2) / (np.exp(d / 2) + np.exp(-d / 2) + nu) for x in (d, -d))
    mean = fit.honesty.mean()
    assert table[:, 0] == pytest.approx(mean * win + (1 - mean) * loss)
    own = fit.honesty[judgments.codes("judge")]
    assert fit.predict_rows(judgments)[:, 0] == pytest.approx(own * win + (1 - own) * loss)
    assert (true.honesty > 0.999).all()


def test_judgments_without_a_judge_are_one_judges() -> None:
    rows = random_rows(np.random.default_rng(0)).drop("judge")
    fit = CrowdBT().fit(Judgments.from_rows(rows))
    assert fit.judges == ()
    assert any("name no judge" in note for note in fit.notes)
    assert 0 < fit.usual_honesty < 1


def test_warm_refits_and_updates_equal_cold_fits() -> None:
    judgments = crowd(9, judges=12, each=60)[0]
    rows = np.random.default_rng(0).integers(0, len(judgments), len(judgments))
    weights = np.bincount(rows, minlength=len(judgments)).astype(float)
    assert CrowdBT().warmed(judgments).rescore(weights) == pytest.approx(
        CrowdBT().fit(judgments.take(rows)).scores, abs=1e-4
    )
    # Parts that share some judges, one of them without names, the first without ties and without a system.
    outcome, judge = judgments.codes("outcome"), judgments.codes("judge")
    unnamed = Judgments.from_rows(judgments.filter(judge == 11).to_rows().drop("judge"))
    first, second = judgments.filter((outcome != 0) & (judge < 8)), judgments.filter((outcome == 0) | (judge >= 8))
    updated = CrowdBT().fit(first).update(second).update(unnamed)
    every = pl.concat([part.to_rows() for part in (first, second, unnamed)], how="diagonal")
    whole = CrowdBT().fit(Judgments.from_rows(every))
    assert updated.judges == whole.judges
    assert updated.scores == pytest.approx(whole.scores, abs=1e-7)
    assert updated.honesty == pytest.approx(whole.honesty, abs=1e-7)
    assert updated.deviations == pytest.approx(whole.deviations, abs=1e-7)


@pytest.mark.parametrize("nu", [0.5, 0.0])
def test_influences_are_what_leaving_out_units_changes(nu: float) -> None:
    judgments = crowd(10, judges=20, each=60, nu=nu)[0]
    model = CrowdBT()
    fit = model.fit(judgments)
    rows = model.influence_rows(judgments, fit)
    for unit in ("judge", "segment"):
        codes = judgments.codes(unit).astype(np.int64)
        sums = np.stack([np.bincount(codes, column) for column in rows.scores.T], axis=1)
        changes = -np.linalg.solve(rows.whole, sums.T).T
        changes -= changes.mean(axis=1, keepdims=True)
        left = np.array([model.fit(judgments.filter(codes != g)).scores - fit.scores for g in range(codes.max() + 1)])
        assert np.corrcoef(changes.ravel(), left.ravel())[0, 1] > 0.98
        found = row_jackknife(rows, codes, unit_kinds(judgments, unit), np.full(6, 1 / 6))
        expected = left.T @ left * (len(left) - 1) / len(left)
        assert np.trace(found.covariance) == pytest.approx(np.trace(expected), rel=0.2)


def test_two_way_intervals_cover() -> None:
    missed = []
    for seed in range(25):
        judgments, s, _ = crowd(300 + seed, judges=20, each=60)
        for line in pm.rank(judgments, model="crowd-bt", rng=0).lines:
            low, high = line.interval
            missed.append(not low <= s[int(line.system[1:])] <= high)
    assert np.mean(missed) < 0.1  # 150 intervals at .05, which are not independent


def test_a_ranking_gives_ranges_from_judges_and_segments() -> None:
    ranking = pm.rank(crowd(11, judges=10, each=40)[0], model="crowd-bt", rng=0)
    assert "unit:two-way" in ranking.signature
    assert all(line.range[0] <= line.range[1] for line in ranking.lines)


@pytest.mark.parametrize(("given", "wording"), [
    ({"penalty": "0"}, "setting penalty: got 0.0; allowed: a number above 0"),
    ({"prior_false": "0.5"}, "setting prior_false: got 0.5; allowed: a number above 0.5"),
    ({"prior_true": "1"}, "setting prior_true: got 1, with prior_false 1; allowed: more than prior_false"),
])  # fmt: skip
def test_settings_are_checked(given: dict[str, str], wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        pm.models.create("crowd-bt", given)


def test_pair_counts_are_not_enough() -> None:
    judgments = crowd(0, judges=3)[0]
    with pytest.raises(InputError, match="model 'crowd-bt' needs the judgments"):
        CrowdBT().fit(judgments.counts)
    with pytest.raises(InputError, match="model 'crowd-bt' needs the judgments"):
        CrowdBT().fit(judgments).update(judgments.counts)


# -- answer by answer ------------------------------------------------------------------------------


def beliefs(tie: float | None = -0.4) -> Beliefs:
    return Beliefs(
        np.array([0.3, -0.5, 1.0]), np.array([0.8, 2.0, 1.5]), np.array([10.0, 3.0]), np.array([1.0, 4.0]), tie
    )


@pytest.mark.parametrize("tie", [-0.4, None])
@pytest.mark.parametrize("outcome", [1, 0, -1])
def test_beliefs_after_an_answer_have_the_moments_of_the_posterior(outcome: int, tie: float | None) -> None:
    if outcome == 0 and tie is None:
        return
    before, judge = beliefs(tie), 1
    after = answered(before, 0, 1, judge, outcome)
    nu = 0.0 if tie is None else np.exp(tie)

    def likelihood(d: float, eta: float) -> float:
        whole = np.exp(d / 2) + np.exp(-d / 2) + nu
        if outcome == 0:
            return nu / whole
        return (eta * np.exp(outcome * d / 2) + (1 - eta) * np.exp(-outcome * d / 2)) / whole

    centre, spread = 0.3 + 0.5, 0.8 + 2.0
    average = before.honesty[judge]
    weigh = lambda d: norm.pdf(d, centre, spread**0.5) * likelihood(d, average)  # noqa: E731
    z, one, two = (quad(lambda d, k=k: d**k * weigh(d), -25, 25, epsabs=1e-12)[0] for k in range(3))
    given, left = 0.8 / spread, 0.8 - 0.8**2 / spread  # s_0 | d ~ N(0.3 + given (d − centre), left)
    mean = 0.3 + given * (one / z - centre)
    variance = left + given**2 * (two / z - (one / z) ** 2)
    assert after.mean[0] == pytest.approx(mean, abs=1e-6)
    assert after.variance[0] == pytest.approx(variance, abs=1e-6)
    assert posterior(before, np.array(0), np.array(1), np.array(judge)).chance[1 - outcome] == pytest.approx(
        z, abs=1e-6
    )
    over_d = [quad(lambda d, e=e: norm.pdf(d, centre, spread**0.5) * likelihood(d, e), -25, 25)[0] for e in (0.0, 1.0)]
    weigh = lambda e: beta.pdf(e, 3, 4) * (over_d[0] + e * (over_d[1] - over_d[0]))  # noqa: E731
    z, one, two = (quad(lambda e, k=k: e**k * weigh(e), 0, 1, epsabs=1e-12)[0] for k in range(3))
    found = beta(after.true[judge], after.false[judge])
    assert found.mean() == pytest.approx(one / z, abs=1e-6)
    assert found.var() == pytest.approx(two / z - (one / z) ** 2, abs=1e-6)
    # The others are as they were.
    assert (after.mean[2], after.variance[2], after.true[0]) == (1.0, 1.5, 10.0)


def test_the_expected_change_is_the_mean_divergence() -> None:
    before, expected = beliefs(), 0.0
    chance = posterior(before, np.array(0), np.array(2), np.array(1)).chance
    assert chance.sum() == pytest.approx(1, abs=1e-9)
    for outcome, p in zip((1, 0, -1), chance, strict=True):
        after = answered(before, 0, 2, 1, outcome)
        for i in (0, 2):
            new, old = norm(after.mean[i], after.variance[i] ** 0.5), norm(before.mean[i], before.variance[i] ** 0.5)
            log_ratio = lambda x, new=new, old=old: new.pdf(x) * (new.logpdf(x) - old.logpdf(x))  # noqa: E731
            expected += p * quad(log_ratio, -12, 12)[0]
        new, old = beta(after.true[1], after.false[1]), beta(3, 4)
        log_ratio = lambda x, new=new, old=old: new.pdf(x) * (new.logpdf(x) - old.logpdf(x))  # noqa: E731
        expected += 0.7 * p * quad(log_ratio, 1e-9, 1 - 1e-9)[0]
    found = expected_change(before, np.array(0), np.array(2), np.array(1), judge_weight=0.7)
    assert found == pytest.approx(expected, abs=1e-6)


def test_the_next_question_is_the_best_of_all() -> None:
    before = beliefs()
    every = {
        (a, b, k): float(expected_change(before, np.array(a), np.array(b), np.array(k)))
        for a, b in ((0, 1), (0, 2), (1, 2))
        for k in (0, 1)
    }
    best = max(every, key=every.__getitem__)
    assert next_question(before) == (*best, pytest.approx(every[best]))
    assert next_question(before, judges=np.array([0]), judge_weight=0.0)[2] == 0
    # Without interest in judges themselves the good one is asked, whoever else there is.
    assert next_question(before, judge_weight=0.0)[2] == 0
    with pytest.raises(InputError, match="no judge can be asked"):
        next_question(before, judges=np.array([], dtype=int))


def test_beliefs_near_the_fit_after_many_answers() -> None:
    judgments = crowd(12, judges=10, each=100, eta=np.array([0.5, 0.05] + [0.95] * 8))[0]
    fit = CrowdBT().fit(judgments)
    now = Beliefs.before(6, 10, tie=fit.place.tie)
    assert now.variance == pytest.approx(np.pi**2 / 3)  # of the logistic distribution, which penalty 1 is
    columns = [judgments.codes(c) for c in ("system_a", "system_b", "judge", "outcome")]
    for row in np.random.default_rng(0).permutation(len(judgments)):
        now = answered(now, *(int(column[row]) for column in columns))
    assert np.corrcoef(now.mean, fit.scores)[0, 1] > 0.98
    assert now.honesty == pytest.approx(fit.honesty, abs=0.2)
    follow = Beliefs.after(fit)
    assert follow.honesty == pytest.approx(fit.honesty)


@pytest.mark.parametrize(("a", "b", "outcome", "wording"), [
    (0, 0, 1, "got 1 on systems 0 and 0"), (0, 1, 2, "got 2 on systems 0 and 1"), (0, 1, 0, "these beliefs know none"),
])  # fmt: skip
def test_an_answer_that_is_none_is_refused(a: int, b: int, outcome: int, wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        answered(beliefs(None), a, b, 0, outcome)
