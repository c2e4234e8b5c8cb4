"""``segments --baseline``: difficulties and item information against brute force and a generator of its own."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import expit
from scipy.stats import norm

import palmares as pm
from palmares.analysis.segments import Difficulties
from palmares.analysis.segments.difficulty import _peaks, between_sittings, expected_information
from palmares.errors import InputError
from palmares.models.graded_response import GradedResponse
from palmares.report.plots import information_plot


def campaign(
    seed: int, *, systems: int = 8, segments: int = 120, sittings: int = 5, size: int = 4, judges: int = 12,
    spread: float = 1.0,
) -> tuple[pm.Judgments, np.ndarray]:  # fmt: skip
    """System m0 is in every ranking, and the quality of its outputs varies by so much; Gumbel noise, ties within .4."""
    rng = np.random.default_rng(seed)
    theta = np.concatenate([[0.0], rng.normal(0, 0.6, systems - 1)])
    own = rng.normal(0, spread, segments)
    rows = []
    for number in range(segments * sittings):
        s, k = number % segments, rng.integers(judges)
        shown = np.concatenate([[0], 1 + rng.choice(systems - 1, size - 1, replace=False)])
        seen = theta[shown] + np.where(shown == 0, own[s], 0.0) + rng.gumbel(size=size)
        for i, j in combinations(range(size), 2):
            gap = seen[i] - seen[j]
            outcome = 0 if abs(gap) < 0.4 else int(np.sign(gap))
            rows.append((f"s{s:03d}", f"j{k:02d}", f"r{number}", f"m{shown[i]}", f"m{shown[j]}", outcome))
    columns = ["segment", "judge", "ranking", "system_a", "system_b", "outcome"]
    return pm.Judgments.from_rows(pl.DataFrame(rows, schema=columns, orient="row")), own


@cache
def measured() -> tuple[Difficulties, pm.Judgments, np.ndarray]:
    judgments, own = campaign(1)
    return pm.segments(judgments, baseline="m0"), judgments, own


def information(theta: float, b1: float, b2: float) -> float:
    """Σ (P′)²/P of the three grades, a = 1, by differences."""

    def chances(at: float) -> np.ndarray:
        lower, upper = expit(at - b1), expit(at - b2)
        return np.array([1 - lower, lower - upper, upper])

    slopes = (chances(theta + 1e-6) - chances(theta - 1e-6)) / 2e-6
    return float((slopes**2 / chances(theta)).sum())


@pytest.mark.parametrize(("b1", "b2"), [(-0.5, 0.5), (1.0, 1.3), (-3.0, 3.0), (-2.0, 4.0)])
def test_peaks_are_where_the_curve_is_highest(b1: float, b2: float) -> None:
    middle = (b1 + b2) / 2
    found = minimize_scalar(lambda x: -information(x, b1, b2), bounds=(b1 - 2, middle), method="bounded")
    peak, height = _peaks(np.array([[b1, b2]]))
    assert peak[0] == pytest.approx(found.x, abs=0.02)
    assert height[0] == pytest.approx(-found.fun, abs=1e-4)


def test_information_is_expected_over_what_is_not_known() -> None:
    b, variance, theta = (-0.2, 0.9), 0.8, np.array([-0.5, 0.3, 1.1])

    def at(shift: float) -> float:
        return float(np.mean([information(t, b[0] + shift, b[1] + shift) for t in theta]))

    expected = quad(lambda x: at(x) * norm.pdf(x, scale=np.sqrt(variance)), -7, 7)[0]
    found = expected_information(theta, np.array([b]), np.array([variance]))
    assert found[0] == pytest.approx(expected, rel=1e-3)


def test_variances_of_sittings_and_segments_solve_their_equations() -> None:
    """By loops over every two sittings of a segment, with chances written anew."""
    judgments, _ = campaign(5, segments=25, judges=6)
    fit = GradedResponse("m0").fit(judgments)
    b1, b2 = fit.difficulty.mean(axis=0)
    sums: dict[tuple[str, str], list[float]] = {}
    for row in judgments.to_rows().iter_rows(named=True):
        if "m0" not in (row["system_a"], row["system_b"]):
            continue
        first = row["system_a"] == "m0"
        grade = 1 + (-row["outcome"] if first else row["outcome"])  # of the system that is not the baseline
        theta = fit.scores[fit.systems.index(row["system_b" if first else "system_a"])]
        a = fit.sensitivity[fit.judges.index(row["judge"])]

        def chances(shift: float, theta: float = theta, a: float = a) -> np.ndarray:
            lower, upper = expit(a * (theta - b1 - shift)), expit(a * (theta - b2 - shift))
            return np.array([1 - lower, lower - upper, upper])

        slope = (chances(1e-6) - chances(-1e-6)) / 2e-6
        total = sums.setdefault((row["segment"], row["judge"]), [0.0, 0.0])
        total[0] += slope[grade] / chances(0)[grade]
        total[1] += float((slope**2 / chances(0)).sum())
    pairs = [(x, y) for (s, j), x in sums.items() for (t, k), y in sums.items() if s == t and j != k]
    variance = sum(x[0] * y[0] for x, y in pairs) / sum(x[1] * y[1] for x, y in pairs)
    dispersion = sum(g * g - variance * i * i for g, i in sums.values()) / sum(i for _, i in sums.values())
    segments = {s: sum(i for (t, _), (_, i) in sums.items() if t == s) for s, _ in sums}
    reliability = np.mean([variance * i / (variance * i + dispersion) for i in segments.values()])
    found = between_sittings(judgments, fit)
    assert found[:2] == pytest.approx((dispersion, reliability), rel=1e-5)
    assert found.repeated == len({s for (s, j) in sums for (t, k) in sums if s == t and j != k})


def test_difficulties_lie_inside_their_intervals_and_reliability_is_what_it_says() -> None:
    """The baseline's own quality is what makes a segment hard; the scale of the model is its own."""
    covered, known, true = [], [], []
    for seed in range(3):
        judgments, own = campaign(seed, segments=150)
        found = pm.segments(judgments, baseline="m0")
        lines = sorted(found.lines, key=lambda line: line.segment)
        middle = np.array([(line.not_losing + line.winning) / 2 for line in lines])
        # The two ends err together, so half of the sum errs at most by the mean of their errors.
        error = np.array([(line.not_losing_error + line.winning_error) / 2 for line in lines])
        scale = np.cov(middle, own)[0, 1] / own.var()
        miss = middle - middle.mean() - scale * (own - own.mean())
        covered.append((np.abs(miss) <= 1.96 * error).mean())
        assert found.reliability is not None
        known.append(found.reliability)
        true.append(np.corrcoef(middle, own)[0, 1] ** 2)
    assert 0.9 < np.mean(covered) < 0.995
    assert np.mean(known) == pytest.approx(np.mean(true), abs=0.12)


@pytest.mark.slow
def test_widened_errors_hold_where_those_of_the_model_do_not() -> None:
    """The figures of docs/segments.md: run with -s."""
    rows = []
    for seed in range(20):
        judgments, own = campaign(seed, systems=10, segments=200, size=5, judges=15)
        fit = GradedResponse("m0").fit(judgments)
        found = between_sittings(judgments, fit)
        assert found[0] is not None
        middle = fit.difficulty.mean(axis=1)
        variance = fit.arrow.variances()[1].sum(axis=(1, 2)) / 4
        scale = np.cov(middle, own)[0, 1] / own.var()
        miss = np.abs(middle - middle.mean() - scale * (own - own.mean()))
        held = [(miss <= 1.96 * np.sqrt(wider * variance)).mean() for wider in (1.0, max(found[0], 1.0))]
        rows.append(
            [*held, middle.var() / (middle.var() + variance.mean()), found[1], np.corrcoef(middle, own)[0, 1] ** 2]
        )
    plain, widened, claimed, known, true = np.mean(rows, axis=0)
    print(
        f"held {plain:.3f}, widened {widened:.3f}; reliability {claimed:.2f}, by sittings {known:.2f}, true {true:.2f}"
    )
    assert plain < 0.9 < widened < 0.98
    assert known == pytest.approx(true, abs=0.1)


def test_hard_segments_are_those_with_a_good_output_of_the_baseline() -> None:
    found, _, own = measured()
    difficulty = {line.segment: line.not_losing + line.winning for line in found.lines}
    order = sorted(difficulty, key=difficulty.__getitem__)
    assert own[[int(name[1:]) for name in order[:10]]].mean() < -1
    assert own[[int(name[1:]) for name in order[-10:]]].mean() > 1
    hardest = found.line(order[-1])
    assert hardest.losses > 0.5
    assert hardest.wins + hardest.ties + hardest.losses == pytest.approx(1)
    assert all(line.not_losing < line.winning for line in found.lines)
    values = [line.information for line in found.lines]
    assert values == sorted(values, reverse=True)


def test_the_result_says_what_it_rests_on() -> None:
    found, judgments, _ = measured()
    against = int(judgments.where("system", ["m0"]).sum())
    assert found.judgments == against == sum(line.judgments for line in found.lines)
    assert any("m0, as asked for" in note for note in found.notes)
    assert any("errors are widened for that" in note for note in found.notes)
    assert any("of the variance of difficulties is known (reliability, by 120 segments" in note for note in found.notes)
    assert list(found.places.values()) == sorted(found.places.values(), reverse=True)
    assert "m0" not in found.places
    line = found.lines[0]
    np.testing.assert_allclose(
        line.curve(np.array([-1.0, 0.4])),
        [information(x, line.not_losing, line.winning) for x in (-1.0, 0.4)],
        rtol=1e-6,
    )


def test_where_every_segment_was_judged_once_nothing_is_said_of_reliability() -> None:
    judgments, _ = campaign(3, sittings=1, segments=60)
    found = pm.segments(judgments, baseline="auto")
    assert found.reliability is None
    assert any("how much is known of difficulties cannot be told" in note for note in found.notes)
    assert any(note.startswith(f"baseline {found.baseline}: its expected wins") for note in found.notes)


def test_what_is_refused(refused: Callable[..., str], tmp_path: Path) -> None:
    found, judgments, _ = measured()
    with pytest.raises(InputError, match="baseline: got 'nobody'; allowed: m0, m1"):
        pm.segments(judgments, baseline="nobody")
    with pytest.raises(InputError, match="chosen by all pairs of systems"):
        pm.segments(judgments, baseline="m0", choose=3)  # type: ignore[call-overload]
    with pytest.raises(InputError, match="no segment 'x' was judged against m0; there are: s"):
        found.line("x")
    path = tmp_path / "campaign.csv"
    pm.write(judgments, path)
    assert "--choose goes by all pairs" in refused("segments", path, "--baseline", "m0", "--choose", 3)
    assert "--curve draws item information" in refused("segments", path, "--curve", "s000")


# -- the command --------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pm.write(measured()[1], tmp_path / "campaign.csv")
    return tmp_path / "campaign.csv"


def test_tables_lists_and_verification(path: Path, ok: Callable[..., Any], tmp_path: Path) -> None:
    found, _, _ = measured()
    arguments = ("segments", path, "--baseline", "m0")
    out = ok(*arguments, "--top", 2).out
    assert "The 2 most and the 2 least telling of 120 segments." in out
    assert found.lines[0].segment in out
    assert found.lines[-1].segment in out
    rows = list(csv.DictReader(io.StringIO(ok(*arguments, "--format", "csv").out)))
    assert [row["segment"] for row in rows] == [line.segment for line in found.lines]
    assert {row["baseline"] for row in rows} == {"m0"}
    assert float(rows[0]["winning"]) == pytest.approx(found.lines[0].winning, abs=1e-9)
    result = tmp_path / "result.json"
    result.write_text(ok(*arguments, "--format", "json").out, encoding="utf-8")
    (verified,) = ok("verify", result, "--format", "json").json
    assert verified["equal"]
    assert verified["compared"] > 1000
    assert "<table" in found._repr_html_()
    assert found.table().height == 120
    assert repr(found).startswith("<Difficulties: 120 segments against m0")


def test_curves_are_drawn_over_the_places_of_systems(path: Path, ok: Callable[..., Any], tmp_path: Path) -> None:
    found, _, _ = measured()
    chart = information_plot(found, segments=["s003", "s001"]).to_dict()
    _, systems, curves = (layer["data"]["values"] for layer in chart["layer"])
    assert [row["theta"] for row in systems] == list(found.places.values())
    assert {row["segment"] for row in curves} == {"s003", "s001"}
    line = found.line("s003")
    for row in curves[:161:40]:
        assert row["information"] == pytest.approx(information(row["theta"], line.not_losing, line.winning), rel=1e-5)
    shown = {row["segment"] for row in information_plot(found).to_dict()["layer"][2]["data"]["values"]}
    by_difficulty = sorted(found.lines, key=lambda line: line.not_losing + line.winning)
    ends = [*found.lines[:2], *by_difficulty[:2], *by_difficulty[-2:]]
    assert shown == {line.segment for line in ends}
    target = tmp_path / "curves.svg"
    ok("segments", path, "--baseline", "m0", "--plot", target, "--curve", "s003", "--curve", "s010")
    assert target.read_text(encoding="utf-8").startswith("<svg")
