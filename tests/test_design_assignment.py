"""Who should see what: gains by brute force, what they prefer, and assignments against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy.integrate import dblquad
from scipy.special import expit
from scipy.stats import beta, norm

from palmares.design.assignment import Screen, _beta_rules, assign, best_judge, best_screen, gains
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.base import Fit
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.crowd_bt import CrowdBT
from palmares.models.graded_response import GradedResponse
from palmares.models.ordinal import Ordinal

MODELS = {"ordinal": Ordinal(), "crowd-bt": CrowdBT()}


def campaign(seed: int = 0, *, ties: bool = True) -> Judgments:
    """Five systems; judge "random" draws answers, "careful" sees well, "rare" judged five times, others in between."""
    rng = np.random.default_rng(seed)
    theta = np.linspace(-1, 1, 5)
    work = {"random": 150, "careful": 150, "usual-1": 150, "usual-2": 150, "usual-3": 150, "rare": 5}
    judge = np.repeat(list(work), list(work.values()))
    sensitivity = np.select([judge == "random", judge == "careful"], [0.0, 3.0], 1.0)
    a = rng.integers(0, 5, len(judge))
    b = (a + rng.integers(1, 5, len(judge))) % 5
    seen = sensitivity * (theta[a] - theta[b]) + rng.logistic(0, 1, len(judge))
    outcome = np.where(np.abs(seen) < 0.4 * ties, 0, np.sign(seen)).astype(int)
    names = [[f"s{i}" for i in side] for side in (a, b)]
    return Judgments.from_rows(
        pl.DataFrame({"system_a": names[0], "system_b": names[1], "outcome": outcome, "judge": judge})
    )


@pytest.fixture(scope="module", params=MODELS)
def fit(request: pytest.FixtureRequest) -> Fit:
    return MODELS[request.param].fit(campaign())


def pair(a: str, b: str, segment: int = 0) -> Screen:
    return Screen(segment, (a, b))


def entropy(p: np.ndarray) -> float:
    return float(-(p * np.log(p)).sum())


@pytest.mark.parametrize("judge", ["careful", "random", "rare"])
def test_gains_under_crowd_bt_are_integrals(judge: str) -> None:
    """Over a normal difference and a Beta honesty, by adaptive quadrature, without ties."""
    fit = CrowdBT().fit(campaign(ties=False))
    k, cov = fit.judges.index(judge), fit.covariance
    mean, variance = fit.honesty[k], fit.honesty_errors[k] ** 2
    size = mean * (1 - mean) / variance - 1
    honesty, gap = (
        beta(mean * size, (1 - mean) * size),
        norm(fit.scores[1] - fit.scores[3], np.sqrt(cov[1, 1] + cov[3, 3] - 2 * cov[1, 3])),
    )

    def win(d: float, eta: float) -> float:
        return float(eta * expit(d) + (1 - eta) * expit(-d))

    def binary(p: float) -> float:
        return entropy(np.array([p, 1 - p]))

    ends = gap.ppf(1e-9), gap.ppf(1 - 1e-9)
    d = np.linspace(*ends, 2001)
    weight = gap.pdf(d) / gap.pdf(d).sum()
    given = np.array([win(x, mean) for x in d])  # linear in honesty
    whole = binary(float(weight @ given))
    about_systems = whole - float(weight @ [binary(p) for p in given])
    low, high = honesty.ppf(1e-9), honesty.ppf(1 - 1e-9)
    left = dblquad(lambda eta, x: gap.pdf(x) * honesty.pdf(eta) * binary(win(x, eta)), *ends, low, high, epsabs=1e-6)[0]
    screens = [pair("s1", "s3")]
    assert gains(fit, [judge], screens, judge_weight=0)[0, 0] == pytest.approx(about_systems, abs=1e-5)
    assert gains(fit, [judge], screens, judge_weight=1)[0, 0] == pytest.approx(whole - left, abs=2e-4)


@pytest.mark.parametrize("judge", ["careful", "rare", "nobody has met them"])
def test_gains_under_ordinal_are_means_over_draws(judge: str) -> None:
    """By Monte Carlo: draws of the difference and of the judge, and Rao & Kupper's probabilities written out."""
    fit, rng = Ordinal().fit(campaign()), np.random.default_rng(0)
    cov, draws = fit.covariance, 1500
    gap = rng.normal(fit.scores[0] - fit.scores[1], np.sqrt(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]), draws)
    if judge in fit.judges:
        k = fit.judges.index(judge)
        own = rng.multivariate_normal(fit.place.own[k], fit.curve.inverse_blocks[k], draws)
    else:
        own = rng.normal(0, fit.spreads, (draws, 2))
    z, delta = np.exp(own[:, 0]) * gap[:, None], np.exp(fit.place.width + own[:, 1])  # every gap with every judge
    p = np.stack([expit(z - delta), 1 - expit(z - delta) - expit(-z - delta), expit(-z - delta)])
    given_gap = p.mean(axis=2)
    whole = entropy(given_gap.mean(axis=1))
    left = -(given_gap * np.log(given_gap)).sum(axis=0).mean()
    screens = [pair("s0", "s1")]
    assert gains(fit, [judge], screens, judge_weight=0)[0, 0] == pytest.approx(whole - left, rel=0.1)
    joint = whole + (p * np.log(p)).sum(axis=0).mean()
    assert gains(fit, [judge], screens, judge_weight=1)[0, 0] == pytest.approx(joint, rel=0.1)


def against_a_baseline(seed: int = 0) -> Judgments:
    """Systems s0, s1, s3, s4 against s2 on an easy, a hard and a usual segment, by Otani et al.'s model."""
    rng = np.random.default_rng(seed)
    theta, places = np.array([-1.0, -0.3, 0.3, 1.0]), {"easy": -1.5, "hard": 1.5, "usual": 0.0}
    rows = []
    for judge, a in (("careful", 3.0), ("usual-1", 1.5), ("usual-2", 1.5), ("random", 0.05)):
        for _ in range(120):
            i, segment = int(rng.integers(0, 4)), str(rng.choice(list(places)))
            above = [expit(a * (theta[i] - places[segment] - shift)) for shift in (-0.3, 0.3)]
            outcome = int((rng.random() < np.array(above)).sum()) - 1
            rows.append((["s0", "s1", "s3", "s4"][i], "s2", outcome, judge, segment))
    columns = ["system_a", "system_b", "outcome", "judge", "segment"]
    return Judgments.from_rows(pl.DataFrame(rows, schema=columns, orient="row"))


@pytest.mark.parametrize(("judge", "segment"), [("careful", "usual"), ("nobody", "hard"), ("random", "a new one")])
def test_gains_under_graded_response_are_means_over_draws(judge: str, segment: str) -> None:
    """By Monte Carlo over the system's place, the judge's sensitivity and the segment's difficulties."""
    fit, rng, draws = GradedResponse(baseline="s2").fit(against_a_baseline()), np.random.default_rng(0), 400
    i = fit.systems.index("s1")
    theta = rng.normal(fit.scores[i], fit.deviations[i], draws)
    (log_a, a_sd), (middle, roots) = fit.judge_beliefs, fit.segment_beliefs
    k = fit.judges.index(judge) if judge in fit.judges else -1
    j = fit.segments.index(segment) if segment in fit.segments else -1
    a = np.exp(rng.normal(log_a[k], a_sd[k], draws))
    centre, log_width = middle[j][:, None] + roots[j] @ rng.normal(size=(2, 300))
    low, high = centre - np.exp(log_width) / 2, centre + np.exp(log_width) / 2
    not_lost, won = (expit(a[:, None] * (theta[:, None, None] - b)).mean(axis=-1) for b in (low, high))
    p = np.stack([won, not_lost - won, 1 - not_lost])
    given_theta = p.mean(axis=2)
    whole = entropy(given_theta.mean(axis=1))
    screens = [Screen(segment, ("s1", "s2"))]
    alone = whole + (given_theta * np.log(given_theta)).sum(axis=0).mean()
    assert gains(fit, [judge], screens, judge_weight=0)[0, 0] == pytest.approx(alone, rel=0.15)
    joint = whole + (p * np.log(p)).sum(axis=0).mean()
    assert gains(fit, [judge], screens, judge_weight=1)[0, 0] == pytest.approx(joint, rel=0.15)


def test_under_graded_response_the_segment_counts_and_the_baseline_must_be_there() -> None:
    fit = GradedResponse(baseline="s2").fit(against_a_baseline())
    easy, usual, hard = gains(fit, ["careful"], [Screen(s, ("s2", "s3")) for s in ("easy", "usual", "hard")])[0]
    assert usual > max(easy, hard)  # s3 is where the usual segment is
    # Of a larger screen, only pairs with the baseline count.
    three, *two = gains(
        fit, ["careful"], [Screen("easy", x) for x in (("s1", "s2", "s3"), ("s1", "s2"), ("s3", "s2"))]
    )[0]
    assert three == pytest.approx(2 / 3 * sum(two))
    assert assign(fit, ["random", "careful"], [Screen("usual", ("s2", "s3"))])[0].judge == "careful"
    with pytest.raises(InputError, match="against the baseline only; allowed: screens with s2"):
        gains(fit, ["careful"], [pair("s1", "s3")])


@pytest.mark.parametrize(("true", "false"), [(10.0, 1.0), (0.6, 0.4), (1.0, 1.0), (250.0, 3.0), (90_000.0, 40.0)])
def test_rules_for_betas_have_their_moments(true: float, false: float) -> None:
    nodes, weights = _beta_rules(np.array([3.0, true]), np.array([4.0, false]), 5)
    for power in range(10):  # five nodes are exact to the ninth
        assert weights[1] @ nodes[1] ** power == pytest.approx(
            beta(true, false).moment(power) if power else 1, rel=1e-9
        )


def test_a_judge_who_is_known_all_too_well_has_a_gain() -> None:
    rng = np.random.default_rng(0)
    won = rng.random(20_000) < np.where(np.arange(20_000) < 10_000, 0.9, 0.55)
    rows = {"system_a": ["a"] * 20_000, "system_b": ["b"] * 20_000, "outcome": np.where(won, 1, -1)}
    fit = CrowdBT(prior_true=1e5, prior_false=10).fit(
        Judgments.from_rows(pl.DataFrame({**rows, "judge": ["one"] * 10_000 + ["two"] * 10_000}))
    )
    found = gains(fit, ["one", "two", "three"], [pair("a", "b")], judge_weight=1)
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_a_careful_judge_tells_more_of_systems_than_a_random_one(fit: Fit) -> None:
    found = gains(fit, ["careful", "usual-1", "random"], [pair("s1", "s2")], judge_weight=0)[:, 0]
    assert found[0] > found[1] > found[2]
    assert best_judge(fit, pair("s1", "s2"), ["random", "careful"]).judge == "careful"


def test_a_judge_who_is_hardly_known_is_worth_a_try_if_judges_count(fit: Fit) -> None:
    judges = ["usual-1", "rare", "newcomer"]
    alone, both = (gains(fit, judges, [pair("s0", "s4")], judge_weight=weight)[:, 0] for weight in (0, 1))
    assert (both >= alone).all()
    assert (both - alone)[1:].min() > 2 * (both - alone)[0]
    half = gains(fit, judges, [pair("s0", "s4")], judge_weight=0.5)[:, 0]
    assert half == pytest.approx((alone + both) / 2)


def test_a_pair_of_unsure_order_tells_more_than_a_clear_one(fit: Fit) -> None:
    chosen = best_screen(fit, "careful", [pair("s0", "s4"), pair("s2", "s3")], judge_weight=0)
    assert chosen.screen.systems == ("s2", "s3")
    assert chosen.gain > gains(fit, ["careful"], [pair("s0", "s4")], judge_weight=0)[0, 0]


def test_pairs_of_a_larger_screen_count_less(fit: Fit) -> None:
    systems = ("s0", "s2", "s1", "s4", "s3")
    pairs = [pair(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :]]
    each = gains(fit, ["rare"], pairs, judge_weight=1)[0]
    five, two = gains(fit, ["rare"], [Screen("g", systems), pair("s1", "s0")], judge_weight=1)[0]
    assert five == pytest.approx(0.4 * each.sum())
    assert two == pytest.approx(each[pairs.index(pair("s0", "s1"))])


def test_the_assignment_is_the_best_of_all(fit: Fit) -> None:
    judges = ["random", "careful", "newcomer"]
    screens = [pair("s0", "s4", 1), pair("s1", "s2", 2), pair("s2", "s3", 3), pair("s0", "s1", 4)]
    found = gains(fit, judges, screens, judge_weight=0.3)
    best = max(sum(found[i, j] for i, j in enumerate(order)) for order in permutations(range(4), 3))
    chosen = assign(fit, judges, screens, judge_weight=0.3)
    assert sum(choice.gain for choice in chosen) == pytest.approx(best)
    assert sorted(choice.judge for choice in chosen) == sorted(judges)
    assert len({choice.screen for choice in chosen}) == 3
    # With one screen, one judge gets it.
    (only,) = assign(fit, judges, screens[:1], judge_weight=0)
    assert only.judge == best_judge(fit, screens[0], judges, judge_weight=0).judge


def test_judges_are_looked_at_a_few_at_a_time(fit: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    judges, screens = ["careful", "newcomer", "rare", "careful"], [pair("s0", "s1"), pair("s2", "s4")]
    at_once = gains(fit, judges, screens)
    monkeypatch.setattr("palmares.design.assignment._AT_ONCE", 1)
    assert np.array_equal(gains(fit, judges, screens), at_once)
    assert np.array_equal(at_once[0], at_once[3])


def test_what_cannot_be_assigned_is_refused(fit: Fit) -> None:
    with pytest.raises(InputError, match="no screen to choose from"):
        best_screen(fit, "rare", [])
    with pytest.raises(InputError, match="no judge to choose from"):
        best_judge(fit, pair("s0", "s1"), [])
    with pytest.raises(InputError, match="one is named twice"):
        assign(fit, ["rare", "rare"], [pair("s0", "s1")])
    with pytest.raises(InputError, match="two or more systems, each once"):
        gains(fit, ["rare"], [pair("s0", "s0")])
    with pytest.raises(InputError, match="unknown system 'nobody'"):
        gains(fit, ["rare"], [pair("s0", "nobody")])
    with pytest.raises(InputError, match="judge_weight: got -1; allowed: a number of at least 0"):
        gains(fit, ["rare"], [pair("s0", "s1")], judge_weight=-1)
    with pytest.raises(
        InputError, match=r"model 'bradley-terry' says nothing of what judges are like; allowed: ordinal"
    ):
        gains(BradleyTerry().fit(campaign()), ["rare"], [pair("s0", "s1")])
