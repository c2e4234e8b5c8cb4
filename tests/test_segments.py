"""Slopes of segments: scores against brute force, intervals and choices against campaigns of another generator."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from builders import judged
from scipy.integrate import quad
from scipy.special import expit

import palmares as pm
from palmares.analysis.segments import Segments
from palmares.analysis.segments.choosing import Telling, agreement_of, most_telling
from palmares.analysis.segments.rows import Rows, rows_of, slopes_by_z
from palmares.analysis.segments.slopes import Noise, noise_of, score
from palmares.analysis.segments.spread import Curves, _integrated, fit_slopes
from palmares.errors import InputError
from palmares.models.ordinal import Ordinal


def campaign(
    seed: int, *, systems: int = 10, segments: int = 150, sittings: int = 4, size: int = 5, judges: int = 16,
    spread: float = 0.0, outputs: float = 0.0, distance: float = 0.7, regular: bool = True,
) -> tuple[pm.Judgments, np.ndarray]:  # fmt: skip
    """A campaign whose log slopes are known, from a generator of its own: judges see outputs with Gumbel noise."""
    rng = np.random.default_rng(seed)
    theta = rng.permutation(np.linspace(-1, 1, systems)) * distance * 1.6 if regular else rng.normal(0, 0.6, systems)
    x = rng.normal(0, spread, segments)
    quality = np.exp(x)[:, None] * theta + outputs * rng.normal(size=(segments, systems))
    width = 0.4 * np.exp(rng.normal(0, 0.4, judges))
    rows = []
    for number in range(segments * sittings):
        s, k = number % segments, rng.integers(judges)
        shown = rng.choice(systems, size, replace=False)
        seen = quality[s, shown] + rng.gumbel(size=size)
        for i, j in combinations(range(size), 2):
            gap = seen[i] - seen[j]
            outcome = 0 if abs(gap) < width[k] else int(np.sign(gap))
            rows.append((f"s{s:03d}", f"j{k:02d}", f"r{number}", f"m{shown[i]:02d}", f"m{shown[j]:02d}", outcome))
    columns = ["segment", "judge", "ranking", "system_a", "system_b", "outcome"]
    return pm.Judgments.from_rows(pl.DataFrame(rows, schema=columns, orient="row")), x


@cache
def small() -> tuple[pm.Judgments, Rows]:
    judgments, _ = campaign(3, systems=5, segments=9, sittings=3, size=3, judges=4, spread=0.5, outputs=0.4)
    return judgments, rows_of(judgments, Ordinal().fit(judgments))


def log_chances(rows: Rows, x: np.ndarray) -> np.ndarray:
    """log P of every judgment, straight from the model."""
    z = rows.reach * np.exp(x)[rows.segment] * (rows.theta[rows.a] - rows.theta[rows.b])
    win, loss = expit(z - rows.delta), expit(-z - rows.delta)
    return np.log(np.choose(rows.outcome, [win, 1 - win - loss, loss]))


# -- scores and information ---------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0.0, 0.3, 1.7])
def test_derivatives_are_those_of_the_chances(delta: float) -> None:
    z, step = np.linspace(-3, 3, 13), 1e-6
    width = np.full(13, delta)

    def chances(at: np.ndarray) -> np.ndarray:
        win, loss = expit(at - delta), expit(-at - delta)
        return np.stack([win, 1 - win - loss, loss])

    slopes = (chances(z + step) - chances(z - step)) / (2 * step)
    kinds = (0, 1, 2) if delta else (0, 2)
    for kind in kinds:
        found, _ = slopes_by_z(z, width, np.full(13, kind))
        np.testing.assert_allclose(found, slopes[kind] / chances(z)[kind], atol=1e-7)
    _, information = slopes_by_z(z, width, np.zeros(13, dtype=int))
    np.testing.assert_allclose(information, sum(slopes[k] ** 2 / chances(z)[k] for k in kinds), atol=1e-7)


def test_the_score_without_other_variance_is_the_gradient_of_the_likelihood() -> None:
    _, rows = small()
    x, step, kappa = np.linspace(-0.8, 0.8, rows.segments), 1e-6, 0.7
    pull, _ = score(rows, x, Noise(kappa, 0.0))
    for s in range(rows.segments):
        up, down = (log_chances(rows, x + sign * step * np.eye(rows.segments)[s]) for sign in (1, -1))
        gradient = (rows.weight * (up - down)).sum() / (2 * step) / kappa
        assert pull[s] == pytest.approx(gradient, abs=1e-6)


def laplacians(rows: Rows, x: np.ndarray, unit: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Gradient by the qualities of outputs and its information, of every unit, row by row."""
    n = len(rows.theta)
    z = rows.reach * np.exp(x)[rows.segment] * (rows.theta[rows.a] - rows.theta[rows.b])
    by_z, expected = slopes_by_z(z, rows.delta, rows.outcome)
    found = []
    for number in range(int(unit.max()) + 1):
        h, info = np.zeros(n), np.zeros((n, n))
        for r in np.flatnonzero(unit == number):
            way = np.zeros(n)
            way[rows.a[r]], way[rows.b[r]] = rows.reach[r], -rows.reach[r]
            h += rows.weight[r] * by_z[r] * way
            info += rows.weight[r] * expected[r] * np.outer(way, way)
        found.append((h, info))
    return found


def test_score_and_information_with_variance_of_outputs() -> None:
    _, rows = small()
    x, noise = np.linspace(-0.5, 0.9, rows.segments), Noise(0.8, 0.45)
    pull, known = score(rows, x, noise)
    for s, (h, info) in enumerate(laplacians(rows, x, rows.segment)):
        inverse = np.linalg.inv(noise.dispersion * np.eye(len(h)) + noise.outputs * info)
        assert pull[s] == pytest.approx(np.exp(x[s]) * rows.theta @ inverse @ h)
        assert known[s] == pytest.approx(np.exp(2 * x[s]) * rows.theta @ inverse @ info @ rows.theta)


def test_blocks_of_segments_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    _, rows = small()
    x, noise = np.zeros(rows.segments), Noise(1.0, 0.5)
    whole = score(rows, x, noise)
    monkeypatch.setattr("palmares.analysis.segments.outputs._AT_ONCE", 2 * 25)  # two segments at a time
    again = rows.only(np.arange(len(rows)))
    np.testing.assert_allclose(score(again, x, noise), whole, rtol=1e-12)
    assert len(again.outputs.blocks) > len(rows.outputs.blocks)


def test_variances_solve_the_equations_of_moments() -> None:
    """By loops over every two sittings of a segment."""
    judgments, _ = campaign(8, systems=6, segments=40, sittings=4, size=4, judges=9, spread=0.7, outputs=0.8)
    rows = rows_of(judgments, Ordinal().fit(judgments))
    start, theta = np.zeros(rows.segments), rows.theta
    sittings = laplacians(rows, start, rows.sitting)
    owner = {int(rows.sitting[r]): int(rows.segment[r]) for r in range(len(rows))}
    degree = [np.trace(info) for _, info in laplacians(rows, start, rows.segment)]
    worth = [1 / (1 + d / (len(theta) - 1)) ** 2 for d in degree]
    left, right = np.zeros((2, 2)), np.zeros(2)
    for r, q in ((r, q) for r in owner for q in owner if r != q and owner[r] == owner[q]):
        (h, info), (g, other), w = sittings[r], sittings[q], worth[owner[r]]
        mixed = (info @ theta) @ (other @ theta)
        left += w * np.array(
            [[np.trace(info @ other), mixed], [mixed, (theta @ info @ theta) * (theta @ other @ theta)]]
        )
        right += w * np.array([h @ g, (theta @ h) * (theta @ g)])
    outputs, slopes = np.linalg.solve(left, right)
    top = bottom = 0.0
    for r, (h, info) in enumerate(sittings):
        spread = theta @ info @ theta
        top += worth[owner[r]] * ((theta @ h) ** 2 - outputs * ((info @ theta) ** 2).sum() - slopes * spread**2)
        bottom += worth[owner[r]] * spread
    found = noise_of(rows)
    assert min(outputs, slopes) > 0
    assert (found.outputs, found.slopes, found.dispersion) == pytest.approx((outputs, slopes, top / bottom))


def test_sittings_of_gumbel_rankings_vary_as_theory_says() -> None:
    """m outputs ranked by chance alone: the sums of pairs vary (m + 1)/3 times as much as independent pairs."""
    judgments, _ = campaign(5, segments=400, distance=0.2, sittings=3)
    rows = rows_of(judgments, Ordinal().fit(judgments))
    assert noise_of(rows).dispersion == pytest.approx(1.0, abs=0.12)
    assert noise_of(rows).outputs < 0.05


# -- the spread of slopes -----------------------------------------------------------------------------


def test_heights_are_differences_of_the_log_likelihood() -> None:
    _, rows = small()
    curves = Curves.of(rows, Noise(1.0, 0.0))

    def likelihood(x: float) -> np.ndarray:
        logs = rows.weight * log_chances(rows, np.full(rows.segments, x))
        return np.bincount(rows.segment, logs, rows.segments)

    for x in (-2.13, -0.4, 0.51, 1.3):
        found = curves.at(np.full(rows.segments, x)) - curves.at(np.zeros(rows.segments))
        np.testing.assert_allclose(found, likelihood(x) - likelihood(0.0), atol=2e-3)


@pytest.mark.parametrize(("s", "m"), [(0.1, 0.0), (0.6, -0.2), (1.8, 0.1)])
def test_the_integral_over_a_slope_is_that_of_quadrature(s: float, m: float) -> None:
    _, rows = small()
    curves = Curves.of(rows, Noise(0.9, 0.3))
    height, means, variances, _ = _integrated(curves, s, m, np.zeros(rows.segments))

    def moment(segment: int, power: int) -> float:
        def density(x: float) -> float:
            at = curves.at(np.full(rows.segments, x))[segment]
            return x**power * np.exp(at - 0.5 * ((x - m) / s) ** 2) / (s * np.sqrt(2 * np.pi))

        return quad(density, m - 8 * s, m + 8 * s, limit=300)[0]

    moments = np.array([[moment(k, power) for power in (0, 1, 2)] for k in range(rows.segments)])
    mean = moments[:, 1] / moments[:, 0]
    np.testing.assert_allclose(means, mean, atol=0.01 * s)
    np.testing.assert_allclose(variances, moments[:, 2] / moments[:, 0] - mean**2, rtol=0.03)
    # The weights of the quadrature are those of the normal density without its constant.
    assert height - rows.segments * 0.5 * np.log(2 * np.pi) == pytest.approx(np.log(moments[:, 0]).sum(), abs=0.05)


def test_information_of_a_judgment_by_brute_force() -> None:
    theta, delta, slope = np.array([0.9, 0.1, -1.0]), 0.4, 1.7
    total = 0.0
    for i, j in combinations(range(3), 2):

        def chances(gap: float) -> np.ndarray:
            win, loss = expit(slope * gap - delta), expit(-slope * gap - delta)
            return np.array([win, 1 - win - loss, loss])

        gap = theta[i] - theta[j]
        slopes = (chances(gap + 1e-6) - chances(gap - 1e-6)) / 2e-6
        total += (slopes**2 / chances(gap)).sum() / 3
    found = Telling.of(theta, delta).expected(np.array([np.log(slope)]), np.zeros(1))
    assert found[0] == pytest.approx(total, rel=1e-3)


def test_agreement_is_counted_by_hand() -> None:
    judgments = judged(
        [("A", "B", 1), ("A", "B", 1), ("A", "B", -1), ("B", "C", 1), ("B", "C", 0), ("A", "C", 1), ("A", "C", 1)],
        segment=["1", "1", "2", "2", "2", "1", "2"], judge=["j"] * 7,
    )  # fmt: skip
    rows = rows_of(judgments, Ordinal().fit(judgments))
    assert (np.diff(rows.theta) < 0).all()  # A before B before C
    hits, expected, decided = agreement_of(rows)
    assert hits.tolist() == [3, 2]
    assert decided.tolist() == [3, 3]
    gap = rows.reach[0] * (rows.theta[0] - rows.theta[1])
    p, q = expit(gap - rows.delta[0]), expit(-gap - rows.delta[0])
    gap = rows.reach[0] * (rows.theta[0] - rows.theta[2])
    r, t = expit(gap - rows.delta[0]), expit(-gap - rows.delta[0])
    assert expected[0] == pytest.approx(2 * p / (p + q) + r / (r + t))


def test_the_most_telling_are_those_of_largest_information() -> None:
    assert most_telling(np.array([0.5, 2.0, 1.0, 2.0]), 2).tolist() == [False, True, False, True]
    assert most_telling(np.ones(4), 2).tolist() == [True, True, False, False]


# -- campaigns whose truth is known --------------------------------------------------------------------


def inside(seed: int, **options: float) -> tuple[float, float, float, float]:
    """Share of true slopes inside their intervals, reliability, squared correlation with the truth, spread."""
    judgments, x = campaign(seed, **options)  # type: ignore[arg-type]
    rows = rows_of(judgments, Ordinal().fit(judgments))
    found = fit_slopes(rows, noise_of(rows))
    truth = x - x.mean()
    covered = np.abs(truth - found.log) <= 1.96 * np.sqrt(found.variance)
    return float(covered.mean()), found.reliability, float(np.corrcoef(truth, found.log)[0, 1] ** 2), found.spread


def test_slopes_lie_inside_their_intervals_and_reliability_is_what_it_says() -> None:
    found = np.array([inside(seed, spread=0.5, outputs=0.5, sittings=6) for seed in range(6)])
    covered, reliability, correlation, spread = found.mean(axis=0)
    assert 0.88 < covered < 0.98
    assert reliability == pytest.approx(correlation, abs=0.1)
    assert spread == pytest.approx(0.5, abs=0.12)


@pytest.mark.slow
@pytest.mark.parametrize("outputs", [0.0, 0.7])
@pytest.mark.parametrize("spread", [0.3, 0.6, 1.0])
@pytest.mark.parametrize(("sittings", "size"), [(3, 5), (8, 5), (20, 2)])
def test_intervals_over_many_campaigns(spread: float, outputs: float, sittings: int, size: int) -> None:
    """The figures of docs/segments.md: run with -s."""
    options = {"spread": spread, "outputs": outputs, "sittings": sittings, "size": size, "segments": 300}
    found = np.array([inside(seed, **options) for seed in range(100, 120)])
    covered, reliability, correlation, estimate = found.mean(axis=0)
    print(f"| {size} | {sittings} | {spread} | {outputs} | {estimate:.2f} | {covered:.3f} | {reliability:.2f} | "
          f"{correlation:.2f} |")  # fmt: skip
    assert 0.9 < covered < 0.975
    assert reliability == pytest.approx(correlation, abs=0.08)


@pytest.mark.slow
def test_intervals_where_systems_are_spread_by_chance() -> None:
    """Now and then all systems are close, and less is known; in docs/segments.md, run with -s."""
    for outputs in (0.0, 0.7):
        options = {"spread": 0.5, "outputs": outputs, "segments": 300, "systems": 12, "regular": False}
        covered, reliability, correlation, estimate = np.mean([inside(seed, **options) for seed in range(40)], axis=0)
        print(f"{outputs}: {estimate:.2f} {covered:.3f} {reliability:.2f} {correlation:.2f}")
        assert 0.88 < covered < 0.975
        assert reliability == pytest.approx(correlation, abs=0.08)


@cache
def chosen(spread: float, outputs: float, seed: int = 1) -> tuple[Segments, np.ndarray]:
    judgments, x = campaign(seed, spread=spread, outputs=outputs, sittings=6)
    return pm.segments(judgments, choose=30, splits=10, rng=0, execution=pm.Execution("serial")), x


def test_chosen_segments_are_better_where_segments_differ() -> None:
    found, x = chosen(0.8, 0.3)
    assert found.choice is not None
    picked = [int(name[1:]) for name in found.choice.segments]
    assert np.exp(x[picked]).mean() > 1.5 * np.exp(x).mean()
    assert found.reliability > 0.4
    assert found.choice.gain > 1.5
    assert [check.verdict for check in found.choice.checks] == ["better than chance"] * 2
    assert found.choice.kept == pytest.approx(found.choice.gain * 30 / 150)


def test_nothing_is_claimed_where_segments_do_not_differ() -> None:
    found, _ = chosen(0.0, 0.0)
    assert found.choice is not None
    assert found.reliability < 0.15
    assert found.choice.gain < 1.2
    assert [check.verdict for check in found.choice.checks] == ["not shown to beat chance"] * 2
    assert any("would tell other systems apart is hardly known" in note for note in found.notes)
    judgments, _ = campaign(1, sittings=6)
    unchecked = pm.segments(judgments, rng=0)
    assert any("choosing by it is little better than chance" in note for note in unchecked.notes)


def test_outputs_that_happen_to_follow_the_order_help_the_same_systems_only() -> None:
    """No segment tells more than another, but judges agree on outputs: other judges confirm, other systems do not."""
    found, _ = chosen(0.0, 0.9)
    assert found.choice is not None
    judges, systems = found.choice.checks
    assert (judges.kind, systems.kind) == ("other judges", "other judges and other systems")
    assert judges.verdict == "better than chance"
    assert systems.verdict == "not shown to beat chance"
    assert found.reliability < 0.15
    assert found.outputs == pytest.approx(0.9, abs=0.3)


@pytest.mark.slow
def test_choosing_seldom_seems_to_help_where_it_does_not() -> None:
    """No segment tells more than another; where outputs differ, other judges may find it so, other systems may not."""
    claims = {"judges": 0, "systems": 0}
    for seed in range(60):
        judgments, _ = campaign(seed, outputs=0.7 * (seed % 2))
        found = pm.segments(judgments, choose=30, splits=12, rng=0).choice
        assert found is not None
        claims["judges"] += seed % 2 == 0 and found.checks[0].verdict == "better than chance"
        claims["systems"] += found.checks[1].verdict == "better than chance"
    print(claims)
    assert claims["judges"] <= 3  # 2.5 % of 30 and of 60 are expected
    assert claims["systems"] <= 5


def test_a_segment_on_which_the_order_is_reversed_is_named() -> None:
    judgments, _ = campaign(2, segments=40, sittings=8, distance=1.2)
    rows = judgments.to_rows()
    turned = pl.when(pl.col("segment") == "s007").then(-pl.col("outcome")).otherwise(pl.col("outcome"))
    found = pm.segments(pm.Judgments.from_rows(rows.with_columns(outcome=turned)), rng=0)
    worst = min(found.lines, key=lambda line: line.against)
    assert worst.segment == "s007"
    assert found.lines[-1].segment == "s007"
    assert worst.agreement is not None
    assert worst.expected is not None
    assert worst.agreement < 0.4 < worst.expected
    assert any("speaks against the order of the systems beyond chance: s007" in note for note in found.notes)


# -- what may change nothing, and what is refused ------------------------------------------------------


def test_order_and_names_of_rows_change_nothing() -> None:
    judgments, _ = small()
    rows = (
        judgments.to_rows()
        .sample(fraction=1, shuffle=True, seed=1)
        .with_columns(("x" + pl.col("ranking")).alias("ranking"))
    )
    found, again = (pm.segments(data, choose=3, splits=4, rng=0) for data in (judgments, pm.Judgments.from_rows(rows)))
    assert [line.segment for line in found.lines] == [line.segment for line in again.lines]
    slopes = [[line.slope for line in each.lines] for each in (found, again)]
    np.testing.assert_allclose(*slopes, rtol=1e-9)
    assert found.choice is not None
    assert again.choice is not None
    for one, two in zip(found.choice.checks, again.choice.checks, strict=True):
        assert one.slope is not None
        assert two.slope is not None
        assert one.slope.value == pytest.approx(two.slope.value, rel=1e-9)


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_where_it_runs_changes_nothing(executor: str) -> None:
    judgments, _ = small()
    told: list[tuple[int, int]] = []
    here, there = (
        pm.segments(
            judgments,
            choose=3,
            splits=4,
            execution=pm.Execution(kind, 2, seed=5, progress=lambda done, total: told.append((done, total))),
        )
        for kind in ("serial", executor)
    )
    assert here.to_dict()["choice"] == there.to_dict()["choice"]
    assert told == 2 * [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_information_is_one_on_average_and_lines_are_sorted_by_it() -> None:
    judgments, _ = small()
    found = pm.segments(judgments, rng=0)
    values = [line.information for line in found.lines]
    assert np.mean(values) == pytest.approx(1)
    assert values == sorted(values, reverse=True)
    assert sum(line.judgments for line in found.lines) == len(judgments)
    assert all(line.interval[0] < line.slope < line.interval[1] for line in found.lines)
    assert found.choice is None


def test_without_ties_judges_or_rankings() -> None:
    judgments, _ = small()
    rows = judgments.to_rows().filter(pl.col("outcome") != 0).drop("judge", "ranking")
    found = pm.segments(pm.Judgments.from_rows(rows), choose=3, splits=3, rng=0)
    assert {line.judges for line in found.lines} == {0}
    assert {line.ties for line in found.lines} == {0.0}
    assert found.choice is not None
    assert found.choice.checks[0].kind == "other sittings"
    assert any("the check halves sittings" in note for note in found.notes)
    assert any("does not say what the choice would do for other systems" in note for note in found.notes)


def test_a_segment_judged_once_is_said_to_tell_little() -> None:
    judgments, _ = campaign(4, sittings=1, segments=60)
    found = pm.segments(judgments, rng=0)
    assert any("no two sittings share a segment" in note for note in found.notes)
    assert found.outputs == 0


def test_judgments_without_a_segment_are_left_out_and_counted() -> None:
    judgments, _ = small()
    name = pl.when(pl.int_range(pl.len()) < 5).then(None).otherwise(pl.col("segment"))
    found = pm.segments(pm.Judgments.from_rows(judgments.to_rows().with_columns(segment=name)), rng=0)
    assert f"5 of {len(judgments)} judgments name no segment and are left out" in found.notes
    assert found.judgments == len(judgments) - 5


def test_what_is_refused() -> None:
    judgments, _ = small()
    rows = judgments.to_rows()
    with pytest.raises(InputError, match=r"name no segments; name the column that has them \(--column segment=NAME"):
        pm.segments(pm.Judgments.from_rows(rows.drop("segment")))
    with pytest.raises(InputError, match="there is only one segment, 's000'"):
        pm.segments(judgments.select(segment="s000"))
    with pytest.raises(InputError, match="at least three systems"):
        pm.segments(judgments.keep(judgments.systems[:2]))
    with pytest.raises(InputError, match="all systems score alike"):
        pm.segments(judged([("A", "B", 0), ("B", "C", 0), ("A", "C", 0)], segment=["1", "1", "2"]))
    with pytest.raises(InputError, match="choose: got 9; allowed: fewer than the 9 segments there are"):
        pm.segments(judgments, choose=9)
    for name, value, allowed in (("choose", 0, "at least 1"), ("splits", -1, "at least 0"), ("top", 0, "at least 1")):
        with pytest.raises(InputError, match=f"{name}: got {value}; allowed: {allowed}"):
            pm.segments(judgments, **{name: value})
    with pytest.raises(InputError, match=r"p: got 1\.5"):
        pm.segments(judgments, p=1.5)


@pytest.mark.real
def test_published_judgments(real_data: Path) -> None:
    """Other judges confirm the choice, since outputs keep their quality; what slopes say of other systems is little."""
    found = pm.segments(real_data / "wmt16" / "wmt16.deu-eng.csv", choose=100, splits=10, rng=0)
    assert found.choice is not None
    assert found.choice.checks[0].verdict == "better than chance"
    assert found.reliability < 0.2
    assert len(found.choice.segments) == 100
