"""Curves of the graded response model: against the formulas of Otani et al. 2016, and how they read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pictures import texts, touching, words

pytest.importorskip("altair", reason="needs the extra 'report'")
pytest.importorskip("vl_convert", reason="needs the extra 'report'")

import palmares as pm
from palmares.errors import InputError
from palmares.experiments.base import Reproduction, reproduce
from palmares.models.by_name import create
from palmares.report.plots.item_curves import item_information_plot, response_curves

#: The item of the paper's Figure 2, and the judge's a.
FIGURE_2, A = {"figure 2": (-0.5, 0.5)}, 1.7
PLAN = {"systems": 20, "rankings": 400, "judges": 6, "segments": 12, "spread": 5.0, "segment_effect": 4.0}
CAMPAIGN = pm.simulate(**PLAN, lang_pair="cs-en", rng=0).judgments
DIFFICULT = pm.segments(CAMPAIGN, baseline="auto")


@pytest.fixture(autouse=True)
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experiments simulate their campaigns, whether or not the published ones are at hand."""
    monkeypatch.delenv("PALMARES_REAL_DATA", raising=False)


@pytest.fixture(scope="module")
def experiment() -> Reproduction:
    return reproduce("o16-information", quick=True)


def layers(spec: dict, part: dict, mark: str) -> list[list[dict]]:
    """The data of all layers of a mark."""
    kind = [
        each
        for each in part["layer"]
        if (each["mark"] if isinstance(each["mark"], str) else each["mark"]["type"]) == mark
    ]
    return [values(spec, each.get("data", part.get("data"))) for each in kind]


def values(spec: dict, data: dict) -> list[dict]:
    return data["values"] if "values" in data else spec["datasets"][data["name"]]


def panels(chart: Any) -> list[tuple[dict[str, list[tuple[float, float]]], list[tuple[float, float]], list[dict]]]:
    """Of every segment: the curve of every answer, the information, and the dots at one half."""
    spec = chart.to_dict()
    found = []
    for panel in spec["concat"]:
        above, below = panel["vconcat"]
        answers: dict[str, list[tuple[float, float]]] = {}
        for row in layers(spec, above, "line")[0]:
            answers.setdefault(row["answer"], []).append((row["theta"], row["probability"]))
        told = [(row["theta"], row["information"]) for row in layers(spec, below, "line")[0]]
        found.append((answers, told, layers(spec, above, "point")[0]))
    return found


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def answers_by_hand(theta: float, b1: float, b2: float, a: float) -> tuple[float, float, float]:
    """P(u = 3), P(u = 2), P(u = 1), from P(u > c) = 1 / (1 + exp(−a (θ − b_c)))."""
    over_1, over_2 = logistic(a * (theta - b1)), logistic(a * (theta - b2))
    return over_2, over_1 - over_2, 1 - over_1


@pytest.mark.parametrize(("b", "a"), [((-0.5, 0.5), A), ((-3.4, -1.9), 1.0), ((0.1, 0.15), 0.6)])
def test_answers_sum_to_one_and_follow_the_papers_formula(b: tuple[float, float], a: float) -> None:
    ((answers, _, _),) = panels(response_curves({"one": b}, sensitivity=a))
    assert list(answers) == ["system better", "tie", "baseline better"]
    for won, tied, lost in zip(*answers.values(), strict=True):
        assert won[1] + tied[1] + lost[1] == pytest.approx(1)
        assert (won[1], tied[1], lost[1]) == pytest.approx(answers_by_hand(won[0], *b, a), abs=1e-12)


def test_curves_of_losing_and_winning_pass_one_half_at_b1_and_b2() -> None:
    ((answers, _, dots),) = panels(response_curves({"one": (-0.7, 1.3)}, sensitivity=1.2))
    for name, at in (("baseline better", -0.7), ("system better", 1.3)):
        theta, share = zip(*answers[name], strict=True)
        assert np.interp(at, theta, share) == pytest.approx(0.5, abs=1e-3)
    marked = {dot["answer"]: (dot["theta"], dot["probability"]) for dot in dots}
    assert marked == {"baseline better": (-0.7, 0.5), "system better": (1.3, 0.5)}


def test_the_papers_own_example_is_drawn() -> None:
    """§4.1 reads off Figure 2: a system at θ = 0 beats the baseline with probability 0.3."""
    ((answers, _, _),) = panels(response_curves(FIGURE_2, sensitivity=A))
    theta, share = zip(*answers["system better"], strict=True)
    assert round(float(np.interp(0.0, theta, share)), 1) == 0.3
    assert np.interp(1.0, theta, share) > 2 * 0.3


@pytest.mark.parametrize(("b", "a"), [((-0.5, 0.5), A), ((-2.0, 2.5), 1.0)])
def test_information_is_minus_the_expected_second_derivative(b: tuple[float, float], a: float) -> None:
    ((_, told, _),) = panels(response_curves({"one": b}, sensitivity=a))
    step = 1e-4
    for theta, information in told:
        before, at, after = (answers_by_hand(theta + k * step, *b, a) for k in (-1, 0, 1))
        bent = [
            (math.log(x) - 2 * math.log(y) + math.log(z)) / step**2 for x, y, z in zip(before, at, after, strict=True)
        ]
        assert information == pytest.approx(-sum(p * d for p, d in zip(at, bent, strict=True)), abs=1e-5)


# -- which segments --------------------------------------------------------------------------------------


def names(chart: Any) -> list[str]:
    return [panel["vconcat"][0]["title"]["text"] for panel in chart.to_dict()["concat"]]


def test_unasked_the_most_telling_the_easiest_and_the_hardest_are_drawn() -> None:
    by_middle = sorted(DIFFICULT.lines, key=lambda line: line.not_losing + line.winning)
    best = max(DIFFICULT.lines, key=lambda line: line.information)
    wanted = [best.segment, by_middle[0].segment, by_middle[-1].segment]
    assert names(response_curves(DIFFICULT)) == list(dict.fromkeys(wanted))


def test_segments_are_drawn_as_asked_with_their_difficulties(tmp_path: Path) -> None:
    wanted = [DIFFICULT.lines[3].segment, DIFFICULT.lines[0].segment]
    chart = response_curves(DIFFICULT, segments=wanted)
    assert names(chart) == wanted
    shown = words(chart, tmp_path)
    line = DIFFICULT.lines[3]
    assert f"b₁ = {line.not_losing:.2f} ± {line.not_losing_error:.2f}".replace("-", "−") in shown
    assert f"b₂ = {line.winning:.2f} ± {line.winning_error:.2f}; n = {line.judgments}".replace("-", "−") in shown


def test_a_fit_and_a_ranking_are_drawn_like_what_was_measured_of_them() -> None:
    fit = create("graded-response", {"baseline": DIFFICULT.baseline}).fit(CAMPAIGN)
    ranking = pm.rank(CAMPAIGN, model="graded-response", resample=None)
    wanted = [DIFFICULT.lines[0].segment]
    drawn = [panels(response_curves(each, segments=wanted)) for each in (DIFFICULT, fit, ranking)]
    measured, fitted = (np.array(each[0][0]["tie"]) for each in drawn[:2])
    assert fitted == pytest.approx(measured)
    assert drawn[1] == drawn[2]


def test_systems_and_the_baseline_are_marked() -> None:
    spec = response_curves(DIFFICULT).to_dict()
    below = spec["concat"][0]["vconcat"][1]
    (ticks,), (rule,) = (layers(spec, below, mark) for mark in ("tick", "rule"))
    assert sorted(row["theta"] for row in ticks) == sorted(DIFFICULT.places.values())
    assert [row["theta"] for row in rule] == [DIFFICULT.place]
    bare = response_curves(FIGURE_2).to_dict()
    assert layers(bare, bare["concat"][0]["vconcat"][1], "tick") == []


# -- Figure 5 --------------------------------------------------------------------------------------------


def test_the_experiments_curves_pass_through_what_it_measured(experiment: Reproduction) -> None:
    spec = item_information_plot(experiment).to_dict()
    (lines,), (dots, printed) = layers(spec, spec, "line"), layers(spec, spec, "point")
    measured = [row for row in experiment.rows if row.at]
    assert [row["information"] for row in dots] == [row.measured for row in measured]
    for row in dots:
        own = [each for each in lines if each["segment"] == row["segment"]]
        curve = np.interp(row["theta"], [each["theta"] for each in own], [each["information"] for each in own])
        assert curve == pytest.approx(row["information"], abs=2e-3)  # b has two decimals
    # §6.5: segment 1858 at θ ≈ 0.13, which is difficult to beat, and 1818 at −0.11.
    assert [("difficult" in row["segment"], row["theta"]) for row in printed] == [(True, 0.13), (False, -0.11)]


def test_the_experiments_peaks_are_told_beside_the_papers(experiment: Reproduction, tmp_path: Path) -> None:
    shown = words(item_information_plot(experiment), tmp_path)
    for row in experiment.rows:
        if row.published is not None:
            end = f"peak {row.measured:.2f}, in the paper {row.published:.2f}".replace("-", "−")
            assert any(text.startswith(row.label) and text.endswith(end) for text in shown)
    assert any(text.startswith("quick variant") for text in shown)
    assert touching(texts(item_information_plot(experiment), tmp_path)) == []


# -- how they read ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_long_names_touch_nowhere_and_are_told_apart(tmp_path: Path) -> None:
    rows = CAMPAIGN.to_rows()
    text = pl.format("newstest2016/a-document-with-a-rather-long-name/{}", pl.col("segment"))
    name = "university-of-somewhere-ensemble-constrained-{}"
    named = pm.Judgments.from_rows(
        rows.with_columns(
            segment=text, system_a=pl.format(name, pl.col("system_a")), system_b=pl.format(name, pl.col("system_b"))
        )
    )
    found = pm.segments(named, baseline="auto")
    wanted = [line.segment for line in found.lines[:5]]
    for size in ({}, {"width": 760, "height": 900}):
        chart = response_curves(found, segments=wanted, **size)
        shown = texts(chart, tmp_path)
        assert touching(shown) == []
        assert all(any(t.words.endswith(each.rsplit("/")[-1]) for t in shown) for each in wanted)
        assert f"19 systems against {found.baseline}" in " ".join(t.words for t in shown)


@pytest.mark.parametrize("draw", [lambda **g: response_curves(DIFFICULT, **g)])
@pytest.mark.slow
def test_a_picture_has_its_title_and_size(tmp_path: Path, draw: Any) -> None:
    assert draw().to_dict()["title"]["text"] == "cs-en: answers by segment"
    assert draw(group="cs-en, judge ann").to_dict()["title"]["text"] == "cs-en, judge ann: answers by segment"
    assert draw(title="Mine").to_dict()["title"]["text"] == "Mine"
    texts(draw(width=801, height=555), tmp_path)
    head = (tmp_path / "picture.svg").read_text(encoding="utf-8").split(">", 1)[0]
    assert 'width="801"' in head
    assert 'height="555"' in head


# -- refusals --------------------------------------------------------------------------------------------


def test_what_has_no_segments_is_refused(experiment: Reproduction) -> None:
    with pytest.raises(InputError, match="got a fit of 'bradley-terry'; curves of segments are drawn of a fit of gra"):
        response_curves(pm.rank(CAMPAIGN, resample=None, model="bradley-terry"))
    with pytest.raises(InputError, match="got a Reproduction; curves of segments are drawn"):
        response_curves(experiment)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="got a dict; curves"):
        response_curves({})
    bare = CAMPAIGN.to_rows().drop("segment")
    with pytest.raises(InputError, match="the judgments name no segments"):
        response_curves(create("graded-response").fit(pm.Judgments.from_rows(bare)))
    with pytest.raises(InputError, match="got the experiment o16-noise; this plot draws the experiment o16-inform"):
        item_information_plot(replace(experiment, id="o16-noise"))
    with pytest.raises(InputError, match="got a Difficulties; this plot draws the experiment o16-information"):
        item_information_plot(DIFFICULT)  # type: ignore[arg-type]


@pytest.mark.parametrize("b", [(0.5, 0.5), (1.0, -1.0), (math.nan, 1.0)])
def test_difficulties_in_the_wrong_order_are_refused(b: tuple[float, float]) -> None:
    with pytest.raises(InputError, match=r"segment 'one': got b1 = .* b1 must be below b2"):
        response_curves({"one": b})


@pytest.mark.parametrize("a", [0.0, -1.0, math.nan, math.inf])
def test_a_judge_without_sensitivity_is_refused(a: float) -> None:
    with pytest.raises(InputError, match=r"sensitivity: got .*; allowed: a number above 0"):
        response_curves(FIGURE_2, sensitivity=a)


def test_an_unknown_segment_is_refused() -> None:
    with pytest.raises(InputError, match=r"no segment 'nowhere'; there are: .*, …"):
        response_curves(DIFFICULT, segments=["nowhere"])
    with pytest.raises(InputError, match="got no segment; name at least one"):
        response_curves(DIFFICULT, segments=[])


# -- the command -----------------------------------------------------------------------------------------


def test_the_command_draws_segments_as_asked(
    ok: Callable[..., Any], refused: Callable[..., str], tmp_path: Path
) -> None:
    votes, target = tmp_path / "votes.csv", tmp_path / "a.json"
    pm.write(CAMPAIGN, votes)
    wanted = DIFFICULT.lines[2].segment
    ok("plot", "item-curves", votes, "-o", target, "--segment", wanted, "--sensitivity", 1.7)
    drawn = json.loads(target.read_text(encoding="utf-8"))
    assert [panel["vconcat"][0]["title"]["text"] for panel in drawn["concat"]] == [wanted]
    assert any("a = 1.7" in line for line in drawn["title"]["subtitle"])
    message = refused("plot", "item-curves", votes, "-o", target, "--sensitivity", 0)
    assert message == "sensitivity: got 0; allowed: a number above 0"


def test_the_command_draws_the_experiment(ok: Callable[..., Any], tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    ok("plot", "item-information", "--quick", "--executor", "serial", "-o", target)
    drawn = json.loads(target.read_text(encoding="utf-8"))
    assert drawn["title"]["text"] == "simulated stand-in for WMT13 French–English: item information"
