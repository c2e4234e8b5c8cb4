"""The graded response model's curves: what a judge says by a system's place, and what a judgment tells.

Otani et al. 2016, Figures 2 and 5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InputError
from ...experiments.base import Reproduction, Row
from ...judgments import FloatArray
from ...kernels.graded_response import item_information, outcomes
from ..tables import group_of, group_title
from .items import Item, Items, Source, chosen, items_of, two_digits
from .reproduced import data_of, experiment, quick_note, value
from .sizes import Area, Panels, broken, heading, labels, room_for_names, sized
from .theme import INK, LABEL, PALETTE, altair, themed, titled

_EXPERIMENT = "o16-information"
_PAD = {"left": 10, "top": 10, "right": 16, "bottom": 10}
_COLUMNS = 3
_SIDE, _LEAST_SIDE, _LONE = Area(230, 130), Area(110, 70), Area(400, 190)
_WIDE, _LEAST_WIDE = Area(460, 300), Area(180, 140)
#: Points of a curve, and how far beyond what it is about its axis goes.
_STEPS, _BEYOND = 201, 2.0
#: Told apart without colours, too, by their dashes.
_ANSWERS = ["system better", "tie", "baseline better"]
_COLOURS, _DASHES = [PALETTE[0], INK, PALETTE[1]], [[1, 0], [2, 2], [5, 3]]
#: The size of the font of b₁ and b₂ above a panel, and what they may take beside its width.
_WORDS, _AROUND = 11, 40


@dataclass(frozen=True)
class _Frame:
    """What all panels have in common: the judge's a, the axis of θ, and the largest information that is drawn."""

    sensitivity: float
    theta: FloatArray
    most: float

    @classmethod
    def around(cls, known: Items, items: Sequence[Item], sensitivity: float) -> _Frame:
        """Of everything that is drawn, and a little beyond."""
        places = [*known.places, *(b for item in items for b in item.b)]
        margin = 0.1 * (max(places) - min(places)) + _BEYOND / sensitivity
        theta = np.linspace(min(places) - margin, max(places) + margin, _STEPS)
        told = [float(item_information(theta, *item.b, sensitivity).max()) for item in items]
        return cls(sensitivity, theta, max(told))


def response_curves(
    result: Source,
    *,
    segments: Sequence[str] | None = None,
    sensitivity: float = 1.0,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """For each of some segments, how likely each answer is by the place θ of a system, and below it the information.

    A judge answers that the baseline is better, that there is no difference, or that the system is better. At b₁ a
    system loses half of the time, at b₂ it wins half of the time: the dots (Otani et al. 2016, Figure 2). Information
    is what one judgment tells about θ (Figure 5). Ticks are the systems, a dashed line is the baseline.

    Parameters
    ----------
    result
        What ``palmares segments --baseline`` measured; a fit or a ranking of ``graded-response``; or (b₁, b₂) by name.
    segments
        Names; by default the most telling, the easiest and the hardest, or all that are given by name.
    sensitivity
        The judge's a.
    title
        Instead of the group and the kind of plot.
    group
        What the judgments are of, in words; by default the language pair.
    width, height
        Of the whole picture, in pixels; by default what it needs.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    check_sensitivity(sensitivity)
    known = items_of(result)
    items = chosen(known, segments, everything=isinstance(result, Mapping))
    alt = altair()
    frame = _Frame.around(known, items, sensitivity)
    name = title or titled(group or group_title(group_of(result)), "answers by segment")
    across = min(_COLUMNS, len(items))

    def draw(area: Area, width: int | None) -> Any:
        names = labels([item.name for item in items], LABEL, area.width)
        panels = [
            _item_panels(alt, known, item, names[item.name], frame, area, first=number % across == 0)
            for number, item in enumerate(items)
        ]
        chart = alt.concat(*panels, columns=across, spacing=22).resolve_scale(color="shared", strokeDash="shared")
        return themed(chart.properties(title=heading(alt, name, _told(known, sensitivity), width), padding=_PAD))

    down = 2 * -(-len(items) // across)
    return sized(draw, Panels(_LONE if len(items) == 1 else _SIDE, _LEAST_SIDE, across, down), width, height)


def check_sensitivity(sensitivity: float) -> None:
    """Refuse what no judge has."""
    if not (np.isfinite(sensitivity) and sensitivity > 0):
        raise InputError(f"sensitivity: got {sensitivity:g}; allowed: a number above 0")


# -- panels ----------------------------------------------------------------------------------------------


def _item_panels(alt: Any, known: Items, item: Item, name: str, frame: _Frame, area: Area, *, first: bool) -> Any:
    scale = alt.Scale(domain=[frame.theta[0], frame.theta[-1]], nice=False)
    ticks = {"tickCount": min(8, max(3, area.width // 30)), "labelFlush": False}
    x = alt.X("theta:Q", scale=scale, title=None, axis=alt.Axis(labels=False, **ticks))
    below = alt.X("theta:Q", scale=scale, title="place of a system (θ)", axis=alt.Axis(**ticks))
    sides = {"width": area.width, "height": area.height}
    head = alt.Title(
        name,
        subtitle=[each for text in item.words for each in broken(text, _WORDS, area.width + _AROUND)],
        fontSize=LABEL,
        subtitleFontSize=_WORDS,
        offset=6,
    )
    answers = [*_baseline(alt, known, x), *_answers(alt, item, frame, x, first=first)]
    information = [*_baseline(alt, known, below), *_information(alt, known, item, frame, below, first=first)]
    parts = [alt.layer(*answers).properties(**sides, title=head), alt.layer(*information).properties(**sides)]
    return alt.vconcat(*parts, spacing=8)


def _answers(alt: Any, item: Item, frame: _Frame, x: Any, *, first: bool) -> list[Any]:
    a, b, width = (np.full(len(frame.theta), each) for each in (frame.sensitivity, item.b[0], item.b[1] - item.b[0]))
    rows = [
        {"answer": answer, "theta": theta, "probability": share}
        for answer, line in zip(_ANSWERS, outcomes(a, frame.theta, b, width).tolist(), strict=True)
        for theta, share in zip(frame.theta.tolist(), line, strict=True)
    ]
    lost, won = ({"answer": _ANSWERS[k], "theta": b, "probability": 0.5} for k, b in zip((2, 0), item.b, strict=True))
    legend = alt.Legend(
        title=None, orient="top", direction="horizontal", symbolType="stroke", symbolStrokeWidth=2, symbolSize=400,
        labelLimit=0,
    )  # fmt: skip
    colour = alt.Color("answer:N", scale=alt.Scale(domain=_ANSWERS, range=_COLOURS), legend=legend)
    dash = alt.StrokeDash("answer:N", scale=alt.Scale(domain=_ANSWERS, range=_DASHES), legend=legend)
    y = alt.Y("probability:Q", title="probability" if first else None, scale=alt.Scale(domain=[0, 1]),
              axis=alt.Axis(values=[0, 0.5, 1], format=".1f"))  # fmt: skip
    dots = alt.Chart(alt.Data(values=[lost, won])).mark_point(filled=True, size=50, opacity=1)
    return [
        alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash),
        dots.encode(x=x, y=y, color=colour),
    ]


def _information(alt: Any, known: Items, item: Item, frame: _Frame, x: Any, *, first: bool) -> list[Any]:
    told = item_information(frame.theta, *item.b, frame.sensitivity)
    rows = [{"theta": t, "information": i} for t, i in zip(frame.theta.tolist(), told.tolist(), strict=True)]
    y = alt.Y("information:Q", title="information" if first else None, axis=alt.Axis(tickCount=3),
              scale=alt.Scale(domain=[0, frame.most], nice=True))  # fmt: skip
    return [
        *_systems(alt, known.places, x),
        alt.Chart(alt.Data(values=rows)).mark_line(color=INK, strokeWidth=2).encode(x=x, y=y),
    ]


def _systems(alt: Any, places: Sequence[float], x: Any) -> list[Any]:
    if not places:
        return []
    marks = alt.Chart(alt.Data(values=[{"theta": place} for place in places]))
    return [marks.mark_tick(color=INK, thickness=1.2, size=10, opacity=0.8, yOffset=-5).encode(x=x, y=alt.datum(0))]


def _baseline(alt: Any, known: Items, x: Any) -> list[Any]:
    if known.baseline is None:
        return []
    rule = alt.Chart(alt.Data(values=[{"theta": known.baseline[1]}]))
    return [rule.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.5).encode(x=x)]


def _told(known: Items, sensitivity: float) -> list[str]:
    lines = [
        f"by a judge with a = {sensitivity:g}; dots: where a system loses (b₁) or wins (b₂) half of the time",
        "below: what a judgment tells about θ",
    ]
    if known.baseline is None:
        return lines
    first = f"{len(known.places)} systems against {known.baseline[0]}"
    return [first, lines[0], f"{lines[1]}; ticks: systems; dashed line: the baseline"]


# -- two segments of the experiment ----------------------------------------------------------------------

#: How the experiment names a segment, and its b₁ and b₂, which it prints with two decimals.
_NOTE = re.compile(r"segment (.*), b = \((-?[\d.]+), (-?[\d.]+)\)")


def item_information_plot(
    result: Reproduction,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """Item information of a segment that is difficult to beat and of one that is easy (Otani et al. 2016, Figure 5).

    Curves follow from b₁ and b₂ as the experiment prints them, with two decimals; dots are the values it measured.
    Triangles stand where the curves of the paper peak, whose segments are others.

    Parameters
    ----------
    result
        The reproduced experiment ``o16-information``.
    title
        Instead of the group and the kind of plot.
    group
        What the judgments are of, in words; by default the data of the experiment.
    width, height
        Of the whole picture, in pixels; by default what it needs.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    alt = altair()
    peaks = [row for row in experiment(result, _EXPERIMENT).rows if row.note]
    items = {row.label: _of_note(row) for row in peaks}
    name = title or titled(group or data_of(result), "item information")

    def draw(area: Area, width: int | None) -> Any:
        whole = [f"{item.name}: {word}" for word, item in items.items()]
        shown = labels(whole, LABEL, room_for_names(width))
        legends = {word: shown[each] for word, each in zip(items, whole, strict=True)}
        panel = _two_curves(alt, result, items, legends).properties(width=area.width, height=area.height)
        return themed(panel.properties(title=heading(alt, name, _words(result, items, peaks), width), padding=_PAD))

    return sized(draw, Panels(_WIDE, _LEAST_WIDE), width, height)


def _of_note(row: Row) -> Item:
    found = _NOTE.fullmatch(row.note)
    assert found is not None  # the experiment writes it so
    return Item(found[1], (float(found[2]), float(found[3])), judgments=row.n)


def _two_curves(alt: Any, result: Reproduction, items: Mapping[str, Item], legends: Mapping[str, str]) -> Any:
    measured = [row for row in result.rows if row.at]
    places = [value(row) for row in result.rows if row.group == "θ of systems"]
    dots: list[dict[str, Any]] = [
        {"segment": legends[row.label], "theta": float(row.at), "information": value(row)} for row in measured
    ]
    about = [*(dot["theta"] for dot in dots), *(b for item in items.values() for b in item.b)]
    theta = np.linspace(min(about) - 1, max(about) + 1, _STEPS)
    curves = [
        {"segment": legends[word], "theta": t, "information": i}
        for word, item in items.items()
        for t, i in zip(theta.tolist(), item_information(theta, *item.b).tolist(), strict=True)
    ]
    printed = [
        {"segment": legends[row.label], "theta": row.published} for row in result.rows if row.published is not None
    ]
    legend = alt.Legend(title=None, orient="top", direction="vertical", symbolType="stroke", symbolStrokeWidth=2,
                        symbolSize=400, labelLimit=0)  # fmt: skip
    order = list(legends.values())
    colour = alt.Color("segment:N", scale=alt.Scale(domain=order, range=[PALETTE[1], PALETTE[0]]), legend=legend)
    dash = alt.StrokeDash("segment:N", scale=alt.Scale(domain=order, range=[[1, 0], [5, 3]]), legend=legend)
    x = alt.X(
        "theta:Q",
        title="place of a system (θ)",
        scale=alt.Scale(domain=[theta[0], theta[-1]], nice=False),
        axis=alt.Axis(labelFlush=False),
    )
    y = alt.Y("information:Q", title="information of a judgment", scale=alt.Scale(zero=True))
    peaks = alt.Chart(alt.Data(values=printed)).mark_point(shape="triangle-down", filled=True, size=90, opacity=1)
    return alt.layer(
        *_systems(alt, places, x),
        alt.Chart(alt.Data(values=curves)).mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash),
        alt.Chart(alt.Data(values=dots)).mark_point(filled=True, size=36, opacity=1).encode(x=x, y=y, color=colour),
        peaks.encode(x=x, y=alt.value(6), color=colour),
    )


def _words(result: Reproduction, items: Mapping[str, Item], peaks: Sequence[Row]) -> list[str]:
    ends = [
        f"{row.label}: {', '.join(items[row.label].words)}; peak {two_digits(value(row))}"
        + ("" if row.published is None else f", in the paper {two_digits(row.published)}")
        for row in peaks
    ]
    size, trials = result.settings["size"], result.settings["trials"]
    return [
        f"mean b over {trials} data sets of {size:,} comparisons; a = 1; n: data sets that have the segment",
        *ends,
        "dots: measured; ticks: systems; triangles: where the paper's curves peak, of other segments",
        *quick_note(result),
    ]
