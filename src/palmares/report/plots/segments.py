"""Segments: slopes with their intervals, and item information against a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...analysis.segments import Difficulties, DifficultyLine, SegmentLine, Segments
from ..tables import group_of, group_title, level_text
from .sizes import Area, Panels, heading, labels, room_for_names, sized
from .theme import INK, LABEL, PALETTE, altair, line_looks, themed, titled

_WIDTH, _LEAST_WIDTH = 420, 160
_ROW, _LEAST_ROW = 18, 12
_CURVE_HEIGHT, _LEAST_HEIGHT = 320, 160
#: Points of a curve, and what a name in the legend may take.
_STEPS, _LEGEND = 161, 240
_PAD = {"left": 10, "top": 10, "right": 16, "bottom": 10}


def slope_plot(
    segments: Segments,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """Slopes with their intervals, the most telling segments on top, on a scale of logs; 1 is the typical segment.

    Of many segments the most and the least telling are named (``top`` of each), above all of them in order.

    Parameters
    ----------
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
    alt = altair()
    lines = segments.lines
    whole = len(lines) <= 2 * segments.top
    shown = lines if whole else (*lines[: segments.top], *lines[-segments.top :])
    name = title or titled(group or group_title(group_of(segments)), "slopes of segments")

    def draw(area: Area, width: int | None) -> Any:
        names = labels([line.segment for line in shown], LABEL, room_for_names(width))
        panel = _named(alt, segments, shown, names, area)
        head = heading(alt, name, _words(segments, whole), width)
        return themed(panel.properties(title=head, padding=_PAD))

    usual, least = (Area(wide, row * len(shown)) for wide, row in ((_WIDTH, _ROW), (_LEAST_WIDTH, _LEAST_ROW)))
    return sized(draw, Panels(usual, least), width, height)


def _named(alt: Any, segments: Segments, shown: Sequence[SegmentLine], names: Mapping[str, str], area: Area) -> Any:
    chosen = frozenset(segments.choice.segments) if segments.choice else frozenset()
    order = [names[line.segment] for line in shown]
    rows = [
        {
            "segment": names[line.segment],
            "slope": line.slope,
            "from": line.interval[0],
            "to": line.interval[1],
            "colour": PALETTE[1] if line.segment in chosen else PALETTE[0],
        }
        for line in shown
    ]
    axis = alt.Axis(ticks=False, domain=False, labelLimit=0, offset=4)
    y = alt.Y("segment:N", sort=order, title=None, axis=axis, scale=alt.Scale(domain=order))
    x = {"scale": alt.Scale(type="log", nice=False), "axis": alt.Axis(format="~g", tickCount=8)}
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, color=alt.Color("colour:N", scale=None))
    layers = [
        alt.Chart(alt.Data(values=[{"slope": 1}])).mark_rule(color=INK, opacity=0.5, strokeDash=[4, 3])
        .encode(x=alt.X("slope:Q")),
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(x=alt.X("from:Q", **x), x2="to:Q"),
        base.mark_point(filled=True, size=46, opacity=1).encode(x=alt.X("slope:Q", title="slope", **x)),
    ]  # fmt: skip
    if len(shown) < len(segments.lines):
        first_low = [{"segment": names[shown[segments.top].segment]}]
        gap = alt.Chart(alt.Data(values=first_low)).mark_rule(color=INK, opacity=0.6)
        layers.insert(0, gap.encode(y=alt.Y("segment:N", sort=order, bandPosition=0)))
    return alt.layer(*layers).properties(width=area.width, height=area.height)


def _words(segments: Segments, whole: bool) -> list[str]:
    facts = segments.record.facts
    some = "" if whole else f"the {segments.top} most and the {segments.top} least telling of "
    lines = [
        f"{some}{len(segments.lines):,} segments, {facts['judgments']:,} judgments of {facts['systems']} systems",
        f"bar: {level_text(segments.p)} interval; dashed: the typical segment; reliability {segments.reliability:.2f}",
    ]
    return [*lines, "orange: chosen"] if segments.choice else lines


# -- item information ---------------------------------------------------------------------------------


def information_plot(
    difficulties: Difficulties,
    *,
    segments: Sequence[str] | None = None,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """What a judgment of each of some segments tells about a system, by its place θ (Otani et al. 2016, Figure 5).

    Ticks below the curves are the systems; a dashed line is the baseline.

    Parameters
    ----------
    segments
        Names; by default the two most telling, the two easiest and the two hardest.
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
    alt = altair()
    lines = _usual(difficulties) if segments is None else [difficulties.line(name) for name in segments]
    name = title or titled(group or group_title(group_of(difficulties)), "item information")

    def draw(area: Area, width: int | None) -> Any:
        shown = labels([line.segment for line in lines], LABEL, min(_LEGEND, room_for_names(width)))
        panel = _curves(alt, difficulties, lines, shown).properties(width=area.width, height=area.height)
        return themed(panel.properties(title=heading(alt, name, _told(difficulties), width), padding=_PAD))

    return sized(draw, Panels(Area(_WIDTH, _CURVE_HEIGHT), Area(_LEAST_WIDTH, _LEAST_HEIGHT)), width, height)


def _usual(difficulties: Difficulties) -> list[DifficultyLine]:
    """The two most telling segments, and the two on which it is easiest and hardest to beat the baseline."""
    by_difficulty = sorted(difficulties.lines, key=lambda line: line.not_losing + line.winning)
    wanted = [*difficulties.lines[:2], *by_difficulty[:2], *by_difficulty[-2:]]
    return list(dict.fromkeys(wanted))


def _curves(alt: Any, difficulties: Difficulties, lines: Sequence[DifficultyLine], shown: Mapping[str, str]) -> Any:
    places = [*difficulties.places.values(), difficulties.place, *(line.peak for line in lines)]
    margin = 0.15 * (max(places) - min(places)) + 0.5
    theta = np.linspace(min(places) - margin, max(places) + margin, _STEPS)
    order = list(shown.values())
    rows = [
        {"segment": shown[line.segment], "theta": x, "information": y}
        for line in lines
        for x, y in zip(theta.tolist(), line.curve(theta).tolist(), strict=True)
    ]
    colours, dashes = line_looks(len(order))
    legend = alt.Legend(title="segment", orient="right", symbolType="stroke", symbolStrokeWidth=2, symbolSize=400,
                        labelLimit=0)  # fmt: skip
    scale = alt.Scale(domain=[theta[0], theta[-1]], nice=False)
    x = alt.X("theta:Q", title="place of a system (θ)", scale=scale)
    curves = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2).encode(
        x=x, y=alt.Y("information:Q", title="information of a judgment", scale=alt.Scale(zero=True)),
        color=alt.Color("segment:N", scale=alt.Scale(domain=order, range=colours), legend=legend),
        strokeDash=alt.StrokeDash("segment:N", scale=alt.Scale(domain=order, range=dashes), legend=legend),
    )  # fmt: skip
    systems = alt.Chart(alt.Data(values=[{"theta": value} for value in difficulties.places.values()]))
    baseline = alt.Chart(alt.Data(values=[{"theta": difficulties.place}]))
    return alt.layer(
        baseline.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.5).encode(x=x),
        systems.mark_tick(color=INK, thickness=1.5, size=12, opacity=0.8, yOffset=-6).encode(x=x, y=alt.datum(0)),
        curves,
    )


def _told(difficulties: Difficulties) -> list[str]:
    return [
        f"{len(difficulties.places)} systems against {difficulties.baseline}, {difficulties.judgments:,} judgments",
        "ticks: systems; dashed line: the baseline; by a judge with a = 1",
    ]
