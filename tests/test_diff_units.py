"""`diff` where judges are few: what it refuses, how it widens, and what it says."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau
from scipy.stats import t as student
from test_diff import NEW, OLD, by_system, ranking_json, remade

import palmares as pm
from palmares.cli import cli
from palmares.judgments import Judgments
from palmares.report.tables import Grouped, rendered


def resting_on(
    ranking: dict[str, Any], judges: int, *, unit: str = "two-way", df: float | None = None
) -> dict[str, Any]:
    """The same ranking with a number of judges, and errors by this unit."""
    made = remade(ranking, unit=unit, data=ranking["record"]["data"])
    return {**made, "units": {"judge": judges, "segment": 300, "ranking": 600}, "df": df}


# -- degrees of freedom ------------------------------------------------------------------------------


def test_errors_of_few_units_give_wider_intervals_and_larger_p() -> None:
    changes = by_system(pm.diff(resting_on(OLD, 6, df=5), resting_on(NEW, 9, df=8)))
    # b: errors .4 and .3, so the error of the change is .5; Welch: .5⁴ / (.4⁴ / 5 + .3⁴ / 8) = 10.19.
    df = 0.0625 / (0.0256 / 5 + 0.0081 / 8)
    assert df == pytest.approx(10.19, abs=0.01)
    half = student.ppf(0.975, df) * 0.5
    assert changes["b"].interval == pytest.approx((1.5 - half, 1.5 + half))
    assert changes["b"].p == pytest.approx(3 * 2 * student.sf(3, df))
    # One ranking with few judges is enough: with errors of a taken as known, only those of b count.
    one = by_system(pm.diff(resting_on(OLD, 6, df=5), resting_on(NEW, 50)))
    assert one["b"].p == pytest.approx(3 * 2 * student.sf(3, 0.0625 / (0.0256 / 5)))


def test_a_campaign_that_grew_has_no_more_degrees_of_freedom_than_its_parts() -> None:
    old, new = resting_on(OLD, 6, df=5), {**resting_on(NEW, 9, df=8), "judgments": 4000}
    low, high = by_system(pm.diff(old, new, shared="all"))["b"].interval
    assert (high - low) / 2 == pytest.approx(student.ppf(0.975, 5) * math.sqrt(0.13))


# -- few judges --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (
            resting_on(OLD, 3, df=2),
            resting_on(NEW, 12, df=11),
            "the old ranking rests on 3 judges; with fewer than 5, a change of the systems cannot be told from a "
            "change of judges, so only ranks are compared; if the same people judged both, say so with --judges same",
        ),
        (
            resting_on(OLD, 12, df=11),
            resting_on(NEW, 12, unit="ranking"),
            r"the errors of the new ranking \(unit ranking\) leave out how its 12 judges differ, so only ranks are "
            "compared; rank its judgments with --resample two-way, or if the same people",
        ),
        (resting_on(OLD, 4, unit="segment"), resting_on(NEW, 40), "the old ranking rests on 4 judges"),
        (resting_on(OLD, 500, unit="posterior"), resting_on(NEW, 40), r"old ranking \(unit posterior\) leave out"),
    ],
)
def test_a_change_that_may_be_one_of_judges_is_not_compared(
    old: dict[str, Any], new: dict[str, Any], note: str
) -> None:
    sure = [[0.5, 0.99, 1], [0.01, 0.5, 0.9], [0, 0.1, 0.5]]
    old, new = {**old, "better": sure}, {**new, "better": sure}
    changes = pm.diff(old, new)
    assert {change.verdict for change in changes.systems} == {"not compared"}
    assert changes.reversals == ()
    (found,) = changes.notes
    assert pl.Series([found]).str.contains(note).all()
    # The same people: a change for them, and it is said so.
    same = pm.diff(old, new, judges="same")
    assert by_system(same)["b"].verdict != "not compared"
    assert [(r.above, r.below) for r in same.reversals] == [("a", "b")]
    assert any("a change is one for them" in note for note in same.notes)
    assert "|judges:same|" in same.signature


def test_errors_by_judge_or_by_both_are_compared() -> None:
    changes = pm.diff(resting_on(OLD, 40), resting_on(NEW, 30, unit="judge"))
    assert by_system(changes)["b"].verdict == "rose"
    assert not any("judges" in note for note in changes.notes)


def test_few_segments_that_errors_leave_out_are_pointed_out() -> None:
    few = {"units": {"judge": 9, "segment": 29}}
    changes = pm.diff({**resting_on(OLD, 9, unit="judge"), **few}, {**resting_on(NEW, 9), **few})
    assert changes.notes[0].startswith("the errors of the old ranking leave out how segments differ, of which there")


def test_errors_of_unknown_units_are_taken_as_they_are_and_a_note_says_so() -> None:
    for old, new, which in ((OLD, NEW, "both rankings"), (OLD, resting_on(NEW, 8, df=7), "the old ranking")):
        changes = pm.diff(old, new)
        assert by_system(changes)["b"].verdict in ("rose", "not shown")
        assert changes.notes[0].startswith(f"how many people judged is unknown for {which}, so errors are taken as")


def test_the_same_judgments_have_the_same_judges() -> None:
    new = remade(resting_on(NEW, 3), data="old", unit="two-way")
    notes = pm.diff(resting_on(OLD, 3), new).notes
    assert [note.split(":")[0] for note in notes] == ["the same judgments"]


def test_all_that_stands_in_the_way_is_said() -> None:
    changes = pm.diff(resting_on(OLD, 3), remade(resting_on(NEW, 3), model="lopez", data="new", unit="two-way"))
    assert [note.split()[0] for note in changes.notes] == ["scores", "the"]


# -- errors around the mean of those in both ---------------------------------------------------------


def test_errors_of_differences_give_errors_around_the_mean_of_those_in_both() -> None:
    # Independent scores with variances 1, 2, 3, 4; d is left out. Around the mean of a, b, c, the score of a is
    # (2a − b − c) / 3 with variance (4 · 1 + 2 + 3) / 9 = 1, that of b (1 + 4 · 2 + 3) / 9, that of c (1 + 2 + 12) / 9.
    variances = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
    between = [[0 if x == y else math.sqrt(variances[x] + variances[y]) for y in variances] for x in variances]
    old = ranking_json({name: (4.0 - k, 9.0) for k, name in enumerate("abcd")}, data="old", difference_errors=between)
    known = {"data": "new", "difference_errors": [row[:3] for row in between[:3]]}
    new = ranking_json({name: (4.0 - k, 9.0) for k, name in enumerate("abc")}, **known)
    changes = pm.diff(old, new)
    for name, variance in {"a": 1.0, "b": 12 / 9, "c": 15 / 9}.items():
        low, high = by_system(changes)[name].interval
        assert (high - low) / 2 == pytest.approx(1.959964 * math.sqrt(2 * variance))
    assert not any("slightly off" in note for note in changes.notes)
    # Where the field is the same, the errors that were printed are those of the change.
    low, high = by_system(pm.diff(old, {**old, "record": {**old["record"], "data": "new"}}))["a"].interval
    assert (high - low) / 2 == pytest.approx(1.959964 * 9 * math.sqrt(2))
    # Unknown errors of differences are said to be unknown.
    unknown = [[None if {x, y} == {0, 1} else between[x][y] for y in range(3)] for x in range(3)]
    notes = pm.diff(old, {**new, "difference_errors": unknown}).notes
    assert "the standard errors of the new ranking are around the mean of another field, and so slightly off" in notes


# -- notes, τ and joint clusters ---------------------------------------------------------------------


def test_notes_of_the_rankings_are_passed_on() -> None:
    old = {**resting_on(OLD, 9), "notes": ["only 9 judges", "rows left out: 3"]}
    new = {**resting_on(NEW, 9), "notes": ["only 9 judges", "rows left out: 4"]}
    notes = pm.diff(old, new).notes
    assert notes[-3:] == ("old and new: only 9 judges", "old: rows left out: 3", "new: rows left out: 4")
    assert "note: new: rows left out: 4" in rendered("diff", [Grouped(pm.diff(old, new))], "table").text


def test_kendalls_tau_by_hand_and_by_another_library() -> None:
    # a, b change places, c stays: of three pairs two are in the same order.
    assert pm.diff(OLD, NEW).kendall_tau == pytest.approx(1 / 3)
    text = rendered("diff", [Grouped(pm.diff(OLD, NEW))], "table").text
    assert "Kendall's τ between the two orders: 0.333 over 3 systems" in text
    rng = np.random.default_rng(1)
    for _ in range(20):
        ranks = rng.integers(1, 5, (2, 7))
        made = []
        for label, row in zip(("old", "new"), ranks, strict=True):
            ranking = ranking_json({f"s{k}": (0.0, 1.0) for k in range(7)}, data=label)
            lines = [{**line, "rank": int(rank)} for line, rank in zip(ranking["systems"], row, strict=True)]
            made.append({**ranking, "systems": [*lines, *ranking_json({label: (0.0, 1.0)})["systems"]]})
        changes = pm.diff(*made)
        # A system that is in one ranking only plays no part.
        assert changes.common == 7
        assert changes.kendall_tau == pytest.approx(kendalltau(*ranks).statistic)
    tied = {**OLD, "systems": [{**line, "rank": 1} for line in OLD["systems"]]}
    assert pm.diff(tied, NEW).kendall_tau is None
    assert "Kendall" not in rendered("diff", [Grouped(pm.diff(tied, NEW))], "table").text


def joint(ranking: Mapping[str, Any], numbers: list[int]) -> dict[str, Any]:
    lines = [{**line, "joint_cluster": number} for line, number in zip(ranking["systems"], numbers, strict=True)]
    return {**ranking, "systems": lines}


def test_pairs_are_told_apart_by_joint_clusters_where_both_rankings_have_them() -> None:
    old = ranking_json({"a": (2, 1), "b": (1, 1), "c": (0, 1)}, clusters=[1, 1, 2], data="old")
    new = ranking_json({"a": (2, 1), "b": (1, 1), "c": (0, 1)}, clusters=[1, 2, 3], data="new")
    changes = pm.diff(joint(old, [1, 1, 1]), joint(new, [1, 2, 2]))
    assert changes.clusters == "joint"
    assert changes.told_apart == (("a", "b"), ("a", "c"))
    text = rendered("diff", [Grouped(changes)], "table").text
    assert "newly told apart (different clusters, of which all boundaries hold jointly): a above b; a above c" in text
    marginal = pm.diff(joint(old, [1, 1, 1]), new)
    assert (marginal.clusters, marginal.told_apart) == ("marginal", (("a", "b"),))


def test_the_command_takes_the_same_judges(file: Callable[..., Path]) -> None:
    paths = [
        str(file(json.dumps(resting_on(each, 3)), f"{label}.json")) for label, each in (("old", OLD), ("new", NEW))
    ]
    assert "note: the old ranking rests on 3 judges" in CliRunner().invoke(cli, ["diff", *paths]).output
    assert "b rose" in CliRunner().invoke(cli, ["diff", *paths, "--judges", "same"]).output


# -- two halves of the judges of one campaign --------------------------------------------------------


def campaign(judges: int, seed: int) -> pl.DataFrame:
    """Judges with preferences of their own rank four of six outputs, 40 times each."""
    rng = np.random.default_rng([judges, seed])
    quality, segments = np.linspace(-0.8, 0.8, 6), judges * 20
    taste, favour = rng.normal(0, 0.5, (judges, 6)), rng.normal(0, 0.5, (segments, 6))
    rows = []
    for judge, number in [(j, n) for j in range(judges) for n in range(40)]:
        segment, shown = int(rng.integers(segments)), rng.permutation(6)[:4]
        seen = quality[shown] + taste[judge, shown] + favour[segment, shown] + rng.normal(size=4)
        for a, b in combinations(range(4), 2):
            outcome = 0 if abs(seen[a] - seen[b]) < 0.3 else int(np.sign(seen[a] - seen[b]))
            rows.append((f"s{shown[a]}", f"s{shown[b]}", outcome, f"j{judge}", f"{segment}", f"{judge}-{number}"))
    columns = ["system_a", "system_b", "outcome", "judge", "segment", "ranking"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def halves(judges: int, seed: int, unit: str) -> list[dict[str, Any]]:
    """The rankings of two halves of the judges, as they say how many judged."""
    rows = campaign(judges, seed)
    found = []
    for half in (0, 1):
        mine = rows.filter(pl.col("judge").str.slice(1).cast(pl.Int64) % 2 == half)
        ranking = pm.rank(Judgments.from_rows(mine), resample=unit, resamples=200, rng=seed).to_dict()
        found.append(ranking if "units" in ranking else told(ranking, judges // 2, unit))
    return found


def told(ranking: dict[str, Any], judges: int, unit: str) -> dict[str, Any]:
    """The ranking as it would be if it said on how many judges it rests and allowed for their number."""
    widened = math.sqrt(judges / (judges - 1)) if unit == "judge" else 1.0
    lines = [{**line, "error": line["error"] * widened} for line in ranking["systems"]]
    df = judges - 1 if unit == "judge" else None
    return {**ranking, "systems": lines, "df": df, "units": {"judge": judges}}


def test_halves_of_few_judges_raise_no_alarm() -> None:
    # As it was, a verdict in most of these comparisons of one campaign with itself.
    for seed in range(5):
        for judges, unit in ((6, "judge"), (6, "ranking"), (12, "ranking")):
            changes = pm.diff(*halves(judges, seed, unit))
            assert (changes.real, changes.reversals) == ((), ())
            assert {change.verdict for change in changes.systems} == {"not compared"}


@pytest.mark.slow
@pytest.mark.parametrize("judges", [12, 20, 40])
def test_halves_of_the_judges_seldom_differ(judges: int) -> None:
    alarms, reversals = 0, 0
    for seed in range(150):
        changes = pm.diff(*halves(judges, seed, "judge"))
        assert all(change.change is not None for change in changes.systems)
        alarms += bool(changes.real)
        reversals += bool(changes.reversals)
    # At most 5 % of 150, and three standard errors: 7.5 + 3 · √(150 · .05 · .95) = 15.
    assert alarms <= 15
    assert reversals <= 15
