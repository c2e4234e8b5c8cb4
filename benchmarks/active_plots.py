"""The picture of the study of active choice: clusters against judgments, by strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from palmares import plots
from palmares.report.plots.theme import INK, PALETTE, altair, themed

from .active_cells import Cell, saving
from .active_tables import curve, reference, screens, up_to

IMAGES = Path(__file__).parent.parent / "docs" / "images"
#: What is drawn, and in which colour.
STRATEGIES = ("open-boundaries", "information", "s14", "match-quality", "balanced", "baseline", "uniform")
COLOURS = dict(
    zip(STRATEGIES, (PALETTE[0], PALETTE[2], PALETTE[1], PALETTE[4], PALETTE[3], PALETTE[5], INK), strict=True)
)
_SHOWN, _STEP = 28_000, 2
#: Bands of all would hide each other.
_BANDS = ("open-boundaries", "uniform")


def draw(store: Path, folder: Path = IMAGES) -> None:
    """The picture, as far as there are runs."""
    plots.save(clusters(store), folder / "active-clusters.svg")


def clusters(store: Path) -> Any:
    """Mean number of clusters by the valid rule, pairs and five-way side by side."""
    alt = altair()
    panels = [_panel(alt, store, size) for size in (2, 5)]
    lines = [
        "mean number of clusters of 15 simulated systems, by the rule that is valid at every look, against judgments;",
        "dashed: 60 % of what uniform has at 50,000 judgments; bands of two standard errors",
    ]
    title = alt.Title("What choosing comparisons saves", subtitle=lines)
    return themed(
        alt.hconcat(*panels, spacing=36).properties(
            title=title, padding={"left": 10, "top": 10, "right": 16, "bottom": 10}
        )
    )


def _panel(alt: Any, store: Path, size: int) -> Any:
    cells = saving(0)
    values, ends = _lines(store, cells, size)
    whole = reference(store, cells, size, "any")
    target = 0.6 * float(whole[1][:, -1].mean()) if whole is not None else 1.0
    top = max(value["high"] for value in values)
    x = alt.X(
        "x:Q",
        title="judgments",
        scale=alt.Scale(domain=[0, _SHOWN], nice=False),
        axis=alt.Axis(values=list(range(0, _SHOWN, 5000)), labelExpr="format(datum.value, ',.0f')", ticks=False),
    )
    scale = alt.Scale(domain=[1, top], nice=False)
    base = alt.Chart(alt.Data(values=values)).encode(x=x, color=alt.Color("colour:N", scale=None), detail="strategy:N")
    rule = (
        alt.Chart(alt.Data(values=[{"y": target}]))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(y=alt.Y("y:Q", scale=scale))
    )
    layers = [
        base.transform_filter("datum.band")
        .mark_area(opacity=0.18)
        .encode(y=alt.Y("low:Q", scale=scale, title="clusters"), y2="high:Q"),
        rule,
        base.mark_line().encode(
            y=alt.Y("y:Q", scale=scale, title="clusters"), strokeWidth=alt.StrokeWidth("weight:Q", scale=None)
        ),
        alt.Chart(alt.Data(values=ends)).mark_text(align="left", dx=5, fontSize=11).encode(
            x=x, y=alt.Y("label:Q", scale=scale), text="strategy:N", color=alt.Color("colour:N", scale=None)
        ),
    ]  # fmt: skip
    title = alt.Title(screens(size), fontSize=12, color=INK)
    return alt.layer(*layers).properties(width=380, height=300, title=title)


def _lines(store: Path, cells: list[Cell], size: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Points of the curves, and the names at their ends, none on another."""
    values, ends = [], []
    for name in STRATEGIES:
        code = "own" if name == "uniform" else "package"
        [cell] = [c for c in cells if (c.size, c.strategy, c.code, c.rule) == (size, name, code, "any")]
        found = curve(store, cell, "any")
        if found is None:
            continue
        looks, seen = up_to(found, _SHOWN)
        mean, error = seen.mean(axis=0), seen.std(axis=0, ddof=1) / np.sqrt(len(seen))
        own = {
            "strategy": name,
            "colour": COLOURS[name],
            "weight": 3.0 if name == STRATEGIES[0] else 1.6,
            "band": name in _BANDS,
        }
        points = list(zip(looks.tolist(), mean.tolist(), error.tolist(), strict=True))
        values += [
            {**own, "x": a, "y": m, "low": max(m - 2 * e, 1.0), "high": m + 2 * e} for a, m, e in points[::_STEP]
        ]
        ends.append({**own, "x": points[-1][0], "y": points[-1][1]})
    return values, _apart(ends, max(value["high"] for value in values) - 1)


def _apart(ends: list[dict[str, Any]], height: float) -> list[dict[str, Any]]:
    """Names moved up until they are a line of text apart, where they end at about the same judgments."""
    least, placed = height * 0.045, []
    for end in sorted(ends, key=lambda end: float(end["y"])):
        near = [other["label"] for other in placed if abs(other["x"] - end["x"]) < 0.3 * _SHOWN]
        placed.append({**end, "label": max([end["y"], *(label + least for label in near)])})
    return placed
