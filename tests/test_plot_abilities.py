"""Abilities and the heat map of preferences: what is drawn, against the model's own formulas, and how it reads."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import texts, touching, words

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

import palmares as pm
from palmares.errors import InputError
from palmares.experiments.base import Reproduction, reproduce
from palmares.models.base import Convergence
from palmares.models.by_name import create
from palmares.models.hopkins_may import HopkinsMay
from palmares.report.plots.abilities import _SHADES, abilities_plot

CAMPAIGN = pm.simulate(systems=7, rankings=150, judges=6, segments=40, lang_pair="cs-en", rng=0).judgments
FIT = HopkinsMay().fit(CAMPAIGN, rng=0)
NAME = "newstest2016.university-of-somewhere-ensemble-{}.cs-en"


@pytest.fixture(autouse=True)
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments simulate their campaigns, whether or not the published ones are at hand."""
    monkeypatch.delenv("PALMARES_REAL_DATA", raising=False)


@pytest.fixture(scope="module")
def experiment() -> Reproduction:
    return reproduce("hm13-abilities", quick=True)


def wide(systems: int) -> Any:
    """A fit of so many systems with long names."""
    plan = {"systems": systems, "rankings": 300, "judges": 6, "segments": 40, "spread": 8.0}
    fit = HopkinsMay().fit(pm.simulate(**plan, rng=1).judgments, rng=0)
    return replace(fit, systems=tuple(NAME.format(name) for name in fit.systems))


def layers(chart: Any, panel: int) -> list[list[dict]]:
    """The data of every layer of a panel."""
    return [part["data"]["values"] for part in _inlined(chart)["hconcat"][panel]["layer"]]


def _inlined(chart: Any) -> dict:
    spec = chart.to_dict()
    for panel in spec["hconcat"]:
        for part in panel["layer"]:
            data = part.get("data", panel.get("data"))
            part["data"] = {"values": data["values"] if "values" in data else spec["datasets"][data["name"]]}
    return spec


def dots(chart: Any) -> list[dict]:
    return layers(chart, 0)[0]


def cells(chart: Any) -> dict[tuple[int, int], float | None]:
    return {(cell["row"], cell["column"]): cell["preference"] for cell in layers(chart, 1)[0]}


# -- the numbers -----------------------------------------------------------------------------------------


def test_a_dot_stands_at_the_ability_and_its_bar_says_how_far_draws_are_from_their_mean() -> None:
    shown = dots(abilities_plot(FIT))
    order = np.argsort(-FIT.scores)
    assert [row["system"] for row in shown] == [FIT.systems[i] for i in order]
    assert [row["ability"] for row in shown] == pytest.approx((FIT.scores - FIT.scores.mean())[order])
    # By hand, one draw at a time.
    apart = [[draw[i] - sum(draw) / len(draw) for i in order] for draw in FIT.draws.tolist()]
    own = [np.std([draw[k] for draw in apart], ddof=1) for k in range(len(order))]
    assert [row["to"] - row["ability"] for row in shown] == pytest.approx(own)
    assert [row["ability"] - row["from"] for row in shown] == pytest.approx(own)


def test_what_all_abilities_have_in_common_makes_no_bar_wider() -> None:
    shift = np.random.default_rng(0).normal(0, 5, (len(FIT.draws), 1))
    shifted = dots(abilities_plot(replace(FIT, draws=FIT.draws + shift, deviations=FIT.deviations + 5)))
    reach, own = ([row["to"] - row["from"] for row in rows] for rows in (shifted, dots(abilities_plot(FIT))))
    assert reach == pytest.approx(own)
    assert max(own) / 2 < min(FIT.deviations)


def test_a_cell_is_wins_less_losses_of_two_new_outputs() -> None:
    """HM13, §7: the difference of what is seen is normal with variance 2 σ_a² + 2 σ_obs², cut at ± d."""
    model, spread = FIT.model, math.sqrt(2 * 0.5**2 + 2 * 1.0**2)

    def phi(x: float) -> float:
        return (1 + math.erf(x / math.sqrt(2))) / 2

    order = np.argsort(-FIT.scores).tolist()
    shown = cells(abilities_plot(FIT))
    for row, i in enumerate(order, 1):
        for column, j in enumerate(order, 1):
            if i == j:
                assert shown[row, column] is None
                continue
            won = np.mean([phi((draw[i] - draw[j] - model.radius) / spread) for draw in FIT.draws])
            lost = np.mean([phi((draw[j] - draw[i] - model.radius) / spread) for draw in FIT.draws])
            assert shown[row, column] == pytest.approx(won - lost, abs=1e-6)


def test_of_a_resampled_ranking_bars_are_its_standard_errors(tmp_path: Path) -> None:
    ranking = pm.rank(CAMPAIGN, model="bradley-terry", resample="ranking", resamples=60, rng=0)
    chart = abilities_plot(ranking)
    errors = {line.system: line.error for line in ranking.lines}
    assert {row["system"]: row["to"] - row["ability"] for row in dots(chart)} == pytest.approx(errors)
    assert any("± one standard error, by ranking" in text for text in words(chart, tmp_path))


def test_of_a_ranking_by_posterior_draws_bars_are_those_of_its_fit() -> None:
    ranking = pm.rank(CAMPAIGN, model="hopkins-may", resample="posterior", rng=0)
    assert dots(abilities_plot(ranking)) == dots(abilities_plot(ranking.fit))


def test_the_experiment_is_drawn_as_it_was_measured(experiment: Reproduction) -> None:
    chart = abilities_plot(experiment)
    lines = {row.label: row for row in experiment.rows if not row.at}
    shown = dots(chart)
    assert [row["system"] for row in shown] == list(lines)
    assert [row["ability"] for row in shown] == [row.measured for row in lines.values()]
    assert [row["to"] - row["ability"] for row in shown] == pytest.approx([row.error for row in lines.values()])
    names = list(lines)
    found = cells(chart)
    measured = {(1 + names.index(row.label), int(row.at)): row.measured for row in experiment.rows if row.at}
    assert found == measured


# -- how it reads ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_twenty_systems_with_long_names_are_all_there_and_touch_nowhere(tmp_path: Path) -> None:
    for size in ({}, {"width": 700, "height": 500}):
        found = texts(abilities_plot(wide(20), **size), tmp_path)
        shown = [text.words for text in found]
        assert all(any(text.startswith("…") and f"{k:02}" in text for text in shown) for k in range(1, 21))
        assert touching(found) == []


def test_numbers_stand_in_cells_that_have_room_for_them(tmp_path: Path) -> None:
    few, many = (words(abilities_plot(wide(n)), tmp_path) for n in (6, 20))
    signed = [[text for text in shown if text[:2] in ("+.", "−.", ".0")] for shown in (few, many)]
    assert [len(found) for found in signed] == [6 * 5, 0]
    assert touching(texts(abilities_plot(wide(6)), tmp_path)) == []


def test_shades_grow_darker_without_a_turn_and_numbers_can_be_read_on_them() -> None:
    assert all(light(a) > light(b) for a, b in pairwise(_SHADES))
    cell = next(part for part in layers(abilities_plot(FIT), 1) if "dark" in part[0])
    shares = [c for c in cell if c["preference"] is not None]
    most = max(abs(c["preference"]) for c in shares)
    end = math.ceil(10 * most) / 10
    for c in shares:
        ground = light(shade((c["preference"] + end) / (2 * end)))
        ink = 1.0 if c["dark"] else light("#24292f")
        assert (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) >= 3.5


def shade(place: float) -> str:
    """The colour at a place from 0 to 1 of the scale."""
    part, number = math.modf(min(place, 1 - 1e-9) * (len(_SHADES) - 1))
    a, b = (channels(_SHADES[int(number) + k]) for k in (0, 1))
    return "#" + "".join(f"{round(x + part * (y - x)):02x}" for x, y in zip(a, b, strict=True))


def channels(colour: str) -> list[int]:
    return [int(colour[k : k + 2], 16) for k in (1, 3, 5)]


def light(colour: str) -> float:
    """Relative luminance, as WCAG defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in channels(colour))]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_a_picture_has_its_title_and_size(tmp_path: Path) -> None:
    assert words(abilities_plot(FIT, title="Mine"), tmp_path)
    assert abilities_plot(FIT, group="cs-en, judge ann").to_dict()["title"]["text"] == "cs-en, judge ann: abilities"
    head = (tmp_path / "picture.svg").read_text(encoding="utf-8").split(">", 1)[0]
    assert "<svg" in head
    texts(abilities_plot(FIT, width=800, height=480), tmp_path)
    head = (tmp_path / "picture.svg").read_text(encoding="utf-8").split(">", 1)[0]
    assert 'width="800"' in head
    assert 'height="480"' in head
    with pytest.raises(InputError, match=r"width: got 200; this plot needs at least \d+ pixels"):
        abilities_plot(FIT, width=200)


def test_a_fit_that_did_not_converge_says_so(tmp_path: Path) -> None:
    chart = abilities_plot(replace(FIT, convergence=Convergence(False, 200, "R-hat 1.31")))
    assert "the fit did not converge (R-hat 1.31)" in words(chart, tmp_path)


def test_a_quick_experiment_says_so(experiment: Reproduction, tmp_path: Path) -> None:
    assert any(text.startswith("quick variant") for text in words(abilities_plot(experiment), tmp_path))


# -- refusals --------------------------------------------------------------------------------------------


def test_what_has_no_deviations_or_predictions_is_refused() -> None:
    with pytest.raises(InputError, match="model 'expected-wins' gives no standard deviations to draw; use hopkins-may"):
        abilities_plot(create("expected-wins").fit(CAMPAIGN))
    with pytest.raises(InputError, match="model 'expected-wins' does not predict outcomes, and the plot shows both"):
        abilities_plot(pm.rank(CAMPAIGN, model="expected-wins", resample="ranking", resamples=40, rng=0))
    with pytest.raises(InputError, match="model 'uniform' gives no standard deviations"):
        abilities_plot(create("uniform").fit(CAMPAIGN))


def test_another_result_is_refused(experiment: Reproduction) -> None:
    with pytest.raises(InputError, match="got a str; abilities are drawn of a ranking, a fit or the experiment"):
        abilities_plot("hm13-abilities")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="got the experiment hm13-crowd; this plot draws the experiment hm13-abil"):
        abilities_plot(replace(experiment, id="hm13-crowd"))


# -- the command -----------------------------------------------------------------------------------------


def test_the_command_draws_judgments_and_the_experiment(
    ok: Callable[..., Any], refused: Callable[..., str], tmp_path: Path
) -> None:
    votes, target = tmp_path / "votes.csv", tmp_path / "a.json"
    pm.write(CAMPAIGN, votes)
    ok("plot", "abilities", votes, "-o", target)
    drawn = json.loads(target.read_text(encoding="utf-8"))
    assert drawn["title"]["text"] == "cs-en: abilities"
    assert drawn["title"]["subtitle"][0].startswith(f"hopkins-may, {len(CAMPAIGN):,} judgments; ")
    ok("plot", "abilities", "--experiment", "--quick", "--executor", "serial", "-o", target, "--title", "Figure 6")
    assert json.loads(target.read_text(encoding="utf-8"))["title"]["text"] == "Figure 6"
    message = refused("plot", "abilities", votes, "-o", target, "--model", "bojar")
    assert message == "model 'bojar' does not predict outcomes, and the plot shows both; use hopkins-may"
