"""``ordinal`` with system × segment effects, covariates and rankings: derivatives, limits, recovery, errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import palmares as pm
from palmares.errors import InputError
from palmares.judgments import Judgments, sides_of
from palmares.kernels.ordinal import Answers, Place, gap_slopes, log_likelihood
from palmares.kernels.segment_effects import Outputs, covariances, posterior, row_pulls, start
from palmares.models.ordinal import Ordinal
from palmares.models.ordinal_data import pair_evidence


def crowd(
    seed: int, *, systems: int = 6, judges: int = 30, segments: int = 60, each: int = 120, s_u: float = 0.8,
    first: float = 0.0, longer: float = 0.0,
) -> tuple[Judgments, np.ndarray, np.ndarray]:  # fmt: skip
    """Single comparisons of outputs whose quality differs by segment, by latent logistic noise."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, 0.7, systems)
    theta -= theta.mean()
    u, length = rng.normal(0, s_u, (systems, segments)), rng.integers(5, 50, (systems, segments))
    judge, segment = np.repeat(np.arange(judges), each), rng.integers(0, segments, judges * each)
    a = rng.integers(0, systems, len(judge))
    b = (a + rng.integers(1, systems, len(judge))) % systems
    a_first = rng.integers(0, 2, len(judge)) == 1
    quality = theta[:, None] + u
    z = np.exp(rng.normal(0, 0.3, judges))[judge] * (quality[a, segment] - quality[b, segment])
    z += first * np.where(a_first, 1, -1) + longer * (length[a, segment] - length[b, segment])
    z += rng.logistic(0, 1, len(judge))
    width = 0.5 * np.exp(rng.normal(0, 0.5, judges))[judge]
    rows = pl.DataFrame({
        "system_a": [f"s{i}" for i in a], "system_b": [f"s{i}" for i in b],
        "outcome": np.where(z > width, 1, np.where(z < -width, -1, 0)), "judge": [f"j{k:02d}" for k in judge],
        "segment": [f"g{k:02d}" for k in segment], "position_a": np.where(a_first, 1, 2),
        "position_b": np.where(a_first, 2, 1), "extra.length_a": length[a, segment],
        "extra.length_b": length[b, segment],
    })  # fmt: skip
    return Judgments.from_rows(rows), theta, u


UNITS = ("segment", "two-way")


def one_segment(seed: int) -> tuple[Answers, Outputs, Place]:
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(3, 1)
    counts = rng.integers(0, 5, (3, 3)).astype(float)
    data = Answers(3, 1, np.zeros(3, dtype=np.int64), a, b, counts, np.zeros((3, 0)))
    at = Place(rng.normal(0, 0.5, 3), -0.3, np.array([[0.4, 0.1]]), np.zeros(0))
    return data, Outputs.of(np.zeros(3, dtype=np.int64), a, b, 3), at


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_slopes_by_the_gap_are_derivatives_of_the_log_likelihood(link: str) -> None:
    data, _, at = one_segment(0)
    slope, curved = gap_slopes(link, data, at)
    for entry in range(3):

        def level(step: float, entry: int = entry) -> float:
            shift = np.zeros(3)
            shift[entry] = step
            moved = Answers(3, 1, data.judge, data.a, data.b, data.counts, data.x, shift)
            return log_likelihood(link, moved, at)

        assert slope[entry] == pytest.approx((level(1e-5) - level(-1e-5)) / 2e-5, abs=1e-5)
        assert curved[entry] == pytest.approx(-(level(1e-3) - 2 * level(0) + level(-1e-3)) / 1e-6, abs=1e-4)


def test_the_posterior_of_a_segment_is_near_that_of_a_grid() -> None:
    data, outputs, at = one_segment(4)
    sd, points = 0.8, np.linspace(-3, 3, 41)
    grid = np.stack(np.meshgrid(points, points, points, indexing="ij"), axis=-1).reshape(-1, 3)
    logs = np.zeros(len(grid))
    for entry in range(3):
        only = data.counts * (np.arange(3) == entry)
        gaps = grid[:, data.a[entry]] - grid[:, data.b[entry]]
        many = Answers(
            3, 1, np.zeros(len(gaps), dtype=np.int64), np.full(len(gaps), data.a[entry]),
            np.full(len(gaps), data.b[entry]), np.zeros((3, len(gaps))), np.zeros((len(gaps), 0)), gaps,
        )  # fmt: skip
        logs += _log_probabilities(many, at) @ only[:, entry]
    weight = np.exp(logs - 0.5 * (grid**2).sum(axis=1) / sd**2)
    weight /= weight.sum()
    mean = weight @ grid
    covariance = (grid - mean).T @ ((grid - mean) * weight[:, None])
    found = posterior("logit", data, outputs, at, start(outputs, sd), sd)
    assert found.mode == pytest.approx(mean, abs=0.03)
    assert found.variance == pytest.approx(np.diag(covariance), rel=0.05)
    shared = covariances(outputs, found, np.array([0, 0, -1]), np.array([1, 2, 1]))
    assert shared[:2] == pytest.approx(covariance[0, 1:], abs=0.02)
    assert shared[2] == 0.0


def _log_probabilities(data: Answers, at: Place) -> np.ndarray:
    """log P(win), log P(tie), log P(loss), by the formula."""
    z = np.exp(at.own[0, 0]) * (at.theta[data.a] - at.theta[data.b] + data.shift)
    delta = np.exp(at.width + at.own[0, 1])
    win, loss = 1 / (1 + np.exp(delta - z)), 1 / (1 + np.exp(delta + z))
    return np.log(np.stack([win, 1 - win - loss, loss], axis=1))


def test_what_a_judgment_pulls_is_what_is_left_once_its_segment_follows() -> None:
    data, outputs, at = one_segment(1)
    effects = posterior("logit", data, outputs, at, start(outputs, 0.7), 0.7)
    # (I − W C)(e_a − e_b), with W summed by hand.
    w = np.zeros((3, 3))
    for known, a, b in zip(effects.known, data.a, data.b, strict=True):
        d = np.eye(3)[a] - np.eye(3)[b]
        w += known * np.outer(d, d)
    left = np.eye(3) - w @ np.linalg.inv(w + np.eye(3) / 0.49)
    expected = np.stack([left @ (np.eye(3)[a] - np.eye(3)[b]) for a, b in zip(data.a, data.b, strict=True)])
    assert row_pulls(outputs, effects, 3) == pytest.approx(expected)


def test_effects_of_outputs_lie_in_their_intervals() -> None:
    judgments, _, u = crowd(0, first=0.3)
    outputs = Ordinal(segment_effects=True, covariates="position").fit(judgments).effects
    missed = np.abs(outputs.value - u[outputs.system, outputs.segment]) / outputs.error
    assert 0.9 < (missed < 1.96).mean() < 0.99


@pytest.mark.slow
def test_strengths_outputs_and_coefficients_lie_in_their_intervals() -> None:
    inside: dict[str, list[bool]] = {"theta": [], "u": [], "first": [], "two-way": []}
    spreads = []
    model = Ordinal(segment_effects=True, covariates="position")
    for seed in range(10):
        judgments, theta, u = crowd(seed, first=0.3)
        fit = model.fit(judgments)
        assert fit.convergence.converged
        inside["theta"] += (np.abs(fit.scores - fit.scores.mean() - theta) < 1.96 * fit.deviations).tolist()
        outputs = fit.effects
        missed = np.abs(outputs.value - u[outputs.system, outputs.segment]) / outputs.error
        inside["u"] += (missed < 1.96).tolist()
        inside["first"].append(abs(fit.coefficients[0] - 0.3) < 2.6 * fit.coefficient_errors[0])
        spreads.append(fit.fitted["segment_sd"])
        if seed < 6:
            ranking = pm.rank(judgments, model=model, rng=0)
            inside["two-way"] += [
                line.interval[0] <= theta[int(line.system[1:])] <= line.interval[1] for line in ranking.lines
            ]
    rates = {name: np.mean(values) for name, values in inside.items()}
    assert rates["theta"] > 0.85  # 60 that share segments
    assert 0.92 < rates["u"] < 0.97
    assert rates["first"] > 0.85
    assert rates["two-way"] > 0.8
    assert np.mean(spreads) == pytest.approx(0.8, abs=0.06)


def test_judgments_on_known_segments_are_predicted_better_and_on_new_ones_no_worse() -> None:
    judgments = crowd(3)[0]
    segment = judgments.codes("segment")
    losses = {}
    for name, held in (("same", np.arange(len(judgments)) % 4 == 0), ("new", segment < 15)):
        train, test = judgments.filter(~held), judgments.filter(held)
        for effects in (False, True):
            q = Ordinal(segment_effects=effects).fit(train).predict_rows(test)
            assert q.sum(axis=1) == pytest.approx(1.0)
            losses[name, effects] = -np.log(q[np.arange(len(test)), 1 - test.codes("outcome")]).mean()
    assert losses["same", True] < losses["same", False] - 0.03
    assert losses["new", True] < losses["new", False] + 0.01


def test_outputs_that_do_not_differ_are_found_to() -> None:
    judgments = crowd(5, s_u=0.0)[0]
    fit, plain = Ordinal(segment_effects=True).fit(judgments), Ordinal().fit(judgments)
    assert fit.fitted["segment_sd"] < 0.25
    assert np.corrcoef(fit.scores, plain.scores)[0, 1] > 0.999


@pytest.mark.slow
def test_judgments_without_a_segment_are_said_to_be_so() -> None:
    rows = crowd(5)[0].to_rows()
    none = Ordinal(segment_effects=True).fit(Judgments.from_rows(rows.drop("segment")))
    assert any("name no segment, so outputs are as good as their systems" in note for note in none.notes)
    assert none.scores == pytest.approx(Ordinal().fit(crowd(5)[0]).scores)
    assert pm.rank(Judgments.from_rows(rows.drop("segment")), model=none.model, rng=0).lines[0].range is not None
    some = rows.with_columns(pl.when(pl.int_range(pl.len()) >= 9).then("segment").alias("segment"))
    fit = Ordinal(segment_effects=True).fit(Judgments.from_rows(some))
    assert any("9 of 3,600 judgments name no segment; each" in note for note in fit.notes)


def test_length_is_told_apart_from_quality_and_a_swapped_file_is_the_same() -> None:
    judgments = crowd(8, s_u=0.0, longer=0.03)[0]
    fit = Ordinal(covariates="length+position").fit(judgments)
    scale = fit.covariates.scales[0]
    assert fit.coefficients[0] / scale == pytest.approx(0.03, abs=3 * fit.coefficient_errors[0] / scale)
    assert abs(fit.coefficients[1]) < 3 * fit.coefficient_errors[1]
    swapped = {
        "system_a": "system_b", "system_b": "system_a", "position_a": "position_b", "position_b": "position_a",
        "extra.length_a": "extra.length_b", "extra.length_b": "extra.length_a",
    }  # fmt: skip
    turned = judgments.to_rows().rename(swapped).with_columns(outcome=-pl.col("outcome"))
    assert Judgments.from_rows(turned) == judgments
    assert Ordinal(covariates="length").knows == {"judge", "length"}


def test_a_judgment_without_a_value_is_said_to_be_taken_for_equal() -> None:
    rows = crowd(8)[0].to_rows()
    gone = rows.with_columns(pl.when(pl.int_range(pl.len()) >= 7).then("extra.length_a").alias("extra.length_a"))
    fit = Ordinal(covariates="length").fit(Judgments.from_rows(gone))
    assert any("7 of 3,600 judgments do not tell the covariate 'length'" in note for note in fit.notes)


@pytest.mark.parametrize(("covariates", "words"), [
    ("height", "needs a value of each of the two outputs, in two columns such as height_a and height_b"),
    ("length+", "names of covariates joined by \\+, each once"), ("length+length", "each once"),
])  # fmt: skip
def test_unknown_covariates_are_refused(covariates: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Ordinal(covariates=covariates).fit(crowd(0, each=5)[0])


def test_texts_and_missing_positions_are_no_covariates() -> None:
    rows = crowd(0, each=5)[0].to_rows()
    text = rows.with_columns(pl.lit("long").alias("extra.length_a"))
    with pytest.raises(InputError, match="column 'length_a' holds 'long'; allowed: numbers"):
        Ordinal(covariates="length").fit(Judgments.from_rows(text))
    with pytest.raises(InputError, match="do not say where on the screen"):
        Ordinal(covariates="position").fit(Judgments.from_rows(rows.drop("position_a", "position_b")))


def test_columns_of_two_sides_are_found_by_what_they_share() -> None:
    columns = ["length_a", "length_b", "meta.sum_assistant_a_tokens", "meta.sum_assistant_b_tokens", "domain", "a", "b"]
    assert sides_of("length", columns) == ("length_a", "length_b")
    assert sides_of("meta.sum_assistant_tokens", columns) == tuple(columns[2:4])
    assert sides_of("length_a", columns) == ("length_a", "length_b")
    assert sides_of("domain", columns) is None
    assert sides_of("", columns) is None


def test_pairs_of_a_ranking_count_as_the_evidence_they_are() -> None:
    """The variance of a place in a random order of m is (m² − 1)/12; of m − 1 independent halves, (m − 1)/4."""
    judgments = pm.simulate(systems=8, rankings=40, outputs=5, rng=0).judgments
    assert pair_evidence(judgments) == pytest.approx(((5 - 1) / 4) / ((5**2 - 1) / 12))
    pairs = judgments.to_rows().drop("ranking")
    assert (pair_evidence(Judgments.from_rows(pairs)) == 1).all()
    assert (pair_evidence(judgments.weighed("ranking")) == 1).all()


def test_alike_judges_are_not_told_apart_by_the_dependence_of_pairs() -> None:
    """Rankings by latent values of outputs; all judges have one sensitivity and one width."""
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        theta, rows = rng.normal(0, 0.3, 8), []
        for ranking in range(600):
            shown = rng.permutation(8)[:5]
            place = np.floor((theta[shown] + rng.gumbel(0, 1, 5)) / 0.8 + rng.random())
            rows += [
                (f"s{shown[i]}", f"s{shown[j]}", int(np.sign(place[i] - place[j])), f"j{ranking % 50}", f"r{ranking}")
                for i in range(5)
                for j in range(i)
            ]
        names = ["system_a", "system_b", "outcome", "judge", "ranking"]
        judgments = Judgments.from_rows(pl.DataFrame(rows, schema=names, orient="row"))
        alone = Judgments.from_rows(judgments.to_rows().drop("ranking"))
        found.append([Ordinal().fit(data).spreads[0] for data in (judgments, alone)])
    known, ignored = np.mean(found, axis=0)
    assert known < 0.4  # the imagined judge and chance alone give 0.2 or more
    assert ignored > known + 0.1


def test_a_bootstrap_by_segment_agrees_with_two_way_where_segments_matter() -> None:
    judgments = crowd(2, judges=12, segments=25, each=50)[0]
    model = Ordinal(segment_effects=True)
    drawn, two_way = (pm.rank(judgments, model=model, resample=unit, resamples=60, rng=0) for unit in UNITS)
    by_name = {line.system: line.error for line in drawn.lines}
    assert 0.7 < np.mean([line.error / by_name[line.system] for line in two_way.lines]) < 1.5


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from palmares.cli import cli

    rows = crowd(1, judges=8, each=40, longer=0.05)[0].to_rows()
    file = tmp_path / "arena.csv"
    rows.rename({c: c.removeprefix("extra.") for c in rows.columns}).write_csv(file)
    line = ["rank", str(file), "--extra", "length_a", "--extra", "length_b", "--model", "ordinal"]
    cli.main([*line, "--set", "covariates=length+position", "--set", "segment_effects=yes"], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "|covariates:length+position|" in shown
    assert "fitted_segment_sd:" in shown
