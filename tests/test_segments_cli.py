"""``palmares segments``: tables, lists, plots, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import palmares as pm
from palmares.report.plots import slope_plot


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("segments") / "campaign.csv"
    plan = {"systems": 7, "rankings": 150, "judges": 6, "segments": 30}
    pm.write(pm.simulate(**plan, lang_pair="cs-en", rng=1).judgments, path)
    return path


def test_the_table_has_the_most_and_the_least_telling(campaign: Path, ok: Callable[..., Any]) -> None:
    found = pm.segments(pm.read(campaign), top=3, rng=0)
    out = ok("segments", campaign, "--top", 3).out
    lines = out.splitlines()
    assert lines[0] == "cs-en"
    names = [line.split()[0] for line in lines[3:10] if not line.startswith("─")]
    assert names == [line.segment for line in (*found.lines[:3], *found.lines[-3:])]
    assert "The 3 most and the 3 least telling of 30 segments." in out
    assert "note: with a median of" in out
    assert found.signature in out
    every = ok("segments", campaign, "--top", 15).out
    assert all(line.segment in every for line in found.lines)
    assert "least telling of" not in every


def test_csv_and_json_have_all_segments_and_the_choice(campaign: Path, ok: Callable[..., Any]) -> None:
    arguments = ("segments", campaign, "--choose", 5, "--splits", 3)
    rows = list(csv.DictReader(io.StringIO(ok(*arguments, "--format", "csv").out)))
    (entry,) = ok(*arguments, "--format", "json").json
    assert len(rows) == len(entry["segments"]) == 30
    assert [row["segment"] for row in rows if row["chosen"] == "True"] == entry["choice"]["segments"]
    assert [row["segment"] for row in rows][:5] == entry["choice"]["segments"]
    assert {row["lang_pair"] for row in rows} == {"cs-en"}
    first, line = rows[0], entry["segments"][0]
    assert [float(first[name]) for name in ("slope", "slope_low", "slope_high")] == [line["slope"], *line["interval"]]
    assert [check["kind"] for check in entry["choice"]["checks"]] == [
        "other judges",
        "other judges and other systems",
    ]
    assert entry["choice"]["splits"] == 3
    plain = list(csv.DictReader(io.StringIO(ok("segments", campaign, "--format", "csv").out)))
    assert "chosen" not in plain[0]


def test_the_check_is_a_table_of_its_own(campaign: Path, ok: Callable[..., Any]) -> None:
    out = ok("segments", campaign, "--choose", 5, "--splits", 3).out
    assert "cs-en: 5 of 30 segments chosen" in out
    assert "other judges and other systems" in out
    assert out.count("note: with a median of") == 1
    unchecked = ok("segments", campaign, "--choose", 5, "--splits", 0)
    assert "other judges" not in unchecked.out
    assert "5 segments are chosen" in unchecked.out


@pytest.mark.parametrize("output", ["markdown", "latex"])
def test_other_formats(output: str, campaign: Path, ok: Callable[..., Any]) -> None:
    out = ok("segments", campaign, "--choose", 5, "--splits", 2, "--format", output).out
    assert "slope" in out
    assert "information" in out


def test_a_result_can_be_made_again(
    campaign: Path, ok: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(campaign.parent)
    result = tmp_path / "result.json"
    options = ("--choose", 4, "--splits", 3, "--seed", 3, "--p", 0.1)
    result.write_text(ok("segments", campaign, *options, "--format", "json").out, encoding="utf-8")
    (found,) = ok("verify", result, "--format", "json").json
    assert found["equal"]
    assert found["compared"] > 200


def test_groups_that_are_too_small_are_named(campaign: Path, ok: Callable[..., Any]) -> None:
    entries = ok("segments", campaign, "--by", "judge", "--format", "json").json
    assert len(entries) == 6
    assert {entry["group"]["judge"] for entry in entries} == set(pm.read(campaign).judges)


def test_files_without_segments_are_refused(file: Callable[..., Path], refused: Callable[..., str]) -> None:
    path = file("system_a,system_b,outcome\nA,B,1\nB,C,1\nA,C,-1\n")
    assert "the judgments name no segments" in refused("segments", path)


def test_more_than_there_are_cannot_be_chosen(campaign: Path, refused: Callable[..., str]) -> None:
    assert "choose: got 30; allowed: fewer than the 30 segments" in refused("segments", campaign, "--choose", 30)


def test_in_a_notebook_and_as_a_frame(campaign: Path) -> None:
    found = pm.segments(campaign, choose=5, splits=2, rng=0)
    assert "<table" in found._repr_html_()
    frame = found.table()
    assert frame.height == 30
    assert frame.filter(pl.col("chosen")).height == 5
    assert repr(found).startswith("<Segments cs-en: 30 segments, slopes known to ")
    assert json.loads(json.dumps(found.to_dict()))["judgments"] == found.judgments


# -- plots -------------------------------------------------------------------------------------------


def test_slopes_are_drawn_with_their_intervals(campaign: Path) -> None:
    found = pm.segments(campaign, choose=5, splits=0, top=4, rng=0)
    chart = slope_plot(found).to_dict()
    rows = next(values for layer in chart["layer"] if "from" in (values := layer["data"]["values"])[0])
    shown = (*found.lines[:4], *found.lines[-4:])
    assert [(row["segment"], row["slope"], row["from"], row["to"]) for row in rows] == [
        (line.segment, line.slope, *line.interval) for line in shown
    ]
    assert len({row["colour"] for row in rows[:4]}) == 1
    assert rows[0]["colour"] != rows[-1]["colour"]
    assert chart["title"]["text"] == "cs-en: slopes of segments"


def test_the_plot_is_written(campaign: Path, ok: Callable[..., Any], tmp_path: Path) -> None:
    target = tmp_path / "slopes.svg"
    ok("segments", campaign, "--plot", target, "--width", 500)
    assert target.read_text(encoding="utf-8").startswith("<svg")
