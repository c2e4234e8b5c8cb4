"""Figures of simulated campaigns: the numbers of the experiments and of the paper, and how they read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import texts, touching, words

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

from palmares.errors import InputError
from palmares.experiments.base import Reproduction, Row, mean_row, reproduce
from palmares.report.plots.win_ratios import ranking_error_plot, separation_plot, win_ratio_plot

DRAWN: dict[str, Callable[..., Any]] = {
    "k12-win-ratios": win_ratio_plot, "k12-curves": separation_plot, "k12-methods": ranking_error_plot
}  # fmt: skip


@pytest.fixture(autouse=True)
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments simulate their campaigns, whether or not the published ones are at hand."""
    monkeypatch.delenv("PALMARES_REAL_DATA", raising=False)


@pytest.fixture(scope="module")
def results() -> dict[str, Reproduction]:
    return {name: reproduce(name, quick=True) for name in DRAWN}


def layers(spec: dict, panel: dict, mark: str) -> list[list[dict]]:
    kind = [part for part in panel["layer"] if part["mark"]["type"] == mark]
    found = [part.get("data", panel.get("data")) for part in kind]
    return [data["values"] if "values" in data else spec["datasets"][data["name"]] for data in found]


def titles(chart: Any) -> list[str]:
    return [" ".join(panel["title"]["text"]) for panel in chart.to_dict()["concat"]]


# -- Figure 1 --------------------------------------------------------------------------------------------


def test_dots_are_the_printed_win_ratios(results: dict[str, Reproduction]) -> None:
    """Koehn 2012, Tables 2 and 3: the first and the last system."""
    chart = win_ratio_plot(results["k12-win-ratios"])
    spec = chart.to_dict()
    assert titles(chart) == ["WMT12 English–Czech (Table 2)", "WMT12 French–English (Table 3)"]
    (czech,), (french,) = (layers(spec, panel, "point") for panel in spec["concat"])
    assert (len(czech), czech[0]["ratio"], czech[-1]["ratio"]) == (13, 0.660, 0.328)
    assert (len(french), french[0]["ratio"], french[-1]["ratio"]) == (15, 0.626, 0.319)
    assert [dot["place"] for dot in french] == list(range(1, 16))


def test_a_band_holds_two_standard_deviations_of_single_campaigns(results: dict[str, Reproduction]) -> None:
    rng = np.random.default_rng(3)
    drawn = rng.normal([[0.7, 0.5, 0.02]], [[0.05, 0.1, 0.03]], (50, 3))
    group = "Figure 1, WMT99 (Table 9), by place"
    rows = [Row("printed", 0.6, 0.6, None, 1, group=group, at=str(place)) for place in (1, 2, 3)]
    rows += [
        mean_row("simulated, σ = 9", None, column, group=group, at=str(place))
        for place, column in enumerate(drawn.T, 1)
    ]
    spec = win_ratio_plot(replace(results["k12-win-ratios"], rows=tuple(rows))).to_dict()
    (band,) = layers(spec, spec["concat"][0], "area")
    mean, sd = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)
    assert [row["ratio"] for row in band] == pytest.approx(mean)
    assert [row["high"] for row in band] == pytest.approx(mean + 2 * sd)
    # There are no win ratios below 0.
    assert [row["low"] for row in band] == pytest.approx(np.maximum(mean - 2 * sd, 0))
    assert band[2]["low"] == 0


def test_a_variance_puts_systems_further_apart_than_the_printed_ones(results: dict[str, Reproduction]) -> None:
    spec = win_ratio_plot(results["k12-win-ratios"]).to_dict()
    for panel in spec["concat"]:
        (line,), (dots,) = layers(spec, panel, "line"), layers(spec, panel, "point")
        first = {row["kind"]: row["ratio"] for row in line if row["place"] == 1}
        assert first["σ² a variance"] > dots[0]["ratio"] + 0.1
        assert abs(first["σ a standard deviation"] - dots[0]["ratio"]) < 0.1


# -- Figure 2 --------------------------------------------------------------------------------------------


def test_every_share_stands_at_its_number_of_judgments(results: dict[str, Reproduction]) -> None:
    result = results["k12-curves"]
    spec = separation_plot(result).to_dict()
    shown = {
        (row["source"], row["test"], row["judgments"], row["share"])
        for panel in spec["concat"] for row in layers(spec, panel, "line")[0]
    }  # fmt: skip
    tests = {"as published": "one-sided", "two-sided": "two-sided"}
    wanted = {
        (row.label.split(",")[0], tests[row.label.split(", ")[-1]], 1000 * int(row.at.removesuffix("k")), row.measured)
        for row in result.rows if row.at
    }  # fmt: skip
    assert shown == wanted
    assert {each[2] for each in shown} == {1000, 2000}


def test_a_panel_tells_the_fitted_and_the_printed_sigma(results: dict[str, Reproduction], tmp_path: Path) -> None:
    result = results["k12-curves"]
    fitted = {row.label: row for row in result.rows if row.group == "σ fitted"}
    one, two = (
        fitted[f"WMT12 English–Czech (Table 2), rebuilt from its scores, {test}"]
        for test in ("as published", "two-sided")
    )
    shown = words(separation_plot(result), tmp_path)
    assert shown[shown.index("13 systems") + 1] == f"σ {one.measured:.0f} and {two.measured:.0f}, printed 9"


def test_printed_sigmas_are_those_of_figure_2(results: dict[str, Reproduction], tmp_path: Path) -> None:
    shown = [text for text in words(separation_plot(results["k12-curves"]), tmp_path) if "printed" in text]
    assert [text.rpartition(" ")[2] for text in shown] == ["9", "10"]


# -- Figure 3 --------------------------------------------------------------------------------------------


def test_diamonds_are_the_numbers_of_the_text(results: dict[str, Reproduction]) -> None:
    """§4.4: 13.2 %, 13.1 % and 17.6 % with 10,000 judgments; the quick variant ends there."""
    spec = ranking_error_plot(results["k12-methods"]).to_dict()
    published, share = spec["concat"]
    diamonds = layers(spec, published, "point")[-1]
    assert {(row["method"], row["judgments"]): row["error"] for row in diamonds} == {
        ("BOJAR", 10000): 13.2, ("EXPECTED", 10000): 13.1, ("LOPEZ", 10000): 17.6
    }  # fmt: skip
    assert len({row["size"] for row in diamonds}) == 3
    assert len(layers(spec, share, "point")) == 1


def test_both_scales_show_the_same_discordant_pairs(results: dict[str, Reproduction]) -> None:
    """4 d / n² against d / (n (n − 1) / 2), of 15 systems."""
    spec = ranking_error_plot(results["k12-methods"]).to_dict()
    published, share = (layers(spec, panel, "line")[0] for panel in spec["concat"])
    for a, b in zip(published, share, strict=True):
        assert (a["method"], a["judgments"]) == (b["method"], b["judgments"])
        assert a["error"] * 15**2 / 4 == pytest.approx(b["error"] * 15 * 14 / 2)
        assert a["high"] - a["error"] == pytest.approx(a["error"] - a["low"])


# -- what all have in common -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_touches_and_every_panel_is_named(
    results: dict[str, Reproduction], tmp_path: Path, name: str
) -> None:  # fmt: skip
    for size in ({}, {"width": 900}):
        chart = DRAWN[name](results[name], **size)
        found = texts(chart, tmp_path)
        assert touching(found) == []
        shown = " ".join(text.words for text in found)
        assert all(title in shown for title in titles(chart))
        assert "quick variant" in shown


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.slow
def test_a_picture_has_its_title_and_size(results: dict[str, Reproduction], tmp_path: Path, name: str) -> None:
    chart = DRAWN[name](results[name], width=870, height=700)
    texts(chart, tmp_path)
    head = (tmp_path / "picture.svg").read_text(encoding="utf-8").split(">", 1)[0]
    assert 'width="870"' in head
    assert 'height="700"' in head
    assert DRAWN[name](results[name]).to_dict()["title"]["text"].startswith("Koehn 2012, Figure ")
    assert DRAWN[name](results[name], group="WMT12").to_dict()["title"]["text"].startswith("WMT12: ")
    assert DRAWN[name](results[name], title="Mine").to_dict()["title"]["text"] == "Mine"


@pytest.mark.parametrize("name", DRAWN)
def test_another_experiment_is_refused(results: dict[str, Reproduction], name: str) -> None:
    other = next(each for each in DRAWN if each != name)
    with pytest.raises(
        InputError, match=f"got the experiment {other}; this plot draws the experiment {name}: palmares"
    ):
        DRAWN[name](results[other])
    with pytest.raises(InputError, match=f"got a str; this plot draws the experiment {name}"):
        DRAWN[name]("k12")


@pytest.mark.parametrize("kind", ["win-ratios", "separated-pairs", "ranking-errors"])
def test_the_command_draws_the_experiment(ok: Callable[..., Any], tmp_path: Path, kind: str) -> None:
    target = tmp_path / "a.json"
    ok("plot", kind, "--quick", "--executor", "serial", "-o", target)
    title = json.loads(target.read_text(encoding="utf-8"))["title"]
    assert title["text"].startswith("Koehn 2012, Figure ")
    assert any(line.startswith("quick variant") for line in title["subtitle"])
