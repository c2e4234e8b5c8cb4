"""Learning curves and noise tests: one line per model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ...analysis.compare.trials import Curve
from ..tables import group_of, group_title
from .sizes import Area, Panels, heading, labels, room_for_names, sized
from .theme import LABEL, PERCENT, altair, line_looks, themed, titled

_WIDTH, _HEIGHT = 330, 260
#: What a name in the legend may take.
_LEGEND = 320
#: Pixels between the error bars of two models at one condition, and between the outermost bar and the edge.
_DODGE, _EDGE = 3, 14
_NAMES = {
    "accuracy_clusters": "accuracy by clusters",
    "perplexity": "perplexity",
    "pearson": "Pearson's r with gold scores",
}


def curve_plot(
    curve: Curve,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """One panel per measure, one line per model, over sizes or shares of noise: means over trials ± standard error.

    Of a noise test the change from no noise is drawn. Error bars of several models at one condition stand side by side,
    a little off its tick. ``uniform``, a flat line far from the others, is left out.

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
    wanted = [m for m in _NAMES if any(m in t.means for row in curve.points.values() for t in row)]
    kind = "learning curves" if curve.condition == "size" else "noisy judges"
    name = title or titled(group or group_title(group_of(curve)), kind)
    pad = {"left": 10, "top": 10, "right": 16, "bottom": 10}

    def draw(area: Area, width: int | None) -> Any:
        models = labels([m for m in curve.models if m != "uniform"], LABEL, min(_LEGEND, room_for_names(width)))
        head = heading(alt, name, _words(curve), width)
        panels = [_panel(alt, curve, measure, models, area) for measure in wanted]
        chart = alt.hconcat(*panels, spacing=24).resolve_scale(color="shared", strokeDash="shared")
        return themed(chart.properties(title=head, padding=pad))

    return sized(draw, Panels(Area(_WIDTH, _HEIGHT), Area(120, 100), across=len(wanted)), width, height)


def _panel(alt: Any, curve: Curve, measure: str, models: Mapping[str, str], area: Area) -> Any:
    noise = curve.condition == "noise"
    label = {"labelExpr": PERCENT} if noise else {"format": ",d"}
    axis = alt.Axis(values=list(curve.points), labelOverlap=True, labelFlush=False, **label)
    measured = {trials.model for row in curve.points.values() for trials in row if measure in trials.means}
    domain, places = _places(curve, [model for model in models if model in measured], area.width)
    scale = alt.Scale(type="linear" if noise else "log", nice=False, domain=domain)
    x = alt.X("place:Q", title="judges who answer at random" if noise else "training judgments", scale=scale, axis=axis)
    shown = list(models.values())
    name = f"change in {_NAMES[measure]}" if noise else _NAMES[measure]
    y = alt.Y("mean:Q", title=name, scale=alt.Scale(zero=False))
    base = alt.Chart(alt.Data(values=_rows(curve, measure, models, places))).encode(x=x, color=_colour(alt, shown))
    layers = [
        base.mark_line(strokeWidth=1.8).encode(y=y, strokeDash=_dash(alt, shown)),
        base.mark_rule(opacity=0.5).encode(y=alt.Y("from:Q"), y2="to:Q"),
        base.mark_point(filled=True, size=26, opacity=1).encode(y=y),
    ]
    return alt.layer(*layers).properties(width=area.width, height=area.height)


def _places(curve: Curve, models: list[str], width: float) -> tuple[list[float], dict[tuple[str, float], float]]:
    """The ends of the axis, and where each model stands at each condition: side by side, but closer than conditions."""
    there, back = (float, float) if curve.condition == "noise" else (math.log, math.exp)
    at = sorted(there(value) for value in curve.points)
    pixel = ((at[-1] - at[0]) or 1.0) / (width - 2 * _EDGE)
    gap = min((after - before for before, after in pairwise(at)), default=1.0)
    step = min(_DODGE * pixel, 0.5 * gap / max(len(models), 1))
    middle = (len(models) - 1) / 2
    edge = _EDGE * pixel + middle * step
    places = {
        (model, value): back(there(value) + (number - middle) * step)
        for number, model in enumerate(models)
        for value in curve.points
    }
    return [back(at[0] - edge), back(at[-1] + edge)], places


def _rows(
    curve: Curve, measure: str, models: Mapping[str, str], places: Mapping[tuple[str, float], float]
) -> list[dict[str, Any]]:
    rows = []
    for value, row in curve.points.items():
        for trials in row:
            known = trials.changes if curve.condition == "noise" else trials.means
            if (trials.model, value) in places and (mean := known.get(measure)):
                reach = mean.error or 0
                ends = {"from": mean.value - reach, "to": mean.value + reach}
                # Without a bar there is nothing to keep apart: a noise test starts from one point.
                place = places[trials.model, value] if reach else value
                rows.append({"model": models[trials.model], "value": value, "place": place, "mean": mean.value, **ends})
    return rows


def _colour(alt: Any, models: list[str]) -> Any:
    colours, _ = line_looks(len(models))
    legend = alt.Legend(title=None, orient="right", symbolType="stroke", symbolStrokeWidth=2, symbolOpacity=1,
                        labelLimit=0)  # fmt: skip
    return alt.Color("model:N", scale=alt.Scale(domain=models, range=colours), legend=legend)


def _dash(alt: Any, models: list[str]) -> Any:
    _, dashes = line_looks(len(models))
    legend = alt.Legend(title=None, orient="right", symbolOpacity=1, labelLimit=0)
    return alt.StrokeDash("model:N", scale=alt.Scale(domain=models, range=dashes), legend=legend)


def _words(curve: Curve) -> list[str]:
    tested = f"tested on {curve.tested:,} judgments"
    lines = [
        f"{tested}; means over {curve.trials} trials, bars: ± standard error",
        "at each tick models stand side by side, so that their bars can be told apart",
    ]
    return lines if curve.trials > 1 else [f"{tested}; a single trial"]
