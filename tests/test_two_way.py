"""Judges and segments at once: against fits without a unit, by hand, and by campaigns whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from builders import judged, random_rows
from scipy.stats import t

import palmares as pm
from palmares import Execution
from palmares.errors import InputError
from palmares.judgments import Judgments, choose_unit, sitting_kinds, unit_kinds
from palmares.models.bradley_terry import BradleyTerry
from palmares.models.ratios import ExpectedWins
from palmares.ranking.bootstrap import Replicates, plain_samples, resample, widened
from palmares.ranking.two_way import Grouping, combined, jackknife

ROWS = random_rows(np.random.default_rng(0), rankings=120)
JUDGMENTS = Judgments.from_rows(ROWS)
WEIGHTED = Judgments.from_rows(random_rows(np.random.default_rng(1), rankings=120, weights=True))


# -- covariances by leaving units out --------------------------------------------------------------


def left_out(judgments: Judgments, key: pl.Expr, model: pm.models.base.Model) -> np.ndarray:
    """(G − 1) / G · Σ (scores without a unit − scores)², by real fits to the table without the unit's rows."""
    rows = judgments.to_rows().with_columns(key.alias("unit"))
    full = model.fit(judgments.counts).scores
    changes = []
    for unit in rows["unit"].unique().sort():
        rest = Judgments.from_rows(rows.filter(pl.col("unit") != unit).drop("unit"))
        assert rest.systems == judgments.systems
        changes.append(model.fit(rest.counts).scores - full)
    changed = np.array(changes)
    return changed.T @ changed * (len(changed) - 1) / len(changed)


KEYS = {"judge": pl.col("judge"), "segment": pl.col("segment"), "sitting": pl.col("judge") + "/" + pl.col("segment")}


@pytest.mark.parametrize("unit", KEYS)
@pytest.mark.parametrize("judgments", [JUDGMENTS, WEIGHTED], ids=["plain", "weighted"])
def test_the_covariance_is_that_of_fits_without_one_unit_at_a_time(judgments: Judgments, unit: str) -> None:
    kinds = sitting_kinds(judgments) if unit == "sitting" else unit_kinds(judgments, unit)
    shares = jackknife(ExpectedWins(), judgments.counts, kinds).covariance
    np.testing.assert_allclose(shares, left_out(judgments, KEYS[unit], ExpectedWins()), atol=1e-12)
    strengths = jackknife(BradleyTerry(), judgments.counts, kinds).covariance
    expected = left_out(judgments, KEYS[unit], BradleyTerry())
    # Strengths move by one Newton step, which is close to a fit the smaller the unit.
    rough = 0.25 if unit == "judge" else 0.1
    np.testing.assert_allclose(strengths, expected, atol=rough * np.diag(expected).max())


def test_kinds_of_unit_can_be_cut_into_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    from palmares.ranking import two_way

    kinds = sitting_kinds(JUDGMENTS)
    whole = jackknife(BradleyTerry(), JUDGMENTS.counts, kinds).covariance
    monkeypatch.setattr(two_way, "_NUMBERS_IN_A_PIECE", 20)
    np.testing.assert_allclose(jackknife(BradleyTerry(), JUDGMENTS.counts, kinds).covariance, whole, rtol=1e-10)


@pytest.mark.parametrize("unit", KEYS)
@pytest.mark.parametrize("judgments", [JUDGMENTS, WEIGHTED], ids=["plain", "weighted"])
def test_how_many_units_share_the_work_of_a_system(judgments: Judgments, unit: str) -> None:
    kinds = sitting_kinds(judgments) if unit == "sitting" else unit_kinds(judgments, unit)
    found = Grouping.of(np.zeros((5, 5)), kinds)
    amounts: dict[tuple[str, str], float] = {}
    rows = judgments.to_rows().with_columns(KEYS[unit].alias("unit"))
    weights = rows["weight"].to_list() if "weight" in rows.columns else [1.0] * len(rows)
    for a, b, name, weight in zip(rows["system_a"], rows["system_b"], rows["unit"], weights, strict=True):
        for system in (a, b):
            amounts[system, name] = amounts.get((system, name), 0.0) + weight
    for i, system in enumerate(judgments.systems):
        own = [amount for (name, _), amount in amounts.items() if name == system]
        assert found.effective[i] == pytest.approx(sum(own) ** 2 / sum(x * x for x in own))
    work: dict[str, float] = {}
    for (_, name), amount in amounts.items():
        work[name] = work.get(name, 0.0) + amount
    assert found.units == pytest.approx(sum(work.values()) ** 2 / sum(x * x for x in work.values()))


# -- putting them together -------------------------------------------------------------------------


def grouping(variances: Sequence[float], effective: Sequence[float] | float, units: float) -> Grouping:
    n = len(variances)
    return Grouping(np.diag(np.asarray(variances, dtype=float)), np.broadcast_to(effective, n).astype(float), units)


def test_a_balanced_case_by_hand() -> None:
    """100 sittings of 10 judges and 20 segments: 1 + (b − 1) ρ with b = 10 and 5, ρ from the mean excess."""
    sitting = grouping([0.04] * 4, 100, 100)
    judge = grouping([0.04 * d for d in (2.5, 3.5, 2.0, 2.8)], 10, 10)  # a mean excess of 1.7
    segment = grouping([0.04 * d for d in (1.2, 1.5, 1.1, 1.4)], 20, 20)  # of 0.3
    found = combined(sitting, {"segment": segment, "judge": judge}, floor=None, p=0.05)
    assert found.effects == pytest.approx([1 + 1.7 + 0.3] * 4)
    assert np.diag(found.covariance) == pytest.approx([0.04 * 3.0] * 4)
    # The fewer are the judges: nine for each of three systems that can vary.
    assert found.df == 3 * 9
    assert found.apart == {"segment": (), "judge": ()}


def test_units_that_agree_more_than_by_chance_make_nothing_surer() -> None:
    sitting = grouping([0.04] * 4, 100, 100)
    fewer = {name: grouping([0.02] * 4, 10, 10) for name in ("segment", "judge")}
    assert combined(sitting, fewer, floor=None, p=0.05).effects == pytest.approx([1.0] * 4)


def test_correlations_stay_as_they_are() -> None:
    base = np.array([[0.05, 0.01, -0.02], [0.01, 0.03, 0.0], [-0.02, 0.0, 0.04]])
    sitting = Grouping(base, np.full(3, 50.0), 50.0)
    judge = Grouping(base * 2, np.full(3, 10.0), 10.0)
    found = combined(sitting, {"judge": judge}, floor=None, p=0.05).covariance
    np.testing.assert_allclose(found, base * 2)


def test_a_system_that_judges_differ_about_keeps_its_own() -> None:
    sitting = grouping([0.04] * 6, 100, 100)
    judge = grouping([0.04 * d for d in (1.1, 0.9, 1.2, 1.0, 0.8, 12.0)], 10, 10)
    found = combined(sitting, {"judge": judge}, floor=None, p=0.05)
    assert found.apart == {"judge": (5,)}
    # The others' excess is 0 in the mean, and the odd one says nothing about them.
    assert found.effects[:5] == pytest.approx([1.0] * 5)
    assert found.effects[5] == pytest.approx(12.0)
    # Its interval reaches as far as nine degrees of freedom of its own ask for.
    reach = t.ppf(0.975, 9) / t.ppf(0.975, found.df)
    assert np.diag(found.covariance)[5] == pytest.approx(0.04 * 12 * reach**2)
    assert np.diag(found.covariance)[:5] == pytest.approx([0.04] * 5)


def test_few_sittings_are_raised_towards_the_variance_of_independent_judgments() -> None:
    # Elsewhere the variance is twice the model's; of three sittings that agree it is nearly 0.
    sitting = grouping([0.02, 0.02, 0.02, 0.0001], [200.0, 200.0, 200.0, 3.0], 200)
    judge = grouping([0.02, 0.02, 0.02, 0.0001], [20.0, 20.0, 20.0, 3.0], 20)
    floor = np.array([0.01, 0.01, 0.01, 0.6])
    found = np.diag(combined(sitting, {"judge": judge}, floor=floor, p=0.05).covariance)
    alike = (3 * 2 * 200 + 3 * 0.0001 / 0.6) / 603
    # A floor of twenty sittings' worth: 20 / 23 of the way up.
    expected = 0.0001 + (alike * 0.6 - 0.0001) * 20 / 23
    assert found[3] == pytest.approx(expected, rel=1e-3)
    assert found[:3] == pytest.approx([0.02] * 3, rel=0.01)


@pytest.mark.parametrize("model", ["bradley-terry", "expected-wins", "bojar", "lopez", "trueskill:runs=1"])
@pytest.mark.parametrize("wins", [2, 3, 5])
def test_a_few_judgments_that_all_agree_order_nothing_jointly(model: str, wins: int) -> None:
    """Two equal systems agree so in 2, 3 or 5 of 2, 3 or 5 judgments with a chance of 1/2, 1/4 and 1/16."""
    data = judged([("a", "b", 1)] * wins, judge=[f"j{k}" for k in range(wins)], segment=[f"s{k}" for k in range(wins)])
    for unit in ("auto", "two-way", "pair", "judge"):
        ranking = pm.rank(data, model=model, resample=unit, resamples=200, rng=0)
        assert ranking.lines[0].joint_range == (1, 2)
        assert [boundary.joint for boundary in ranking.boundaries] == [False]


def test_judgments_that_vary_less_than_independent_ones_do_not_lower_the_floor() -> None:
    alone = grouping([0.001, 0.001], 2, 2)
    found = np.diag(combined(alone, {"judge": alone}, floor=np.array([0.5, 0.5]), p=0.05).covariance)
    # 20 / 22 of the way from .001 to .5, times what one degree of freedom asks for, if anything.
    assert (found >= 0.001 + 0.499 * 20 / 22 - 1e-12).all()


def test_a_score_that_never_varied_stays_so_and_spoils_no_other() -> None:
    sitting = grouping([0.04, 0.04, 0.0, 0.04], 100, 100)
    judge = grouping([0.08, 0.08, 0.0, 0.08], 10, 10)
    found = combined(sitting, {"judge": judge}, floor=None, p=0.05)
    assert np.diag(found.covariance) == pytest.approx([0.08, 0.08, 0.0, 0.08])
    assert found.df == 2 * 9


# -- few units of one kind -------------------------------------------------------------------------


def test_samples_of_few_units_are_widened_and_have_the_tails_of_t() -> None:
    rng = np.random.default_rng(0)
    plain = Replicates(("a", "b"), rng.normal(3, 2, (40_000, 2)), np.ones((40_000, 2), dtype=np.int64))
    found = widened(plain, BradleyTerry(), 6, Execution(seed=1))
    assert found.df == 5
    np.testing.assert_allclose(found.spread, np.cov(plain.scores.T) * 6 / 5)
    np.testing.assert_allclose(found.scores.mean(axis=0), plain.scores.mean(axis=0), atol=0.05)
    # σ √(6/5) times the quantiles of t with 5 degrees of freedom.
    for level in (0.025, 0.1, 0.9, 0.975):
        expected = 3 + 2 * np.sqrt(6 / 5) * t.ppf(level, 5)
        assert np.quantile(found.scores[:, 0], level) == pytest.approx(expected, abs=0.15)


def test_many_units_and_single_pairs_are_left_as_they_are() -> None:
    task = {"resamples": 30, "execution": Execution(seed=2)}
    few = resample(ExpectedWins(), JUDGMENTS, unit="judge", **task)
    assert few.df == 6
    assert resample(ExpectedWins(), JUDGMENTS, unit="pair", **task).df is None
    many = Judgments.from_rows(random_rows(np.random.default_rng(3), rankings=200))
    assert resample(ExpectedWins(), many, unit="ranking", **task).df is None
    plain = plain_samples(ExpectedWins(), many, unit="ranking", **task)
    assert np.array_equal(resample(ExpectedWins(), many, unit="ranking", **task).scores, plain.scores)


def test_shares_stay_between_nothing_and_all() -> None:
    ranking = pm.rank(JUDGMENTS, model="expected-wins", resample="two-way", resamples=400, rng=0)
    assert ranking.replicates.scores.min() >= 0
    assert ranking.replicates.scores.max() <= 1
    assert all(0 <= line.interval[0] <= line.interval[1] <= 1 for line in ranking.lines)


# -- which unit, and why ---------------------------------------------------------------------------


def table(
    judges: Sequence[str | None] | None, segments: Sequence[str | None] | None, rankings: bool = True
) -> Judgments:
    rows = [("a", "b", 1), ("b", "c", -1), ("c", "a", 0), ("a", "b", -1)] * 15
    columns: dict[str, list[str | None]] = {}
    if judges is not None:
        columns["judge"] = [judges[k // 2 % len(judges)] for k in range(60)]
    if segments is not None:
        columns["segment"] = [segments[(k // 2 + k // 10) % len(segments)] for k in range(60)]
    if rankings:
        columns["ranking"] = [f"r{k // 2}" for k in range(60)]
    return judged(rows, **columns)


FIVE, FOUR = ["j1", "j2", "j3", "j4", "j5"], ["s1", "s2", "s3", "s4"]


@pytest.mark.parametrize(
    ("data", "unit", "words"),
    [
        (table(FIVE, FIVE), "two-way", "allows for other judges and other segments (two-way; 5 judges, 5 segments)"),
        (table(FOUR, FIVE), "segment", "allows for other segments, but is for these judges: there are only 4 judges"),
        (table(["j1"], FIVE), "segment", "for these judges: there is only one judge"),
        (table([*FIVE, None], FIVE), "segment", "for these judges: not every judgment names its judge"),
        (table(None, FIVE), "segment", "for these judges: judgments do not name their judges"),
        (table(FIVE, None), "judge", "other judges, but is for these segments: judgments do not name their segments"),
        (table(FIVE, FOUR), "judge", "for these segments: there are only 4 segments"),
        (table(FOUR, FOUR), "ranking", "for these judges and segments, with rankings drawn as if independent: there"),
        (table(None, None), "ranking", "independent: judgments do not name their judges, and judgments do not name t"),
        (table(None, None, rankings=False), "pair", "with pairs drawn as if independent"),
        (
            table(["j"], ["s"], rankings=False),
            "pair",
            "independent: there is only one judge, and there is only one segment",
        ),
    ],
)
def test_the_usual_unit_and_what_is_said_of_it(data: Judgments, unit: str, words: str) -> None:
    ranking = pm.rank(data, resamples=60, rng=0)
    assert ranking.record.facts["unit"] == unit
    (note,) = [note for note in ranking.notes if note.startswith("uncertainty ")]
    assert words in note
    if unit == "segment":
        assert "for these judges" in note


def test_one_judgment_has_no_ranges_and_no_unit() -> None:
    ranking = pm.rank(judged([("a", "b", 1)], judge=["j"], segment=["s"]), rng=0)
    assert ranking.record.facts["unit"] is None
    assert ranking.boundaries == ()
    assert ranking.units == {"judge": 1, "segment": 1}
    assert any("nothing to resample" in note for note in ranking.notes)


def test_models_with_a_procedure_of_their_own_keep_it() -> None:
    data = table(FIVE, FIVE)
    assert pm.rank(data, model="trueskill", resamples=40, rng=0).record.facts["unit"] == "pair"
    ranking = pm.rank(data, model="hopkins-may:iterations=120,burn_in=20", rng=0)
    assert ranking.record.facts["unit"] == "posterior"
    assert ranking.df is None


def test_both_are_needed_and_of_every_judgment() -> None:
    with pytest.raises(InputError, match="'two-way' needs the judgments; pair counts can be resampled by 'pair' only"):
        pm.rank(JUDGMENTS.counts, resample="two-way", rng=0)
    with pytest.raises(InputError, match="cannot resample by two-way: the judgments have no judge; use --resample"):
        pm.rank(table(None, FIVE), resample="two-way", rng=0)
    with pytest.raises(InputError, match="cannot resample by two-way: the judgments have no segment"):
        pm.rank(table(FIVE, None), resample="two-way", rng=0)
    with pytest.raises(InputError, match="cannot resample by two-way: 10 of 60 judgments have no judge"):
        pm.rank(table([*FIVE, None], FIVE), resample="two-way", rng=0)
    with pytest.raises(InputError, match="cannot resample by two-way: there is only one segment"):
        pm.rank(table(FIVE, ["s"]), resample="two-way", rng=0)


def test_few_judges_can_be_asked_for() -> None:
    assert choose_unit(table(["j1", "j2"], FIVE), "two-way") == ("two-way", None)
    ranking = pm.rank(table(["j1", "j2"], FIVE), resample="two-way", resamples=60, rng=0)
    # At most one degree of freedom for each system but one.
    assert ranking.df <= 2 * 1 + 1e-9
    assert ranking.units == {"judge": 2, "segment": 5, "ranking": 30}


# -- reproducible ----------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("model", ["bradley-terry", "expected-wins", "lopez"])
def test_neither_order_nor_names_of_rankings_change_a_bit(model: str, weights: bool) -> None:
    rows = random_rows(np.random.default_rng(2), rankings=60, weights=weights)
    mixed = rows.sample(fraction=1, shuffle=True, seed=3).with_columns(ranking=pl.col("ranking").str.reverse())
    one, other = (
        pm.rank(Judgments.from_rows(r), model=model, resample="two-way", resamples=50, rng=4) for r in (rows, mixed)
    )
    assert one.lines == other.lines
    assert np.array_equal(one.replicates.scores, other.replicates.scores)
    assert np.array_equal(one.better, other.better)


@pytest.mark.parametrize(
    "model",
    [
        "bradley-terry",
        "expected-wins",
        *(pytest.param(m, marks=pytest.mark.slow) for m in ("lopez", "monte-carlo-playoffs:tournaments=30")),
    ],
)
def test_where_the_work_runs_changes_no_bit(model: str) -> None:
    places = (Execution("serial", seed=4), Execution("threads", 3, seed=4), Execution("processes", 2, seed=4))
    first, *others = (
        pm.rank(JUDGMENTS, model=model, resample="two-way", resamples=50, execution=place) for place in places
    )
    for other in others:
        assert first.lines == other.lines
        assert np.array_equal(first.replicates.scores, other.replicates.scores)
        assert np.array_equal(first.joint.pairs, other.joint.pairs)


# -- campaigns whose truth is known ----------------------------------------------------------------

#: How much noise one look at an output has; the quality that is told apart is normal.
_NOISE, _TIE = 1.0, 0.25


def campaign(
    rng: np.random.Generator, truth: np.ndarray, by_judge: float, by_segment: float, *, judges: int = 12
) -> Judgments:
    """Judges rank three outputs of a segment; each judge, and each segment, favours systems of its own."""
    n, segments, rankings = len(truth), 40, 360
    liked = rng.normal(0, by_judge, (judges, n))
    lucky = rng.normal(0, by_segment, (segments, n))
    who, which = rng.integers(0, judges, rankings), rng.integers(0, segments, rankings)
    shown = np.argsort(rng.random((rankings, n)), axis=1)[:, :3]
    rows = np.arange(rankings)[:, None]
    seen = truth[shown] + liked[who[:, None], shown] + lucky[which[:, None], shown]
    seen = seen + rng.normal(0, _NOISE, seen.shape)
    frames = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        lead = seen[:, i] - seen[:, j]
        frames.append(pl.DataFrame({
            "system_a": shown[:, i], "system_b": shown[:, j],
            "outcome": np.where(np.abs(lead) < _TIE, 0, np.sign(lead)).astype(np.int64),
            "judge": who, "segment": which, "ranking": rows.ravel(),
        }))  # fmt: skip
    columns = ["system_a", "system_b", "judge", "segment", "ranking"]
    return Judgments.from_rows(pl.concat(frames).with_columns(pl.col(columns).cast(pl.String)))


def misses(by_judge: float, by_segment: float, units: Sequence[str], campaigns: int) -> dict[str, float]:
    """How often an interval of a score does not hold what campaigns show in the mean."""
    rng = np.random.default_rng(11)
    truth = np.linspace(0.9, -0.9, 6)
    scores, intervals = [], {unit: [] for unit in units}
    for _ in range(campaigns):
        data = campaign(rng, truth, by_judge, by_segment)
        for unit in units:
            ranking = pm.rank(data, resample=unit, resamples=200, rng=0)
            lines = {line.system: line for line in ranking.lines}
            intervals[unit].append([lines[name].interval for name in data.systems])
        scores.append([lines[name].score for name in data.systems])
    # What a model of wins makes of normal qualities is the same in every campaign: their mean.
    centre = np.mean(scores, axis=0)
    found = {}
    for unit in units:
        low, high = np.moveaxis(np.array(intervals[unit]), 2, 0)
        found[unit] = float(((centre < low) | (centre > high)).mean())
    return found


@pytest.mark.slow
def test_intervals_miss_as_often_as_stated_where_judges_and_segments_have_effects() -> None:
    campaigns = 150
    found = misses(0.5, 0.5, ["two-way", "ranking"], campaigns)
    # Six scores of a campaign depend on each other; as if there were but two of them.
    error = np.sqrt(0.065 * 0.935 / (2 * campaigns))
    assert found["two-way"] <= 0.065 + 2 * error
    assert found["ranking"] > 0.12


@pytest.mark.slow
def test_where_nothing_is_wrong_intervals_are_about_as_wide_as_by_ranking() -> None:
    rng = np.random.default_rng(12)
    widths: dict[str, list[float]] = {"two-way": [], "ranking": []}
    for _ in range(40):
        data = campaign(rng, np.linspace(0.9, -0.9, 6), 0.0, 0.0)
        for unit, seen in widths.items():
            seen += [line.interval[1] - line.interval[0] for line in pm.rank(data, resample=unit, rng=0).lines]
    assert 0.95 < np.mean(widths["two-way"]) / np.mean(widths["ranking"]) < 1.2


@pytest.mark.parametrize("model", ["lopez", "monte-carlo-playoffs:tournaments=30", "trueskill:runs=1", "bradley-terry"])
def test_models_of_every_kind_are_less_sure_where_judges_differ(model: str) -> None:
    rng = np.random.default_rng(13)
    data = campaign(rng, np.linspace(0.3, -0.3, 5), 0.9, 0.0, judges=8)
    both, one = (pm.rank(data, model=model, resample=unit, resamples=60, rng=0) for unit in ("two-way", "ranking"))
    assert both.record.facts["unit"] == "two-way"
    # Eight judges of about equal work, and all systems but one whose scores vary.
    varying = (np.diag(one.replicates.spread) > 0).sum()
    assert both.df == pytest.approx((varying - 1) * 7, rel=0.1)
    spread = [np.sqrt(np.diag(ranking.replicates.spread)).mean() for ranking in (both, one)]
    assert spread[0] > 1.2 * spread[1]


def test_the_system_that_judges_differ_about_is_named() -> None:
    rng = np.random.default_rng(14)
    truth = np.linspace(0.5, -0.5, 6)
    frames = []
    for k, taste in enumerate(rng.normal(0, 2.0, 10)):
        own = truth.copy()
        own[2] += taste
        part = campaign(rng, own, 0.0, 0.0, judges=1).to_rows().filter(pl.col("ranking").cast(pl.Int64) < 60)
        frames.append(part.with_columns(judge=pl.lit(f"j{k}"), ranking=pl.col("ranking") + f"-{k}"))
    ranking = pm.rank(Judgments.from_rows(pl.concat(frames)), resamples=200, rng=0)
    assert [note for note in ranking.notes if "judges differ about 2 far more than about the others" in note]
    errors = {line.system: line.error for line in ranking.lines}
    assert errors["2"] > 2 * max(error for name, error in errors.items() if name != "2")


def test_a_system_with_a_handful_of_judgments_is_not_surer_than_the_model() -> None:
    """Of four judgments, two won and two lost in pairs that cancel, units show nothing of how unsure its score is."""
    rng = np.random.default_rng(15)
    rows = campaign(rng, np.linspace(0.5, -0.5, 5), 0.0, 0.0).to_rows()
    own = rows[:4].with_columns(
        system_a=pl.lit("new"), system_b=pl.lit("2"), outcome=pl.Series([1, -1, 1, -1]).cast(rows["outcome"].dtype),
        judge=pl.Series(["0", "0", "1", "1"]), segment=pl.Series(["0", "0", "1", "1"]),
        ranking=pl.Series(["x", "x", "y", "y"]),
    )  # fmt: skip
    ranking = pm.rank(Judgments.from_rows(pl.concat([rows, own])), resamples=200, rng=0)
    error = {line.system: line.error for line in ranking.lines}["new"]
    # Four independent comparisons of about equal systems: at least 1 / √(4 · ¼) in log odds.
    assert error > 0.7
    others = [line.error for line in ranking.lines if line.system != "new"]
    assert error > 2 * max(others)


def test_weights_count_in_both() -> None:
    """A judge whose judgments weigh nothing beside the others' is as good as absent."""
    rows = random_rows(np.random.default_rng(5), rankings=120)
    light = rows.with_columns(weight=pl.when(pl.col("judge") == "judge-0").then(1e-9).otherwise(1.0))
    with_light, without = (
        pm.rank(Judgments.from_rows(frame), resample="two-way", resamples=60, rng=0)
        for frame in (light, rows.filter(pl.col("judge") != "judge-0"))
    )
    for name in without.systems:
        one, other = (next(line for line in r.lines if line.system == name) for r in (with_light, without))
        assert one.score == pytest.approx(other.score, abs=1e-6)
        # (G − 1) / G for one judge, and some sittings, more.
        assert one.error == pytest.approx(other.error, rel=0.15)


def test_counted_ties_alone_give_no_interval_and_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    data = judged([("a", "b", 0), ("b", "c", 0), ("a", "c", 0)] * 12,
                  judge=[f"j{k % 6}" for k in range(36)], segment=[f"s{k // 6}" for k in range(36)])  # fmt: skip
    ranking = pm.rank(data, resamples=60, rng=0)
    assert ranking.record.facts["unit"] == "two-way"
    assert [line.interval for line in ranking.lines] == [None] * 3
    assert not any(b.joint for b in ranking.boundaries)
    assert not recwarn.list
