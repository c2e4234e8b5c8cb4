"""`diff`: what changed between two rankings, and whether it is real."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import norm

import palmares as pm
from palmares.analysis.diff import Changes
from palmares.cli import cli, main
from palmares.errors import InputError
from palmares.judgments import Judgments
from palmares.ranking.record import Record
from palmares.report.tables import Grouped, rendered


def ranking_json(
    scores: dict[str, tuple[float, float]],
    *,
    judgments: int = 1000,
    data: str = "x",
    clusters: list[int] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The JSON of a ranking with these scores and standard errors, best first."""
    lines = [
        {
            "system": name,
            "score": score,
            "rank": place,
            "range": [place, place],
            "cluster": clusters[place - 1] if clusters else place,
            "error": error,
        }
        for place, (name, (score, error)) in enumerate(scores.items(), 1)
    ]
    facts = {"unit": "ranking", "judgments": judgments, "data": data}
    return remade({"systems": lines, "judgments": judgments, **more}, **facts)


def remade(ranking: dict[str, Any], *, model: str = "bradley-terry", anchor: str = "", **facts: Any) -> dict[str, Any]:
    """The same ranking, with another record of how it was made."""
    settings = {"anchor": anchor}
    record = {**ranking.get("record", {}), "model": model, "settings": settings, **facts, "version": "0.1.0"}
    return {**ranking, "signature": str(Record.from_dict(record)), "record": record}


OLD = ranking_json({"a": (1.0, 0.3), "b": (0.0, 0.4), "c": (-1.0, 0.3)}, data="old")
NEW = ranking_json({"b": (1.5, 0.3), "a": (0.5, 0.4), "c": (-2.0, 0.4)}, data="new")


def by_system(changes: Changes) -> dict[str, Any]:
    return {change.system: change for change in changes.systems}


def test_changes_of_scores_by_hand() -> None:
    changes = by_system(pm.diff(OLD, NEW))
    # b: +1.5 with error √(.4² + .3²) = .5, z = 3; a: −.5 / .5, z = 1; c: −1 / .5, z = 2. Holm: × 3, × 2, × 1.
    assert changes["b"].change == pytest.approx(1.5)
    assert changes["b"].interval == pytest.approx((1.5 - 1.959964 * 0.5, 1.5 + 1.959964 * 0.5))
    assert changes["b"].p == pytest.approx(3 * 2 * norm.sf(3))
    assert changes["c"].p == pytest.approx(2 * 2 * norm.sf(2))
    assert changes["a"].p == pytest.approx(2 * norm.sf(1))
    assert {name: change.verdict for name, change in changes.items()} == {
        "b": "rose",
        "a": "not shown",
        "c": "not shown",
    }
    assert (changes["b"].old_rank, changes["b"].new_rank) == (2, 1)


def test_judgments_in_both_make_the_change_more_certain() -> None:
    new = {**NEW, "judgments": 4000}
    changes = by_system(pm.diff(OLD, new, shared="all"))
    # ρ = √(1000 / 4000) = ½: error² = .16 + .09 − 2 · ½ · .4 · .3 = .13
    half = (changes["b"].interval[1] - changes["b"].interval[0]) / 2
    assert half == pytest.approx(1.959964 * math.sqrt(0.13))


def test_where_the_field_changed_scores_are_compared_around_its_common_part() -> None:
    new = ranking_json({"d": (3.0, 0.3), "b": (0.5, 0.3), "a": (0.5, 0.4)}, data="new")
    changes = pm.diff(OLD, new)
    # a and b: (.5, .5) − (1, 0) = (−.5, .5), mean 0; c left, d entered.
    assert by_system(changes)["a"].change == pytest.approx(-0.5)
    assert by_system(changes)["d"].verdict == "entered"
    assert by_system(changes)["c"].verdict == "left"
    assert "systems entered or left" in changes.notes[0]
    shifted = ranking_json({"d": (3.0, 0.3), "b": (10.5, 0.3), "a": (10.5, 0.4)}, data="new")
    assert by_system(pm.diff(OLD, shifted))["a"].change == pytest.approx(-0.5)


def test_an_anchor_holds_the_scale() -> None:
    old, new = (remade(r, anchor="c=0") for r in (OLD, NEW))
    new = {**new, "systems": [line for line in new["systems"] if line["system"] != "a"]}
    assert by_system(pm.diff(old, new))["b"].change == pytest.approx(1.5)


def test_a_reversal_needs_both_rankings_to_support_their_order() -> None:
    old = {**OLD, "better": [[0.5, 0.99, 1], [0.01, 0.5, 0.9], [0, 0.1, 0.5]]}
    new = {**NEW, "better": [[0.5, 0.98, 1], [0.02, 0.5, 0.9], [0, 0.1, 0.5]]}
    (reversal,) = pm.diff(old, new).reversals
    assert (reversal.above, reversal.below, reversal.old, reversal.new) == ("a", "b", 0.99, 0.02)
    unsure = {**NEW, "better": [[0.5, 0.97, 1], [0.03, 0.5, 0.9], [0, 0.1, 0.5]]}
    assert pm.diff(old, unsure).reversals == ()


def test_pairs_that_clusters_part_only_now_or_only_then() -> None:
    old = ranking_json({"a": (2, 1), "b": (1, 1), "c": (0, 1)}, clusters=[1, 1, 2], data="old")
    new = ranking_json({"a": (2, 1), "b": (1, 1), "c": (0, 1)}, clusters=[1, 2, 2], data="new")
    changes = pm.diff(old, new)
    assert changes.told_apart == (("a", "b"),)
    assert changes.merged == (("b", "c"),)


@pytest.mark.parametrize(
    ("new", "note"),
    [
        (remade(NEW, data="old"), "the same judgments"),
        (remade(NEW, model="lopez"), r"different scales \(model changed\)"),
        ({**NEW, "systems": [{**line, "error": None} for line in NEW["systems"]]}, "without resampling"),
        (ranking_json({"x": (1, 1), "y": (0, 1)}, data="new"), "no system is in both"),
    ],
)
def test_scores_that_mean_different_things_are_not_compared(new: dict[str, Any], note: str) -> None:
    changes = pm.diff(OLD, new)
    assert re.search(note, changes.notes[0])
    assert all(change.change is None for change in changes.systems)
    assert changes.real == ()


def test_what_was_done_differently_is_named() -> None:
    new = remade(NEW, unit="judge")
    changes = pm.diff(OLD, new)
    assert changes.settings == {"unit": ("ranking", "judge")}
    assert by_system(changes)["b"].verdict == "rose"


def test_rankings_themselves_can_be_compared() -> None:
    first, second = (pm.rank(pm.simulate(rankings=150, rng=s).judgments, resamples=100, rng=0) for s in (1, 2))
    assert pm.diff(first, second) == pm.diff(first.to_dict(), json.loads(json.dumps(second.to_dict())))


def test_a_score_that_never_varied_is_not_compared() -> None:
    # A system that won everything has no error in a bootstrap, however few its comparisons.
    old = ranking_json({"a": (4.0, 1e-15), "b": (-4.0, 0.3)}, data="old")
    new = ranking_json({"a": (2.0, 0.2), "b": (-2.0, 0.2)}, data="new")
    changes = pm.diff(old, new)
    assert by_system(changes)["a"].verdict == "not compared"
    assert "no error of the score" in changes.notes[0]
    # Around the mean of the compared, one system alone cannot move; with an anchor, it can.
    assert by_system(changes)["b"].verdict == "not compared"
    assert "no other system to see its score from: b" in changes.notes[1]
    anchored = (remade(ranking, anchor="c=0", data=ranking["record"]["data"]) for ranking in (old, new))
    assert by_system(pm.diff(*anchored))["b"].verdict == "rose"


def test_a_system_that_is_not_compared_does_not_move_the_others() -> None:
    # P won everything, and only a prior keeps its score finite. It falls by 6, which lifts the others by 3 each; beyond
    # that, Q gains .2 on R: ±.1 around their own mean.
    old = ranking_json({"P": (8.0, None), "Q": (-3.5, 0.3), "R": (-4.5, 0.3)}, data="old")
    new = ranking_json({"P": (2.0, 0.5), "Q": (-0.4, 0.3), "R": (-1.6, 0.3)}, data="new")
    changes = pm.diff(old, new)
    assert [by_system(changes)[name].change for name in "QR"] == pytest.approx([0.1, -0.1])
    assert {by_system(changes)[name].verdict for name in "QR"} == {"not shown"}
    assert by_system(changes)["P"].verdict == "not compared"
    assert "everything: P; the others are compared around their own mean" in changes.notes[0]
    # Shares of wins are what they are.
    shares = (remade(ranking, model="expected-wins", data=ranking["record"]["data"]) for ranking in (old, new))
    assert by_system(pm.diff(*shares))["Q"].change == pytest.approx(3.1)


def test_a_pair_that_turned_round_is_told_apart_in_both() -> None:
    old = ranking_json({"R": (2, 0.1), "Q": (1, 0.1), "S": (0, 0.1)}, clusters=[1, 2, 3], data="old")
    new = ranking_json({"Q": (2, 0.1), "R": (1, 0.1), "S": (0, 0.1)}, clusters=[1, 2, 3], data="new")
    changes = pm.diff(old, new)
    assert (changes.told_apart, changes.merged, changes.turned) == ((), (), (("Q", "R"),))
    text = rendered("diff", [Grouped(changes)], "table").text
    assert "told apart the other way round (different clusters): Q above R\n" in text
    assert "95 % interval" in text
    # Said once, where samples support both orders.
    sure = [[0.5, 1, 1], [0, 0.5, 1], [0, 0, 0.5]]
    known = pm.diff({**old, "better": sure}, {**new, "better": sure})
    text = rendered("diff", [Grouped(known)], "table").text
    assert "reversed: R stood above Q" in text
    assert "the other way round" not in text


def test_scores_that_depend_on_the_field_are_not_compared_when_it_changed() -> None:
    old, new = (remade(r, model="expected-wins") for r in (OLD, NEW))
    assert by_system(pm.diff(old, new))["b"].change == pytest.approx(1.5)
    fewer = {**new, "systems": new["systems"][:2]}
    changes = pm.diff(old, fewer)
    assert "scores of expected-wins depend on which systems take part" in changes.notes[0]
    assert by_system(changes)["b"].verdict == "not compared"


def test_a_campaign_that_grew_unevenly_does_not_get_too_short_an_interval() -> None:
    # By the numbers of judgments alone, the error would be √(.16 + .0001 − 2 · .4 · .01 · √.8) = .391.
    old = ranking_json({"a": (0.0, 0.4), "b": (0.0, 0.4)}, judgments=800, data="old")
    new = ranking_json({"a": (0.1, 0.01), "b": (-0.1, 0.01)}, judgments=1000, data="new")
    low, high = by_system(pm.diff(old, new, shared="all"))["a"].interval
    assert (high - low) / 2 == pytest.approx(1.959964 * math.sqrt(0.4**2 - 0.01**2))


# -- is the stated level kept? ---------------------------------------------------------------------


def parts(seed: int) -> tuple[Judgments, Judgments]:
    """A campaign of 500 rankings, and its first 250."""
    judgments = pm.simulate(systems=6, rankings=500, rng=seed).judgments
    half = judgments.codes("ranking") < 250
    return judgments, judgments.filter(half)


@pytest.mark.parametrize("shared", ["none", "all"])
@pytest.mark.slow
def test_chance_gives_a_verdict_no_more_often_than_stated(shared: str) -> None:
    alarms, campaigns = 0, 120
    for seed in range(campaigns):
        judgments, half = parts(seed)
        other = judgments if shared == "all" else judgments.filter(judgments.codes("ranking") >= 250)
        old, new = (pm.rank(part, resamples=100, rng=seed) for part in (half, other))
        alarms += bool(pm.diff(old, new, shared=shared).real)
    # At most 5 % of 120, and three standard errors: 6 + 3 · √(120 · .05 · .95) = 13.
    assert alarms <= 13


def test_a_system_that_was_improved_is_found() -> None:
    first = pm.simulate(systems=6, rankings=500, rng=1).judgments
    rows = pm.simulate(systems=6, rankings=500, rng=1).judgments.to_rows()
    # The worst system of the first campaign wins every second of its judgments outright.
    worst = pm.rank(first, resample=None, rng=0).systems[-1]
    mine = (rows["system_a"] == worst).to_numpy().astype(int) - (rows["system_b"] == worst).to_numpy().astype(int)
    even = np.arange(rows.height) % 2 == 0
    outcome = np.where(even & (mine != 0), mine, rows["outcome"].to_numpy())
    second = Judgments.from_rows(rows.with_columns(outcome=outcome))
    changes = pm.diff(pm.rank(first, resamples=200, rng=0), pm.rank(second, resamples=200, rng=0))
    assert worst in [change.system for change in changes.real if change.verdict == "rose"]


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def pair_of_files(file: Callable[..., Path]) -> tuple[str, str]:
    better = [[0.5, 0.99, 1], [0.01, 0.5, 0.9], [0, 0.1, 0.5]]
    old = file(json.dumps([{**OLD, "better": better, "group": {"lang_pair": "fr-en"}}]), "old.json")
    extra = {**NEW, "group": {"lang_pair": "de-en"}}
    new = file(json.dumps([{**NEW, "better": better, "group": {"lang_pair": "fr-en"}}, extra]), "new.json")
    return str(old), str(new)


def test_the_table_says_who_moved_and_what_reversed(pair_of_files: tuple[str, str]) -> None:
    result = CliRunner().invoke(cli, ["diff", *pair_of_files])
    assert result.exit_code == 0
    assert "2 → 1" in result.output
    assert "b rose (3 systems compared, p corrected for that)" in result.output
    assert "reversed: a stood above b (P = 0.990), now stands below (P = 0.990)" in result.output
    assert "only in" in result.output
    assert "de-en" in result.output
    assert "old:old|new:new|shared:none|p:0.05|version:" in result.output


def test_a_long_list_of_reversals_is_cut(file: Callable[..., Path]) -> None:
    # Five systems in opposite orders, each supported: all ten pairs are reversed, six are named.
    names = "abcde"
    sure = [[0.5 if i == j else float(i < j) for j in range(5)] for i in range(5)]
    paths = []
    for label, order in (("old", names), ("new", names[::-1])):
        found = ranking_json({n: (5.0 - k, 0.1) for k, n in enumerate(order)}, data=label, better=sure)
        paths.append(str(file(json.dumps(found), f"{label}.json")))
    lines = CliRunner().invoke(cli, ["diff", *paths]).output.splitlines()
    assert sum(line.startswith("reversed: ") for line in lines) == 7
    assert "reversed: and 4 more pairs" in lines


def test_the_json_of_a_diff_has_its_documented_shape(pair_of_files: tuple[str, str]) -> None:
    result = CliRunner().invoke(cli, ["diff", *pair_of_files, "--format", "json"])
    (changes,) = json.loads(result.stdout)
    assert set(changes) == {
        "systems", "reversals", "told_apart", "merged", "turned", "clusters", "kendall_tau", "common", "settings",
        "judgments", "notes", "signature", "record", "group",
    }  # fmt: skip
    assert set(changes["systems"][0]) == {
        "system", "verdict", "old_rank", "new_rank", "old_range", "new_range", "change", "interval", "p"
    }  # fmt: skip


def test_the_csv_of_a_diff_has_a_row_a_system(pair_of_files: tuple[str, str]) -> None:
    lines = CliRunner().invoke(cli, ["diff", *pair_of_files, "--format", "csv"]).stdout.splitlines()
    assert (
        lines[0] == "lang_pair,system,verdict,old_rank,new_rank,old_first,old_last,new_first,new_last,change,low,high,p"
    )
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", r"new.json: not JSON .* expected what `palmares rank --format json` prints"),
        ("[]", "new.json: holds no ranking"),
        ("[3]", "new.json: not a ranking: got int"),
        ('{"judgments": 3}', "new.json: not a ranking: no signature and no systems"),
        (json.dumps([{**NEW, "systems": [{"system": "x"}]}]), "not a ranking: KeyError"),
        (json.dumps([{**NEW, "record": {"data": "x"}}]), "its record of how it was made is damaged"),
        (
            json.dumps([{name: value for name, value in NEW.items() if name != "record"}]),
            "new.json: this ranking has no record of how it was made, which earlier versions did not write; "
            "rank its judgments again with this version",
        ),
        (
            json.dumps([{**NEW, "better": [[0.5]], "group": {"lang_pair": "fr-en"}}]),
            r"better is \(1, 1\) for 3 systems",
        ),
        (
            json.dumps([{**NEW, "difference_errors": [[0, 1], [1, 0]], "group": {"lang_pair": "fr-en"}}]),
            r"difference_errors is \(2, 2\) for 3 systems",
        ),
        (json.dumps([{**NEW, "units": 5, "group": {"lang_pair": "fr-en"}}]), "not a ranking: AttributeError"),
        (json.dumps([{**NEW, "group": {"lang_pair": "xx"}}]), "no ranking of the same group; .* has: fr-en"),
    ],
)
def test_files_that_are_not_rankings_are_refused(
    content: str, message: str, file: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old = file(json.dumps([{**OLD, "group": {"lang_pair": "fr-en"}}]), "old.json")
    new = file(content, "new.json")
    with pytest.raises(SystemExit) as stopped:
        main(["diff", str(old), str(new)])
    assert stopped.value.code == 2
    assert re.search(message, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"shared": "some"}, "allowed: none, all"),
        ({"judges": "some"}, "judges: got 'some'; allowed: other, same"),
        ({"p": 1}, "p: got 1"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        pm.diff(OLD, NEW, **wrong)
