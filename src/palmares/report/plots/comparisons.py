"""Models beside each other: a dot with its error for every model and measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...analysis.compare.comparison import Comparison, Measure
from ..tables import group_of, group_title
from .sizes import Area, Panels, broken, heading, labels, room_for_names, sized
from .theme import INK, LABEL, PALETTE, altair, themed, titled

_ROW, _LEAST_ROW = 24, 14
_PANEL, _LEAST_PANEL, _GAP = 240, 110, 22
_MEASURES = {
    "accuracy_clusters": "accuracy by clusters",
    "accuracy_outcome": "accuracy by most probable outcome",
    "perplexity": "perplexity (less is better)",
}
#: What models are measured against; drawn grey, unless one of them is best.
_FLOORS = ("uniform", "adjusted-uniform")


def model_comparison(
    comparison: Comparison,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """One panel per measure, one row per model: the mean over held-out judgments, and the distance from the best.

    Bars are 95 % intervals of the distance from the best model (Student's t), so a bar that reaches the thin line of
    the best is no evidence against a model. A dashed line is the oracle over all folds, which a model that is trained
    fold by fold can exceed. Baselines are grey, unless one of them is best. What would squeeze the other models
    together is not drawn to scale: an arrow at the edge tells its value.

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
    models = [line.model for line in comparison.lines if any(line.measure(m) for m in _MEASURES)]
    shown = [m for m in _MEASURES if any(line.measure(m) for line in comparison.lines)]
    name = title or titled(group or group_title(group_of(comparison)), "models on held-out judgments")
    pad = {"left": 10, "top": 10, "right": 16, "bottom": 10}

    def draw(area: Area, width: int | None) -> Any:
        names = labels(models, LABEL, room_for_names(width))
        head = heading(alt, name, _words(comparison), width)
        panels = [_panel(alt, comparison, measure, names, area, number == 0) for number, measure in enumerate(shown)]
        chart = alt.hconcat(*panels, spacing=_GAP) if len(panels) > 1 else panels[0]
        return themed(chart.properties(title=head, padding=pad))

    rows = len(models)
    panels = Panels(Area(_PANEL, _ROW * rows), Area(_LEAST_PANEL, _LEAST_ROW * rows), across=len(shown))
    return sized(draw, panels, width, height)


def _panel(alt: Any, comparison: Comparison, measure: str, names: Mapping[str, str], area: Area, first: bool) -> Any:
    """The panel of one measure; only the first one names the models."""
    order = list(names.values())
    axis = alt.Axis(ticks=False, domain=False, labelLimit=0, offset=4, labels=first)
    y = alt.Y("model:N", sort=order, title=None, axis=axis, scale=alt.Scale(domain=order))
    low, high = _domain(comparison, measure)
    scale = alt.Scale(domain=[low, high], nice=False, zero=False, clamp=True)
    rows, beyond = _rows(comparison, measure, names, (low, high))
    x = alt.X(
        "value:Q",
        title=broken(_MEASURES[measure], LABEL, area.width + _GAP),
        scale=scale,
        axis=alt.Axis(tickCount=max(2, round(area.width / 60))),
    )
    base = alt.Chart(alt.Data(values=rows)).encode(y=y, color=alt.Color("colour:N", scale=None))
    best = alt.Chart(alt.Data(values=[{"value": row["value"]} for row in rows if row["best"]]))
    layers = [
        best.mark_rule(color=PALETTE[1], strokeWidth=1, opacity=0.7).encode(x=alt.X("value:Q")),
        base.mark_rule(strokeWidth=2, opacity=0.45).encode(x=alt.X("from:Q", scale=scale), x2="to:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x),
    ]
    if measure != "perplexity":
        oracle = alt.Chart(alt.Data(values=[{"value": comparison.oracle.value}]))
        layers.insert(0, oracle.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.6).encode(x=alt.X("value:Q")))
    for side, place in (("left", 2), ("right", area.width - 2)):
        words = alt.Chart(alt.Data(values=[word for word in beyond if word["side"] == side]))
        far = words.mark_text(fontSize=11, color="#57606a", align=side)
        layers += [far.encode(y=y, x=alt.value(place), text="text:N")] if beyond else []
    return alt.layer(*layers).properties(width=area.width, height=area.height)


def _domain(comparison: Comparison, measure: str) -> tuple[float, float]:
    """Wide enough for the oracle, the best and all models but the floors and what is worse than uniform guessing."""
    measures = {line.model: m for line in comparison.lines if (m := line.measure(measure))}
    real = [m for model, m in measures.items() if model not in _FLOORS]
    if measure == "perplexity":
        real = [m for m in real if m.value < 3]
    best = [m for m in measures.values() if m.difference == 0]
    ends = [end for m in [*best, *(real or measures.values())] for end in _bar(m, comparison.df).values()]
    if measure != "perplexity":
        ends.append(comparison.oracle.value)
    margin = 0.08 * (max(ends) - min(ends)) or 0.01
    return min(ends) - margin, max(ends) + margin


def _rows(
    comparison: Comparison, measure: str, names: Mapping[str, str], ends: tuple[float, float]
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The dots, and words for the models that lie outside the panel."""
    rows: list[dict[str, Any]] = []
    beyond: list[dict[str, str]] = []
    for line in comparison.lines:
        mean = line.measure(measure)
        if mean is None:
            continue
        if mean.value < ends[0]:
            beyond.append({"model": names[line.model], "side": "left", "text": f"◂ {mean.value:.3f}"})
        elif mean.value > ends[1]:
            beyond.append({"model": names[line.model], "side": "right", "text": f"{mean.value:.3f} ▸"})
        else:
            best = mean.difference == 0
            colour = {"colour": _colour(line.model, best), "best": best}
            rows.append({"model": names[line.model], "value": mean.value, **_bar(mean, comparison.df), **colour})
    return rows, beyond


def _bar(mean: Measure, df: int) -> dict[str, float]:
    from scipy.special import stdtrit

    reach = float(stdtrit(df, 0.975)) * (mean.difference_error or 0) if df > 0 else 0.0
    return {"from": mean.value - reach, "to": mean.value + reach}


def _colour(model: str, best: bool) -> str:
    if best:
        return PALETTE[1]
    return "#8b949e" if model in _FLOORS else PALETTE[0]


def _words(comparison: Comparison) -> list[str]:
    facts = comparison.record.facts
    split = f"{facts['folds']} folds by {facts['by']}" if facts["folds"] > 1 else "judges who were not trained on"
    over = " over all folds" if facts["folds"] > 1 else ""
    return [
        f"{comparison.judgments:,} held-out judgments, {split}; orange: best of a panel; grey: baselines",
        "bars: 95 % intervals of the distance from the best; arrows: values off the scale",
        f"dashed line: oracle, the most frequent outcome of each pair{over}",
    ]
