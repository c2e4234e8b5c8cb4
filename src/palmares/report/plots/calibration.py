"""Calibration: predicted against observed shares."""

from __future__ import annotations

from typing import Any

from ...analysis.compare.comparison import Comparison, ModelScore
from ...errors import InputError
from .theme import INK, PALETTE, altair, themed

_SIDE = 190
_COLUMNS = 3


def calibration_plot(comparison: Comparison, *, title: str | None = None) -> Any:
    """One panel per model that predicts: of what was given this probability, the share that came true ± 2 errors.

    On the diagonal, a model is calibrated. The area of a dot is the number of judgments.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    shown = [line for line in comparison.lines if line.calibration]
    if not shown:
        raise InputError("none of the models predicts outcomes, so there is no calibration to draw; add bradley-terry")
    alt = altair()
    most = max(b.judgments for line in shown for b in line.calibration)
    panels = [_panel(alt, line, most, number) for number, line in enumerate(shown)]
    lines = [
        "of judgments with this predicted probability, the share that came true; bars: ± 2 standard errors",
        "on the dashed line, a model is calibrated; area of a dot: judgments",
    ]
    name = f"{comparison.lang_pair}: calibration" if comparison.lang_pair else "Calibration"
    head = alt.Title(title or name, subtitle=lines)
    pad = {"left": 10, "top": 10, "right": 16, "bottom": 10}
    chart = alt.concat(*panels, columns=min(_COLUMNS, len(panels)), spacing=24).resolve_scale(color="shared")
    return themed(chart.properties(title=head, padding=pad))


def _panel(alt: Any, line: ModelScore, most: float, number: int) -> Any:
    # The same for both axes, and for every layer: axes that differ are merged, and lose their ticks.
    unit: dict[str, Any] = {
        "scale": alt.Scale(domain=[0, 1], nice=False),
        "axis": alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", labelFlush=False, labelOverlap=False),
    }
    name = "observed" if number % _COLUMNS == 0 else None
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
    heading = alt.Title(line.model, fontSize=12, offset=6, anchor="start", frame="group")
    return alt.layer(*layers).properties(width=_SIDE, height=_SIDE, title=heading)


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
