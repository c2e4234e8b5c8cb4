"""The graded response model, against finite differences, quadrature, and a generator of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import counted, judged, random_rows
from scipy.linalg import eigh
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit
from scipy.stats import norm

from palmares import Testing, compare
from palmares.errors import InputError, UnplaceableError
from palmares.judgments import Judgments
from palmares.kernels.graded_climb import Arrow, climb, curvature
from palmares.kernels.graded_response import (
    Grades,
    Items,
    Nodes,
    Prior,
    Terms,
    abilities,
    adaptive_nodes,
    fixed_nodes,
    gradient,
    item_information,
    marginal,
    moments,
)
from palmares.models.against_baseline import Baseline, BaselineTable, choose_baseline
from palmares.models.graded_response import GradedResponse


def outcome_probabilities(theta: float, b1: float, b2: float, a: float) -> np.ndarray:
    """P(u = 1), P(u = 2), P(u = 3), as the model is written."""
    above = [1.0, *(1 / (1 + np.exp(-a * (theta - b))) for b in (b1, b2)), 0.0]
    return -np.diff(above)


@pytest.mark.parametrize("a", [0.4, 1.0, 2.5])
@pytest.mark.parametrize(("b1", "b2"), [(-0.5, 0.5), (0.1, 0.13), (-3.0, 2.0)])
@pytest.mark.parametrize("theta", [-2.0, 0.0, 0.7])
def test_item_information_is_the_expected_curvature(theta: float, b1: float, b2: float, a: float) -> None:
    h = 1e-3
    logs = [np.log(outcome_probabilities(theta + step, b1, b2, a)) for step in (-h, 0.0, h)]
    curvature = (logs[0] - 2 * logs[1] + logs[2]) / h**2
    expected = -(curvature * outcome_probabilities(theta, b1, b2, a)).sum()
    assert item_information(theta, b1, b2, a) == pytest.approx(expected, rel=1e-4)


def test_item_information_of_arrays_and_far_out() -> None:
    theta = np.linspace(-400, 400, 9)
    found = item_information(theta, np.array([[-1.0], [0.0]]), np.array([[1.0], [0.2]]))
    assert found.shape == (2, 9)
    assert np.isfinite(found).all()
    assert found[:, [0, -1]] == pytest.approx(0.0, abs=1e-100)
    # b1 = b2 would be a coin with two sides: P (1 − P).
    assert item_information(0.3, -1e-9, 1e-9) == pytest.approx(np.exp(-0.3) / (1 + np.exp(-0.3)) ** 2, abs=1e-8)


# -- the fit, against formulas written out -------------------------------------------------------------

PRIOR = Prior(np.sqrt(2), np.log(1.7), 1.0, (-0.5, 0.5), 2.0, 1.0)


@dataclass(frozen=True)
class Truth:
    theta: np.ndarray
    log_a: np.ndarray
    b: np.ndarray


def drawn_truth(
    rng: np.random.Generator, systems: int, judges: int, segments: int, *, b_sd: float = 2.0, a_sd: float = 1.0
) -> Truth:
    """Parameters from the model's own priors."""
    b = rng.normal([-0.5, 0.5], b_sd, (6 * segments + 60, 2))
    return Truth(
        rng.normal(0, np.sqrt(2), systems),
        rng.normal(np.log(1.7), a_sd, judges),
        b[b[:, 0] < b[:, 1]][:segments],
    )


def simulated(rng: np.random.Generator, truth: Truth, judgments: int) -> Judgments:
    """Judgments against the system ``base``, one draw at a time from the probabilities as they are written."""
    rows = []
    for _ in range(judgments):
        i, k, j = (int(rng.integers(len(part))) for part in (truth.theta, truth.log_a, truth.b))
        p = outcome_probabilities(truth.theta[i], *truth.b[j], np.exp(truth.log_a[k]))
        rows.append((f"s{i}", "base", int(rng.choice(3, p=p)) - 1, f"judge-{k:02}", f"segment-{j:03}"))
    columns = list(zip(*rows, strict=True))
    return judged(list(zip(*columns[:3], strict=True)), judge=columns[3], segment=columns[4])


def log_density(fit_table: Grades, log_a: np.ndarray, b: np.ndarray) -> float:
    """The log marginal posterior by a plain sum over a fine grid of θ, one judgment after another."""
    grid = np.linspace(-9, 9, 6001)
    total = -0.5 * (((log_a - np.log(1.7)) ** 2).sum() + (((b - [-0.5, 0.5]) / 2) ** 2).sum())
    total += np.log(b[:, 1] - b[:, 0]).sum()
    for i in range(fit_table.systems):
        density = norm.logpdf(grid, 0, np.sqrt(2))
        for r in np.flatnonzero(fit_table.system == i):
            a, (b1, b2) = np.exp(log_a[fit_table.judge[r]]), b[fit_table.segment[r]]
            above = [np.ones_like(grid), expit(a * (grid - b1)), expit(a * (grid - b2)), np.zeros_like(grid)]
            grade = fit_table.grade[r]
            density = density + fit_table.weight[r] * np.log(above[grade] - above[grade + 1])
        total += np.log(np.trapezoid(np.exp(density), grid))
    return float(total)


def small_grades(rng: np.random.Generator) -> Grades:
    columns = [rng.integers(0, size, 60) for size in (3, 4, 5, 3)]
    return Grades(3, 4, 5, *columns, rng.uniform(0.5, 2, 60))


def nodes_for(kind: str, data: Grades, items: Items) -> Nodes:
    if kind == "adaptive":
        return adaptive_nodes(*abilities(Terms.of(data), items, data.systems, PRIOR), 21, PRIOR)
    return fixed_nodes(data.systems, 21, 2.0)


def test_the_marginal_posterior_is_the_integral_over_theta() -> None:
    rng = np.random.default_rng(1)
    data = small_grades(rng)
    items = Items(rng.normal(0, 0.4, 4), rng.normal([-1.5, 1.5], 0.5, (5, 2)))
    found = marginal(data, Terms.of(data), items, nodes_for("adaptive", data, items), PRIOR)
    assert found == pytest.approx(log_density(data, items.log_a, items.b), abs=1e-6)


@pytest.mark.parametrize("kind", ["adaptive", "fixed"])
def test_gradients_are_those_of_finite_differences(kind: str) -> None:
    rng = np.random.default_rng(2)
    data = small_grades(rng)
    items = Items(rng.normal(0, 0.4, 4), rng.normal([-1.5, 1.5], 0.5, (5, 2)))
    nodes, terms = nodes_for(kind, data, items), Terms.of(data)
    found = gradient(data, terms, items, moments(terms, items, nodes), PRIOR)
    at = np.concatenate([items.log_a, items.b.ravel()])

    def value(x: np.ndarray) -> float:
        return marginal(data, terms, Items(x[:4], x[4:].reshape(5, 2)), nodes, PRIOR)

    expected = [(value(at + step) - value(at - step)) / 2e-5 for step in 1e-5 * np.eye(len(at))]
    assert np.concatenate([found.log_a, found.b.ravel()]) == pytest.approx(expected, abs=1e-7)


def test_the_climb_ends_at_the_maximum_that_scipy_finds() -> None:
    data = small_grades(np.random.default_rng(3))
    start = Items(np.full(4, np.log(1.7)), np.tile([-0.5, 0.5], (5, 1)))
    peak = climb(data, start, PRIOR, nodes=21)
    assert peak.converged
    assert peak.gradient < 1e-6

    def loss(x: np.ndarray) -> float:
        b = x[4:].reshape(5, 2)
        return 1e9 if (b[:, 0] >= b[:, 1]).any() else -log_density(data, x[:4], b)

    at = np.concatenate([peak.items.log_a, peak.items.b.ravel()])
    rng = np.random.default_rng(4)
    # Nowhere around is higher, and the curvature that steps use is that of the integral.
    assert min(loss(at + rng.normal(0, 0.05, len(at))) for _ in range(40)) > loss(at)
    assert minimize(loss, at, method="L-BFGS-B", options={"maxiter": 3}).fun == pytest.approx(loss(at), abs=1e-6)


def test_curvature_is_that_of_finite_differences_where_theta_is_well_known() -> None:
    rng = np.random.default_rng(5)
    truth = drawn_truth(rng, 8, 3, 4, b_sd=1.0, a_sd=0.3)
    data = BaselineTable.of(simulated(rng, truth, 1600), "base", "graded-response").grades
    items = climb(data, Items(np.full(3, 0.5), np.tile([-0.5, 0.5], (4, 1))), PRIOR, nodes=21).items
    terms, nodes = Terms.of(data), nodes_for("adaptive", data, items)
    at, h = np.concatenate([items.log_a, items.b.ravel()]), 1e-4

    def slope(x: np.ndarray) -> np.ndarray:
        moved = Items(x[:3], x[3:].reshape(4, 2))
        found = gradient(data, terms, moved, moments(terms, moved, nodes), PRIOR)
        return np.concatenate([found.log_a, found.b.ravel()])

    hessian = np.array([(slope(at - step) - slope(at + step)) / (2 * h) for step in h * np.eye(len(at))])
    for pinned in (False, True):
        arrow = curvature(data, terms, items, moments(terms, items, nodes), PRIOR, pinned=pinned)
        without_theta = schur(arrow, 8)
        # Near in every direction but one: in that of the common unit of θ, b and 1 / a, which only the priors hold,
        # the joint curvature lacks what the integral over θ adds.
        apart = np.sort(np.abs(np.log(eigh(without_theta, hessian, eigvals_only=True))))
        assert apart[-2] < (0.3 if pinned else 0.01)
        assert apart[-1] < 0.6


def schur(arrow: Arrow, systems: int) -> np.ndarray:
    """The matrix of log a and b that is left when θ follows, by solving for every unit vector."""
    n, j = len(arrow.reduced), len(arrow.inverse_blocks)
    unit = np.eye(n - systems + 2 * j)
    common = np.concatenate([np.zeros((systems, len(unit))), unit[: n - systems]])
    found, own = arrow.solve(common, unit[n - systems :].reshape(j, 2, -1))
    inverse = np.concatenate([found[systems:], own.reshape(2 * j, -1)])
    variances = arrow.variances()
    assert np.diag(inverse)[: n - systems] == pytest.approx(np.diag(variances[0])[systems:])
    assert np.diag(inverse)[n - systems :] == pytest.approx(np.diagonal(variances[1], axis1=1, axis2=2).ravel())
    return np.linalg.inv(inverse)


def test_theta_is_the_largest_posterior_and_its_variance_the_curvature() -> None:
    rng = np.random.default_rng(6)
    data = small_grades(rng)
    items = Items(rng.normal(0, 0.4, 4), rng.normal([-1.5, 1.5], 0.5, (5, 2)))
    theta, variance = abilities(Terms.of(data), items, 3, PRIOR)
    for i in range(3):
        mine = np.flatnonzero(data.system == i)

        def loss(x: float, mine: np.ndarray = mine) -> float:
            logs = [
                data.weight[r]
                * np.log(outcome_probabilities(x, *items.b[data.segment[r]], np.exp(items.log_a[data.judge[r]])))[
                    data.grade[r]
                ]
                for r in mine
            ]
            return x**2 / 4 - sum(logs)

        assert theta[i] == pytest.approx(minimize_scalar(loss, (-3, 3), tol=1e-12).x, abs=1e-6)
        h = 1e-3
        curve = (loss(theta[i] + h) - 2 * loss(theta[i]) + loss(theta[i] - h)) / h**2
        assert variance[i] == pytest.approx(1 / curve, rel=1e-4)


def test_fixed_nodes_are_those_of_the_prior_or_of_the_paper() -> None:
    rng = np.random.default_rng(7)
    for scale, sd in ((2.0, np.sqrt(2)), (np.sqrt(2), 1.0)):  # √2 τ, and τ as printed, which is N(0, τ²/2)
        nodes = fixed_nodes(1, 21, scale)
        weights = np.exp(nodes.log_weights[0])
        assert weights.sum() == pytest.approx(1)
        assert weights @ nodes.points[0] ** 2 == pytest.approx(sd**2)
    truth = drawn_truth(rng, 3, 4, 5, a_sd=0.1)
    data = simulated(rng, Truth(truth.theta, truth.log_a - 1.5, truth.b), 15)
    fits = [GradedResponse(baseline="base", nodes=kind).fit(data) for kind in ("adaptive", "prior", "o16")]
    # With few judgments, both integrate the same posterior; the paper's printed nodes one of a narrower prior.
    assert fits[0].scores == pytest.approx(fits[1].scores, abs=0.04)
    assert np.abs(fits[0].scores - fits[2].scores).max() > 0.06


# -- what a campaign gives back ------------------------------------------------------------------------


def missed(seeds: range, judgments: int) -> dict[str, float]:
    """How often truth drawn from the priors lies outside 95 % intervals, in the units of the fit.

    Judgments do not tell a from c · a if all θ and b are θ / c and b / c: c is taken from the judges.
    """
    outside: dict[str, list[float]] = {"theta": [], "log a": [], "b": []}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        truth = drawn_truth(rng, 8, 12, 25)
        fit = GradedResponse(baseline="base").fit(simulated(rng, truth, judgments))
        assert fit.convergence.converged
        own = [fit.code(f"s{i}") for i in range(8)]
        judges = [int(name[-2:]) for name in fit.judges]
        away = np.log(fit.sensitivity) - truth.log_a[judges]
        contrast = np.eye(12) - 1 / 12
        errors = np.sqrt(np.diag(contrast @ fit.arrow.variances()[0][8:, 8:] @ contrast))
        outside["log a"] += (np.abs(away - away.mean()) > 1.96 * errors).tolist()
        unit = np.exp(-away.mean())
        outside["theta"] += (np.abs(fit.scores[own] - unit * truth.theta) > 1.96 * fit.deviations[own]).tolist()
        segments = [int(name[-3:]) for name in fit.segments]
        wrong = np.abs(fit.difficulty - unit * truth.b[segments]) > 1.96 * fit.difficulty_errors
        outside["b"] += wrong.ravel().tolist()
    return {name: float(np.mean(parts)) for name, parts in outside.items()}


def test_intervals_hold_what_was_drawn_from_the_priors() -> None:
    found = missed(range(5), 1200)
    assert found["theta"] < 0.1
    assert found["log a"] < 0.1
    assert found["b"] < 0.1


@pytest.mark.slow
def test_intervals_keep_their_level_over_many_campaigns() -> None:
    found = missed(range(40), 1500)
    assert found["theta"] < 0.06
    assert 0.02 < found["log a"] < 0.08
    assert found["b"] < 0.06


def test_a_new_system_is_placed_without_a_change_to_the_others() -> None:
    rng = np.random.default_rng(10)
    truth = drawn_truth(rng, 4, 8, 20)
    whole = simulated(rng, truth, 1200)
    known = whole.without(system="s3")
    fit = GradedResponse(baseline="base").fit(known)
    later = fit.add_system("s3", whole.keep(["s3", "base"]))
    assert later.systems == (*fit.systems, "s3")
    assert np.array_equal(later.scores[:-1], fit.scores)
    assert np.array_equal(later.deviations[:-1], fit.deviations)
    together = GradedResponse(baseline="base").fit(whole)
    gap = later.scores[-1] - together.scores[together.code("s3")]
    assert abs(gap) < together.deviations[together.code("s3")]
    assert abs(later.scores[-1] - truth.theta[3]) < 3 * later.deviations[-1]
    assert later.deviations[-1] > 0.8 * together.deviations[together.code("s3")]
    assert sum(later.predict("s3", "base")) == pytest.approx(1)
    assert (later.predict_rows(whole) > 0).all()
    with pytest.raises(InputError, match="system 's3' has a place already"):
        later.add_system("s3", whole)
    with pytest.raises(InputError, match="no judgment compares s9 with the baseline base"):
        later.add_system("s9", whole)


def test_updates_are_the_posterior_of_all_judgments_with_a_and_b_kept() -> None:
    rng = np.random.default_rng(11)
    whole = simulated(rng, drawn_truth(rng, 3, 4, 6), 600)
    first, second = whole.take(np.arange(400)), whole.take(np.arange(400, 600))
    fit = GradedResponse(baseline="base").fit(first)
    updated = fit.update(second)
    assert np.array_equal(updated.sensitivity, fit.sensitivity)
    assert np.array_equal(updated.difficulty, fit.difficulty)
    table = BaselineTable.of(whole, "base", "graded-response").grades
    expected, _ = abilities(Terms.of(table), fit.items, 3, GradedResponse().prior)
    assert updated.theta == pytest.approx(expected, abs=1e-9)
    # Errors by adding up what is not known of θ, and of a and b, are those of all together.
    assert fit._located(fit.answers)[1] == pytest.approx(np.delete(fit.deviations, fit.code("base")), rel=0.02)
    # In two goes or in one: the same.
    halves = fit.update(whole.take(np.arange(400, 500))).update(whole.take(np.arange(500, 600)))
    assert halves.scores == pytest.approx(updated.scores, abs=1e-9)
    assert "200 of 200 added judgments are against the baseline and count" in updated.notes


def test_judges_and_segments_of_added_judgments_only_are_taken_for_usual_ones() -> None:
    rng = np.random.default_rng(12)
    fit = GradedResponse(baseline="base").fit(simulated(rng, drawn_truth(rng, 3, 4, 6), 300))
    new = judged([("s0", "base", 1)] * 5, judge=["nobody"] * 5, segment=["unheard"] * 5)
    updated = fit.update(new)
    assert updated.scores[updated.code("s0")] > fit.scores[fit.code("s0")]
    assert "5 added judgments have a judge not seen before, taken for a usual one" in updated.notes
    assert "5 added judgments have a segment not seen before, taken for a usual one" in updated.notes
    with pytest.raises(InputError, match=r"unknown system 'x'.*add_system"):
        fit.update(judged([("x", "base", 1)]))


@pytest.mark.slow
def test_influences_are_what_leaving_out_a_unit_changes() -> None:
    rng = np.random.default_rng(16)
    data = simulated(rng, drawn_truth(rng, 8, 12, 25), 2000)
    model = GradedResponse(baseline="base")
    fit = model.fit(data)
    scores, roots, whole, _ = model.influence_rows(data, fit)
    known = roots(np.arange(len(data)))[:, 0]
    # What all judgments tell is no more than the fit knows, in any direction.
    assert np.linalg.eigvalsh(whole - known.T @ known)[0] > -1e-6 * np.trace(whole)
    for unit in ("segment", "judge"):
        codes = data.codes(unit)
        units = range(int(codes.max()) + 1)
        moved = [np.linalg.solve(whole, scores[codes == number].sum(axis=0)) for number in units]
        refits = [fit.scores - model.fit(data.filter(codes != number)).scores for number in units]
        assert np.corrcoef(np.ravel(moved), np.ravel(refits))[0, 1] > 0.7
        assert 0.7 < np.median(np.abs(moved)) / np.median(np.abs(refits)) < 1.5


def test_judgments_that_count_for_nothing_are_as_if_left_out() -> None:
    rng = np.random.default_rng(18)
    data = simulated(rng, drawn_truth(rng, 4, 6, 20, a_sd=0.3), 800)
    model = GradedResponse(baseline="base")
    kept = data.codes("segment") < 12
    without = model.warmed(data).rescore(kept.astype(float))
    assert without == pytest.approx(model.fit(data.filter(kept)).scores, abs=5e-3)


# -- the baseline --------------------------------------------------------------------------------------

STAR = {("mid", "low"): (8, 2, 2), ("high", "mid"): (8, 2, 2), ("high", "low"): (11, 0, 1)}


def test_the_baseline_is_nearest_the_mean_and_says_why() -> None:
    # Expected wins: high (.8 + 11/12) / 2 = .858, mid (.8 + .2) / 2 = .5, low .142; the mean is .5.
    chosen = choose_baseline(counted(STAR))
    assert chosen == Baseline("mid", "its expected wins .500 is nearest the mean .500")
    by_metric = choose_baseline(counted(STAR), {"mid": 31.0, "low": 27.5, "high": 28.0})
    assert by_metric == Baseline("high", "its metric score 28.00 is nearest the mean 28.83")
    fit = GradedResponse().fit(counted(STAR))
    assert fit.baseline == "mid"
    assert fit.notes[0] == "baseline mid: its expected wins .500 is nearest the mean .500"
    assert fit.notes[1] == "24 of 36 judgments are against the baseline and count; the other 12 are left out"
    assert fit.scores[fit.code("mid")] == pytest.approx(fit.difficulty.mean() if fit.segments else fit.items.b.mean())


def test_metric_scores_are_read_from_a_file_and_must_be_whole(tmp_path: Path) -> None:
    path = tmp_path / "bleu.csv"
    path.write_text("system,score\nmid,31\nlow,27.5\nhigh,28\n")
    assert choose_baseline(counted(STAR), path).system == "high"
    path.write_text("system,score\nmid,31\nlow,27.5\n")
    with pytest.raises(InputError, match="no score of: high; give one of every system"):
        choose_baseline(counted(STAR), str(path))
    path.write_text("system,score\nmid,good\n")
    with pytest.raises(InputError, match="line 2: got the score 'good'; allowed: a number"):
        choose_baseline(counted(STAR), path)
    path.write_text("name,bleu\nmid,1\n")
    with pytest.raises(InputError, match="got the columns name, bleu; needed: system, score"):
        choose_baseline(counted(STAR), path)
    path.write_text("system,score\n")
    with pytest.raises(InputError, match="no score of: high, low, mid"):
        choose_baseline(counted(STAR), path)
    path.write_text("system,score\nmid,31\nlow,27.5\nhigh,28\nmid,20\n")
    with pytest.raises(InputError, match="line 5: a second score of mid"):
        choose_baseline(counted(STAR), path)
    path.write_text("system,score\nmid,31\nlow,nan\nhigh,28\n")
    with pytest.raises(InputError, match="the metric's score of low is nan; allowed: a finite number"):
        choose_baseline(counted(STAR), path)
    path.write_bytes("system,score\nmid,é\n".encode("utf-16"))
    with pytest.raises(InputError, match="in UTF-8"):
        choose_baseline(counted(STAR), path)
    with pytest.raises(InputError, match=r"cannot read .*nowhere\.csv"):
        choose_baseline(counted(STAR), tmp_path / "nowhere.csv")


def test_systems_that_never_met_the_baseline_are_refused_by_name() -> None:
    data = counted({("a", "b"): (3, 1, 2), ("b", "c"): (3, 1, 2), ("c", "d"): (3, 1, 2), ("b", "d"): (1, 1, 1)})
    with pytest.raises(UnplaceableError, match=r"never compared with the baseline c: a; .*others \(b\).*baseline=NAME"):
        GradedResponse(baseline="c").fit(data)
    assert GradedResponse().fit(data).baseline == "b"
    with pytest.raises(InputError, match="setting baseline: got 'e'; allowed: a, b, c, d"):
        GradedResponse(baseline="e").fit(data)


def test_judgments_without_judge_or_segment_are_one_judges_and_one_segments() -> None:
    fit = GradedResponse().fit(counted(STAR))
    assert "24 of 24 judgments name no judge and are taken for one judge's" in fit.notes
    assert "24 of 24 judgments name no segment and are taken for one segment's" in fit.notes
    assert (fit.judges, fit.segments) == ((), ())


@pytest.mark.parametrize(
    ("given", "wording"),
    [
        ({"nodes": "all"}, "setting nodes: got 'all'; allowed: adaptive, prior, o16"),
        ({"pairs": "all"}, "setting pairs: got 'all'; allowed: typical, averaged"),
        ({"theta_sd": 0.0}, "setting theta_sd: got 0.0; allowed: a number above 0"),
        ({"easy": 1.0}, "settings easy, hard: got 1.0 and 0.5; allowed: easy below hard"),
    ],
)
def test_settings_that_cannot_be_are_refused(given: dict[str, Any], wording: str) -> None:
    with pytest.raises(InputError, match=wording):
        GradedResponse(**given)


# -- predictions ---------------------------------------------------------------------------------------


def test_two_systems_that_are_no_baseline_are_compared_by_the_extension() -> None:
    rng = np.random.default_rng(13)
    fit = GradedResponse(baseline="base", pairs="typical").fit(simulated(rng, drawn_truth(rng, 3, 4, 6), 300))
    gap = fit.scores[fit.code("s0")] - fit.scores[fit.code("s1")]
    half, typical = np.diff(fit.difficulty, axis=1).mean() / 2, np.exp(np.log(fit.sensitivity).mean())
    expected = outcome_probabilities(gap, -half, half, typical)[::-1]
    assert fit.predict("s0", "s1") == pytest.approx(expected)


def test_averaged_pairs_are_those_of_a_baseline_in_the_place_of_either() -> None:
    rng = np.random.default_rng(17)
    data = simulated(rng, drawn_truth(rng, 3, 4, 6), 300)
    fit = GradedResponse(baseline="base").fit(data)
    s0, s1 = fit.predict("s0", "s1"), fit.predict("s1", "s0")
    assert s0 == pytest.approx(s1[::-1])
    # A system that stood where s0 is, were the baseline where s1 is, would be predicted so, but for its segments' skew.
    middle = fit.segment_beliefs[0][-1, 0]
    gap = fit.scores[fit.code("s0")] - fit.scores[fit.code("s1")]
    ahead, behind = (fit._integrated(np.array([middle + x]), np.array([-1]), np.array([-1]))[:, 0] for x in (gap, -gap))
    assert s0 == pytest.approx((ahead + behind[::-1]) / 2)
    typical = GradedResponse(baseline="base", pairs="typical").fit(data)
    assert typical.predict("s0", "base") == pytest.approx(fit.predict("s0", "base"))
    assert typical.predict("s0", "s1") != pytest.approx(s0, abs=0.01)


def test_a_known_judge_and_segment_are_predicted_over_what_is_not_known_of_them() -> None:
    rng = np.random.default_rng(14)
    data = simulated(rng, drawn_truth(rng, 3, 3, 3), 3000)
    fit = GradedResponse(baseline="base").fit(data)
    rows = judged([("s0", "base", 1), ("base", "s0", 1)], judge=["judge-01"] * 2, segment=["segment-002"] * 2)
    # So much is known that the plain formula is near.
    theta, a = fit.scores[fit.code("s0")], fit.sensitivity[1]
    expected = outcome_probabilities(theta, *fit.difficulty[2], a)
    base_first = rows.systems[rows.codes("system_a")[0]] == "base"
    assert fit.predict_rows(rows)[0] == pytest.approx(expected if base_first else expected[::-1], abs=0.02)
    strange = judged([("s0", "base", 1)], judge=["new"], segment=["new"])
    flipped = fit.predict_rows(strange)[0]
    assert flipped == pytest.approx(list(fit.predict("base", "s0")) if base_first else list(fit.predict("s0", "base")))


def test_it_stands_in_a_table_of_models_by_rows() -> None:
    rng = np.random.default_rng(15)
    data = Judgments.from_rows(random_rows(rng, systems=4, rankings=80))
    result = compare(data, models=["uniform", "graded-response"], testing=Testing(folds=3), rng=0)
    perplexity = {line.model: line.perplexity.value for line in result.lines}
    assert 1 < perplexity["graded-response"] < 6
