"""The two-stage model, against formulas written out, scipy, refits, and a generator of its own."""

from __future__ import annotations

import numpy as np
import pytest
from builders import counted, judged, random_rows
from scipy.optimize import minimize
from scipy.stats import gamma, norm

from palmares import Testing, compare
from palmares.errors import InputError, UnplaceableError
from palmares.judgments import Judgments
from palmares.kernels.graded_response import Grades
from palmares.kernels.two_stage import Layout, StagePrior, _joint, climb, curvature, log_joint
from palmares.models.two_stage import TwoStage

PRIOR = StagePrior(100.0, 100.0)


def small(seed: int, *, tasks: bool) -> Layout:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, 50) for size in (3, 4, 5, 3)]
    return Layout.of(Grades(3, 4, 5, *columns, np.ones(50)), tasks=tasks)


def written_out(layout: Layout, x: np.ndarray) -> float:
    """log P of everything, one judgment and one prior after another; a density of λ and κ."""
    data, part = layout.data, {name: x[place] for name, place in layout.parts.items()}
    lam, kappa, (b1, b2) = np.exp(part["log_lambda"]), np.exp(part["log_kappa"]), part["b"]
    total = norm.logpdf(part["mu"]).sum() + norm.logpdf(part["eta"]).sum() + norm.logpdf(part["delta"]).sum()
    total += gamma.logpdf(lam, 100, scale=0.01).sum() + gamma.logpdf(kappa, 100, scale=0.01).sum()
    total += norm.logpdf(b1, -0.5, 2) + norm.logpdf(b2, 0.5, 2) + np.log(b2 - b1)
    for output, system in enumerate(layout.author):
        total += norm.logpdf(part["v"][output], 0, lam[system] ** -0.5)
    for cell in range(len(data.grade)):
        i, j, k = data.system[cell], data.segment[cell], data.judge[cell]
        s = part["mu"][i] + part["v"][layout.output[cell]] + part["eta"][k] + part["w"][cell]
        s -= part["delta"][j] if layout.tasks else 0.0
        above = [1.0, 1 / (1 + np.exp(b1 - s)), 1 / (1 + np.exp(b2 - s)), 0.0]
        total += np.log(above[data.grade[cell]] - above[data.grade[cell] + 1])
        total += norm.logpdf(part["w"][cell], 0, kappa[k] ** -0.5)
    return float(total)


@pytest.mark.parametrize("tasks", [False, True])
def test_the_joint_density_is_the_one_written_out(tasks: bool) -> None:
    layout, rng = small(1, tasks=tasks), np.random.default_rng(2)
    one, other = (layout.start(PRIOR) + rng.normal(0, 0.1, layout.length) for _ in range(2))
    found = log_joint(layout, one, PRIOR) - log_joint(layout, other, PRIOR)
    assert found == pytest.approx(written_out(layout, one) - written_out(layout, other), abs=1e-8)


@pytest.mark.parametrize("tasks", [False, True])
def test_gradient_and_curvature_are_those_of_finite_differences(tasks: bool) -> None:
    layout, rng = small(3, tasks=tasks), np.random.default_rng(4)
    x, design = layout.start(PRIOR) + rng.normal(0, 0.1, layout.length), layout.design
    _, slope, answer = _joint(layout, design, x, PRIOR)
    ways = 1e-5 * np.eye(layout.length)
    expected = [(log_joint(layout, x + way, PRIOR) - log_joint(layout, x - way, PRIOR)) / 2e-5 for way in ways]
    assert slope == pytest.approx(expected, abs=1e-6)
    bent = [
        (_joint(layout, design, x - way, PRIOR)[1] - _joint(layout, design, x + way, PRIOR)[1]) / 2e-5 for way in ways
    ]
    found = curvature(layout, design, x, answer, PRIOR).todense()
    assert np.asarray(found) == pytest.approx(np.array(bent), abs=1e-6)


def test_judgments_that_count_for_nothing_are_as_if_left_out() -> None:
    data, _ = simulated(np.random.default_rng(12), judgments=400)
    model = TwoStage(baseline="base")
    kept = data.codes("segment") < 20
    without = model.warmed(data).rescore(kept.astype(float))
    assert without == pytest.approx(model.fit(data.filter(kept)).scores, abs=2e-3)


def test_the_climb_ends_where_scipy_ends() -> None:
    layout = small(5, tasks=True)
    summit = climb(layout, PRIOR)
    assert summit.converged
    assert summit.gradient < 1e-8

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        if np.diff(x[layout.parts["b"]])[0] <= 0:
            return 1e9, np.zeros(layout.length)
        value, slope, _ = _joint(layout, layout.design, x, PRIOR)
        return -value, -slope

    start = layout.start(PRIOR) + np.random.default_rng(6).normal(0, 0.3, layout.length)
    start[layout.parts["b"]] = (-1.0, 2.0)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9})
    assert found.x == pytest.approx(summit.x, abs=1e-4)


def test_a_weak_prior_of_precisions_lets_outputs_collapse_and_the_default_does_not() -> None:
    data, _ = simulated(np.random.default_rng(7), judgments=3000, segments=300)
    kept, collapsed = (TwoStage(baseline="base", shape=shape, rate=shape).fit(data).x for shape in (100.0, 2.0))
    layout = TwoStage(baseline="base").fit(data).layout
    lam = [np.exp(x[layout.parts["log_lambda"]]).mean() for x in (kept, collapsed)]
    # λ is (shape − 1 + n/2) / (rate + Σ v²/2) with n near 250 outputs: at most 2.3, and up to 63 where v vanishes.
    assert 1 < lam[0] < 2.3
    assert lam[1] > 20


def simulated(
    rng: np.random.Generator, *, judgments: int = 1200, systems: int = 6, judges: int = 10, segments: int = 40
) -> tuple[Judgments, np.ndarray]:
    """Judgments against the system ``base`` drawn stage by stage with λ = κ = 1, and the abilities."""
    mu, eta = rng.normal(0, 1, systems), rng.normal(0, 1, judges)
    quality = rng.normal(mu[:, None], 1, (systems, segments))
    rows = []
    for _ in range(judgments):
        i, k, j = (int(rng.integers(size)) for size in (systems, judges, segments))
        s = quality[i, j] + eta[k] + rng.normal()
        p = -np.diff([1.0, 1 / (1 + np.exp(-0.5 - s)), 1 / (1 + np.exp(0.5 - s)), 0.0])
        rows.append((f"s{i}", "base", int(rng.choice(3, p=p)) - 1, f"judge-{k:02}", f"segment-{j:03}"))
    columns = list(zip(*rows, strict=True))
    return judged(list(zip(*columns[:3], strict=True)), judge=columns[3], segment=columns[4]), mu


def test_abilities_come_back_within_their_errors_up_to_the_unit() -> None:
    outside, biases = [], []
    for seed in range(6):
        data, mu = simulated(np.random.default_rng(seed))
        fit = TwoStage(baseline="base").fit(data)
        own, base = [fit.code(f"s{i}") for i in range(6)], fit.code("base")
        unit = np.polyfit(mu, fit.scores[own], 1)[0]
        biases.append(unit)
        error = fit.scores[own] - fit.scores[base] - unit * mu
        c = fit.covariance
        outside += (error**2 > 1.96**2 * (np.diag(c) + c[base, base] - 2 * c[base])[own]).tolist()
    assert np.mean(outside) < 0.1
    # The maximum over v and w shrinks all abilities alike.
    assert 0.6 < np.mean(biases) < 1.0


@pytest.mark.parametrize("tasks", [False, True])
def test_influences_are_what_leaving_out_a_unit_changes(tasks: bool) -> None:
    data, _ = simulated(np.random.default_rng(8), judgments=800)
    model = TwoStage(baseline="base", tasks=tasks)
    fit = model.fit(data)
    scores, roots, whole, _ = model.influence_rows(data, fit)
    known = roots(np.arange(len(data)))[:, 0]
    # What all judgments tell is no more than the fit knows, in any direction.
    assert np.linalg.eigvalsh(whole - known.T @ known)[0] > -1e-6 * np.trace(whole)
    for unit, least in (("segment", 0.98), ("judge", 0.9)):
        codes = data.codes(unit)
        units = range(int(codes.max()) + 1)
        moved = [np.linalg.solve(whole, scores[codes == number].sum(axis=0)) for number in units]
        refits = [fit.scores - model.fit(data.filter(codes != number)).scores for number in units]
        assert np.corrcoef(np.ravel(moved), np.ravel(refits))[0, 1] > least


def test_the_baseline_stands_where_it_would_win_as_often_as_lose() -> None:
    fit = TwoStage(baseline="base").fit(simulated(np.random.default_rng(9))[0])
    assert fit.scores[fit.code("base")] == pytest.approx(fit.thresholds.mean())
    half = np.diff(fit.thresholds)[0] / 2
    gap = fit.scores[fit.code("s0")] - fit.scores[fit.code("s1")]
    above = [1.0, 1 / (1 + np.exp(-half - gap)), 1 / (1 + np.exp(half - gap)), 0.0]
    assert fit.predict("s0", "s1") == pytest.approx((-np.diff(above))[::-1])
    assert len(fit.bias) == len(fit.precision) == len(fit.judges) == 10


def test_known_judges_are_predicted_by_their_bias() -> None:
    data, _ = simulated(np.random.default_rng(10), judgments=2000)
    fit = TwoStage(baseline="base", tasks=True).fit(data)
    kind, strict = fit.judges[int(np.argmax(fit.bias))], fit.judges[int(np.argmin(fit.bias))]
    rows = judged([("s0", "base", 1)] * 3, judge=[kind, strict, "new"], segment=["segment-001", "segment-001", "new"])
    base_first = rows.systems[rows.codes("system_a")[0]] == "base"
    wins = fit.predict_rows(rows)[:, 2 if base_first else 0]
    by_judge = dict(zip([rows.judges[code] for code in rows.codes("judge")], wins, strict=True))
    assert by_judge[kind] > by_judge["new"] > by_judge[strict]
    assert by_judge["new"] == pytest.approx(fit.predict("s0", "base").win)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="setting shape: got 1; allowed: a number above 1"):
        TwoStage(shape=1)
    with pytest.raises(InputError, match="setting rate: got 0; allowed: a number above 0"):
        TwoStage(rate=0)
    data = counted({("a", "b"): (3, 1, 2), ("b", "c"): (3, 1, 2)})
    with pytest.raises(UnplaceableError, match="never compared with the baseline a: c; two-stage places systems by"):
        TwoStage(baseline="a").fit(data)


def test_it_stands_in_a_table_of_models_by_rows() -> None:
    data = Judgments.from_rows(random_rows(np.random.default_rng(11), systems=4, rankings=80))
    result = compare(data, models=["uniform", "two-stage"], testing=Testing(folds=3), rng=0)
    perplexity = {line.model: line.perplexity.value for line in result.lines}
    assert 1 < perplexity["two-stage"] < 4
