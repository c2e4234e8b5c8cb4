"""TrueSkill: modes, settings and predictions; against integration and against published rankings."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from builders import counted, judged, pair_counts, random_rows
from scipy.special import log_ndtr, ndtr

import palmares as pm
from palmares import Execution
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.models.by_name import create
from palmares.models.trueskill import MODES, TrueSkill
from palmares.ranking.bootstrap import resample

# -- batch -----------------------------------------------------------------------------------------


def integrated(counts: pm.PairCounts, model: TrueSkill) -> tuple[np.ndarray, np.ndarray]:
    """Posterior means and deviations of two or three systems by summing over a grid."""
    beta, margin = model.scale(counts.total)
    n = len(counts.systems)
    axis = np.linspace(-6, 6, 161 if n == 2 else 101) * model.sigma
    grid = np.stack(np.meshgrid(*[axis] * n, indexing="ij"))
    density = -(grid**2).sum(0) / (2 * model.sigma**2)
    for i, j in combinations(range(n), 2):
        t, edge = (grid[i] - grid[j]) / (np.sqrt(2) * beta), margin / (np.sqrt(2) * beta)
        density += counts.wins[i, j] * log_ndtr(t - edge) + counts.wins[j, i] * log_ndtr(-t - edge)
        tied = np.maximum(ndtr(edge - abs(t)) - ndtr(-edge - abs(t)), 1e-300)
        density += counts.ties[i, j] * np.log(tied)
    weight = np.exp(density - density.max())
    weight /= weight.sum()
    mean = np.array([(weight * grid[i]).sum() for i in range(n)])
    return mean, np.sqrt([(weight * (grid[i] - mean[i]) ** 2).sum() for i in range(n)])


@pytest.mark.parametrize("won", [(1, 0, 0), (0, 1, 0)], ids=["win", "tie"])
def test_one_judgment_is_exact_in_every_mode(won: tuple[int, int, int]) -> None:
    judgments = counted({("a", "b"): won})
    for mode in MODES:
        model = TrueSkill(mode=mode, beta=0.4, margin=0.2, runs=2)
        fit = model.fit(judgments, rng=0)
        mean, deviation = integrated(judgments.counts, model)
        np.testing.assert_allclose(fit.scores, mean, atol=1e-9)
        np.testing.assert_allclose(fit.deviations, deviation, atol=1e-9)


@pytest.mark.parametrize(
    "judgments",
    [
        counted({("a", "b"): (7, 3, 2)}),
        counted({("a", "b"): (6, 2, 3), ("b", "c"): (5, 4, 1), ("a", "c"): (4, 0, 0)}),
        counted({("a", "b"): (0, 9, 0), ("b", "c"): (9, 0, 0)}),
    ],
    ids=["two", "three", "one-sided"],
)
@pytest.mark.parametrize("beta", [0.0, 0.3])
def test_all_judgments_at_once_are_close_to_the_exact_posterior(judgments: Judgments, beta: float) -> None:
    # Gaussian factors are an approximation: means to 2 % of a deviation, deviations to 5 % where all were wins.
    model = TrueSkill(mode="batch", beta=beta)
    fit = model.fit(judgments)
    assert fit.convergence.converged
    mean, deviation = integrated(judgments.counts, model)
    np.testing.assert_allclose(fit.scores, mean, atol=0.02 * deviation.min())
    np.testing.assert_allclose(fit.deviations, deviation, rtol=0.05)


def test_batch_does_not_depend_on_the_order_of_rows() -> None:
    rows = random_rows(np.random.default_rng(3))
    model = TrueSkill(mode="batch")
    one, other = (model.fit(Judgments.from_rows(r)) for r in (rows, rows.reverse()))
    assert np.array_equal(one.scores, other.scores)


@pytest.mark.parametrize("beta", [0.0, 1e-3, 0.05, 100.0])
@pytest.mark.parametrize("count", [1, 1000, 1e6])
def test_batch_converges_from_one_judgment_to_millions(beta: float, count: float) -> None:
    wins = count * np.triu(np.arange(1, 26).reshape(5, 5), 1)
    fit = TrueSkill(mode="batch", beta=beta).fit(pair_counts(wins + wins.T // 3, wins + wins.T))
    assert fit.convergence.converged, fit.convergence
    assert np.isfinite(fit.scores).all()


def test_sweeps_that_end_too_early_are_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palmares.models.trueskill._SWEEPS", 1)
    fit = TrueSkill(mode="batch").fit(counted({("a", "b"): (5, 1, 2), ("b", "c"): (5, 1, 2)}))
    assert not fit.convergence.converged
    assert fit.convergence.iterations == 1
    assert "last change" in fit.convergence.detail


# -- replay ----------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_runs_wherever_they_are_made() -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(3)))
    results = [
        resample(
            TrueSkill(), judgments, unit="pair", resamples=30, execution=Execution(executor, workers, seed=4)
        ).scores
        for executor, workers in ((None, 1), ("threads", 2), ("serial", None), ("processes", 2))
    ]
    assert all(np.array_equal(results[0], other) for other in results[1:])
    one, other = (TrueSkill(runs=30).fit(judgments, rng=1) for _ in range(2))
    assert np.array_equal(one.draws, other.draws)
    assert one.draws.shape == (30, 5)


def test_scores_of_a_fit_are_the_mean_over_its_runs() -> None:
    fit = TrueSkill(runs=50).fit(Judgments.from_rows(random_rows(np.random.default_rng(3))), rng=1)
    np.testing.assert_allclose(fit.scores, fit.draws.mean(axis=0), atol=1e-12)


def test_a_bootstrap_needs_a_single_run_of_the_fit() -> None:
    model = TrueSkill(runs=50, preset="paper")
    assert model.single_run() == replace(model, runs=1)
    assert model.single_run().fit(counted({("a", "b"): (3, 1, 1)}), rng=0).draws.shape == (1, 2)


def test_a_run_ends_where_a_plain_loop_in_python_ends() -> None:
    # Two systems: the pair is always the same, so a run is |A| judgments drawn with replacement.
    model = TrueSkill(runs=400)
    fit = model.fit(counted({("a", "b"): (60, 20, 20)}), rng=0)
    rng = np.random.default_rng(1)
    ends = []
    for outcomes in rng.choice([1, 0, -1], p=[0.6, 0.2, 0.2], size=(400, 100)):
        drawn = judged([("a", "b", 1), *[("a", "b", int(o)) for o in outcomes]])
        ends.append(replace(model, mode="sequence").fit(drawn.take(np.arange(1, 101))).scores[0])
    error = np.hypot(np.std(ends), fit.draws[:, 0].std()) / 20
    assert fit.scores[0] == pytest.approx(np.mean(ends), abs=4 * error)
    assert fit.draws[:, 0].std() == pytest.approx(np.std(ends), rel=0.2)


def test_a_system_that_a_sample_leaves_out_stays_where_it_began() -> None:
    counts = pair_counts([[0, 3, 0], [1, 0, 0], [0, 0, 0]])
    batch = pm.PairCounts(counts.systems, counts.wins[None], counts.ties[None])
    scores = TrueSkill().score(batch, [np.random.default_rng(0)])
    assert scores[0, 2] == 0
    assert scores[0, 0] != 0


def test_a_huge_sigma_does_not_overflow() -> None:
    fit = TrueSkill(sigma=400, runs=5).fit(counted({("a", "b"): (30, 0, 0), ("b", "c"): (30, 0, 0)}), rng=0)
    assert np.isfinite(fit.scores).all()
    assert list(np.argsort(-fit.scores)) == [0, 1, 2]


def test_weights_are_counted_by_replay_and_batch() -> None:
    weighted = judged([("a", "b", 1), ("a", "b", -1)] * 20, weight=[3.5, 1.0] * 20)
    for mode in ("replay", "batch"):
        fit = TrueSkill(mode=mode, runs=50).fit(weighted, rng=0)
        assert fit.scores[0] > fit.scores[1]
        assert "90 judgments" in fit.notes[0]


@pytest.mark.parametrize("mode", ["sequence", "shuffled", "rankings"])
def test_weights_are_refused_where_judgments_are_taken_one_by_one(mode: str) -> None:
    weighted = judged([("a", "b", 1), ("a", "b", -1)], weight=[3.5, 1.0])
    with pytest.raises(
        InputError, match=f"mode {mode} takes every judgment once and cannot use weights; use mode replay"
    ):
        TrueSkill(mode=mode).fit(weighted)


@pytest.mark.parametrize("mode", ["sequence", "rankings"])
def test_counts_are_refused_where_the_rows_are_needed(mode: str) -> None:
    with pytest.raises(InputError, match=f"mode {mode} needs the judgments in their order"):
        TrueSkill(mode=mode).fit(pair_counts([[0, 3], [1, 0]]))


# -- settings, predictions, updates ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "wording"),
    [
        ({"mode": "online"}, "setting mode: got 'online'; allowed: replay, sequence, shuffled, rankings, batch"),
        ({"preset": "wmt"}, "setting preset: got 'wmt'; allowed: program, paper"),
        ({"tie_order": "any"}, "setting tie_order: got 'any'; allowed: both, given"),
        ({"sigma": "0"}, "setting sigma: got 0.0; allowed: a number above 0"),
        ({"beta": "-1"}, "setting beta: got -1.0; allowed: a number above 0, or 0 for the preset's"),
        ({"margin": "nan"}, "setting margin: got nan; allowed: a number above 0, or 0 for the preset's"),
        ({"draw_probability": "1"}, "setting draw_probability: got 1.0; allowed: between 0 and 1"),
        ({"runs": "0"}, "setting runs: got 0; allowed: at least 1"),
        ({"radius": "inf"}, "setting radius: got inf; allowed: a number above 0"),
    ],
)
def test_a_wrong_value_of_a_setting_is_refused(given: dict[str, str], wording: str) -> None:
    with pytest.raises(InputError, match=re.escape(wording)):
        create("trueskill", given)


def test_presets_are_those_of_the_program_and_of_the_paper() -> None:
    # Φ⁻¹(0.625) = 0.318639…
    assert TrueSkill().scale(800) == pytest.approx((10.0, 0.3186393639643752 * np.sqrt(2) * 10), rel=1e-12)
    assert TrueSkill(preset="paper").scale(800) == pytest.approx((5.0, 0.25), rel=1e-12)
    assert TrueSkill(beta=2.0, margin=0.5).scale(800) == (2.0, 0.5)
    note = TrueSkill(preset="paper", runs=2).fit(counted({("a", "b"): (3, 1, 1)}), rng=0).notes[0]
    assert note == "β = 0.03125, ε = 0.25: preset paper for 5 judgments"


@pytest.mark.parametrize("mode", MODES)
def test_what_a_model_declares_follows_from_the_mode_and_survives_pickling(mode: str) -> None:
    model = replace(TrueSkill(), mode=mode)
    assert type(model) is TrueSkill
    assert model.needs == ("counts" if mode in ("replay", "shuffled", "batch") else "rows")
    assert model.weights == (mode in ("replay", "batch"))
    assert model.ranges_from == ("runs" if mode == "replay" else "resampling")
    assert pickle.loads(pickle.dumps(model)) == model == TrueSkill(mode=mode)


def test_a_prediction_cuts_the_normal_difference_at_the_radius() -> None:
    fit = TrueSkill(mode="batch", radius=0.3).fit(counted({("a", "b"): (9, 2, 3)}))
    width = np.hypot(*fit.deviations)
    difference = fit.scores[0] - fit.scores[1]
    win, loss = ndtr((difference - 0.3) / width), ndtr((-difference - 0.3) / width)
    assert fit.predict("a", "b") == pytest.approx((win, 1 - win - loss, loss), abs=1e-10)
    moved = replace(fit, scores=fit.scores[::-1])
    assert moved.predict("b", "a") == pytest.approx(fit.predict("a", "b"), abs=1e-3)


@pytest.mark.parametrize("mode", MODES)
def test_judgments_added_are_the_same_as_judgments_that_were_there(mode: str) -> None:
    judgments = Judgments.from_rows(random_rows(np.random.default_rng(8)))
    half = np.arange(len(judgments)) < 60
    model = TrueSkill(mode=mode, beta=1.0, margin=0.4, runs=400)
    updated = model.fit(judgments.filter(half), rng=0).update(judgments.filter(~half))
    whole = model.fit(judgments, rng=0)
    # Runs and random orders differ; everything else goes on as if nothing had happened.
    tolerance = {"replay": 0.05, "shuffled": 0.2}.get(mode, 1e-9)
    np.testing.assert_allclose(updated.scores, whole.scores, atol=tolerance)
    np.testing.assert_allclose(updated.deviations, whole.deviations, atol=tolerance)


def test_a_pass_goes_on_with_the_beta_it_began_with_and_refuses_new_systems() -> None:
    fit = TrueSkill(mode="sequence").fit(counted({("a", "b"): (8, 1, 1)}))
    longer = fit.update(counted({("a", "b"): (1, 0, 9)}))
    assert (longer.beta, longer.margin) == (fit.beta, fit.margin)
    assert longer.scores[0] < fit.scores[0]
    with pytest.raises(InputError, match="the fit has no system 'z', so judgments of it cannot be added"):
        fit.update(counted({("a", "z"): (1, 0, 0)}))


# -- published results -----------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.parametrize(
    "pair", ["ron-eng", *(pytest.param(p, marks=pytest.mark.slow) for p in ("tur-eng", "deu-eng"))]
)
def test_wmt16_scores_order_and_ranges_are_the_official_ones(real_data: Path, pair: str) -> None:
    text = (real_data / "wmt16" / f"wmt16.{pair}.official.txt").read_text(encoding="utf-8")
    official = re.findall(r"^(\S+) (-?[\d.]+) \(([\d.]+), ([\d.]+)\)$", text, re.MULTILINE)
    ranking = pm.rank(pm.read(real_data / "wmt16" / f"wmt16.{pair}.csv"), model="trueskill", resample="pair", rng=0)
    assert ranking.systems == tuple(name for name, *_ in official)
    for line, (_, score, first, last) in zip(ranking.lines, official, strict=True):
        assert line.score == pytest.approx(float(score), abs=0.015)
        assert abs(line.range[0] - float(first)) <= 1
        assert abs(line.range[1] - float(last)) <= 1


@pytest.mark.real
def test_gec15_scores_and_order_are_the_published_ones(real_data: Path) -> None:
    # Grundkiewicz et al. 2015, Table 3c: all 109,098 pairs, after outputs shared by several systems are expanded.
    text = (real_data / "gec15" / "EXPECTED.txt").read_text(encoding="utf-8")
    below = text.split("# Table 3c TrueSkill", 1)[1].split("\n#", 1)[0]
    published = re.findall(r"^\d+ (-?[\d.]+) (\d+)-(\d+) (\S+)$", below, re.MULTILINE)
    judgments = pm.read(real_data / "gec15" / "judgments.xml")
    ranking = pm.rank(judgments, model="trueskill", resample="pair", resamples=400, rng=0)
    assert len(published) == 13
    assert ranking.systems == tuple(name for *_, name in published)
    for line, (score, first, last, _) in zip(ranking.lines, published, strict=True):
        assert line.score == pytest.approx(float(score), abs=0.01)
        assert abs(line.range[0] - int(first)) <= 1
        assert abs(line.range[1] - int(last)) <= 1
