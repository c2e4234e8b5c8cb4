"""Calibration: predicted against observed shares."""

from __future__ import annotations

from typing import Any

from ...analysis.compare.comparison import Comparison, ModelScore
from ...errors import InputError
from ..tables import group_of, group_title
from .sizes import Area, Panels, heading, labels, sized
from .theme import INK, LABEL, PALETTE, altair, themed, titled

_SIDE, _LEAST_SIDE = 190, 90
_COLUMNS = 3
#: What the axis of a panel takes beside it, and how its model is written above it.
_AROUND = 40
_MODEL = {"fontSize": LABEL, "offset": 6, "anchor": "start", "frame": "group"}


def calibration_plot(
    comparison: Comparison,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """One panel per model that predicts: of what was given this probability, the share that came true ± 2 errors.

    On the diagonal, a model is calibrated. The area of a dot is the number of judgments.

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
    shown = [line for line in comparison.lines if line.calibration]
    if not shown:
        raise InputError("none of the models predicts outcomes, so there is no calibration to draw; add bradley-terry")
    alt = altair()
    most = max(b.judgments for line in shown for b in line.calibration)
    lines = [
        "of judgments with this predicted probability, the share that came true; bars: ± 2 standard errors",
        "on the dashed line, a model is calibrated; area of a dot: judgments",
    ]
    name = title or titled(group or group_title(group_of(comparison)), "calibration")
    pad = {"left": 10, "top": 10, "right": 16, "bottom": 10}
    across = min(_COLUMNS, len(shown))

    def draw(area: Area, width: int | None) -> Any:
        head = heading(alt, name, lines, width)
        names = labels([line.model for line in shown], LABEL, area.width + _AROUND)
        panels = [
            _panel(alt, line, most, alt.Title(names[line.model], **_MODEL), area, first=number % across == 0)
            for number, line in enumerate(shown)
        ]
        chart = alt.concat(*panels, columns=across, spacing=24).resolve_scale(color="shared")
        return themed(chart.properties(title=head, padding=pad))

    panels = Panels(Area(_SIDE, _SIDE), Area(_LEAST_SIDE, _LEAST_SIDE), across, -(-len(shown) // across))
    return sized(draw, panels, width, height)


def _panel(alt: Any, line: ModelScore, most: float, model: Any, area: Area, *, first: bool) -> Any:
    # The same for both axes, and for every layer: axes that differ are merged, and lose their ticks.
    unit: dict[str, Any] = {
        "scale": alt.Scale(domain=[0, 1], nice=False),
        "axis": alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", labelFlush=False, labelOverlap=False),
    }
    name = "observed" if first else None
    x = alt.X("predicted:Q", title="predicted", **unit)
    y = alt.Y("observed:Q", title=name, **unit)
    colour = alt.Color(
        "outcome:N",
        scale=alt.Scale(domain=["decided", "tie"], range=list(PALETTE[:2])),
        legend=alt.Legend(title=None, orient="top", direction="horizontal", symbolOpacity=1),
    )
    size = alt.Size("judgments:Q", scale=alt.Scale(domain=[0, most], range=[12, 160]), legend=None)
    base = alt.Chart(alt.Data(values=_rows(line))).encode(x=x, color=colour)
    diagonal = alt.Chart(alt.Data(values=[{"predicted": 0, "observed": 0}, {"predicted": 1, "observed": 1}]))
    layers = [
        diagonal.mark_line(color=INK, strokeWidth=1, strokeDash=[4, 3], opacity=0.5).encode(x=x, y=y),
        base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(y=alt.Y("from:Q", title=name, **unit), y2="to:Q"),
        base.mark_point(filled=True, opacity=0.85).encode(y=y, size=size),
    ]
    return alt.layer(*layers).properties(width=area.width, height=area.height, title=model)


def _rows(line: ModelScore) -> list[dict[str, Any]]:
    return [
        {
            "outcome": b.outcome,
            "predicted": b.predicted,
            "observed": b.observed,
            "judgments": b.judgments,
            "from": max(0.0, b.observed - 2 * (b.error or 0)),
            "to": min(1.0, b.observed + 2 * (b.error or 0)),
        }
        for b in line.calibration
    ]
