"""The pictures of the studies of judges who differ: what noise costs, and how narrow ranges are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from palmares.judgments import FloatArray
from palmares.report.plots.theme import INK, PALETTE, altair, themed

IMAGES = Path(__file__).parent.parent / "docs" / "images"
_PAD = {"left": 10, "top": 10, "right": 16, "bottom": 10}


def noise(tables: Mapping[str, Mapping[str, FloatArray]], shares: Sequence[float]) -> Any:
    """The mean correlation lost at every share of noise: one panel for each kind of judgments, one line a model.

    Parameters
    ----------
    tables
        By kind of judgments and model, the correlation in every draw at every share: arrays (draws, shares).
    """
    alt = altair()
    models = list(dict.fromkeys(model for of in tables.values() for model in of))
    colours = dict(zip(models, (*PALETTE, INK), strict=False))
    panels = [_noise_panel(alt, label, of, shares, colours) for label, of in tables.items()]
    rows = [alt.hconcat(*panels[lo : lo + 3], spacing=18) for lo in range(0, len(panels), 3)]
    lines = [
        "Pearson's r with the gold scores, less that without noise, by the share of judges who answer at random;",
        "every panel has a scale of its own",
    ]
    title = alt.Title("What do judges at random cost?", subtitle=lines)
    chart = alt.vconcat(_legend(alt, colours), *rows, spacing=16).properties(title=title, padding=_PAD)
    return themed(chart)


def _noise_panel(
    alt: Any, label: str, of: Mapping[str, FloatArray], shares: Sequence[float], colours: Mapping[str, str]
) -> Any:
    values = [
        {"model": model, "share": share, "lost": float(change), "colour": colours[model]}
        for model, table in of.items()
        for share, change in zip(shares, np.nanmean(table - table[:, :1], axis=0), strict=True)
    ]
    percent = alt.Axis(labelExpr="format(100 * datum.value, '~g') + ' %'", ticks=False, values=list(shares))
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("share:Q", title=None, axis=percent),
        y=alt.Y("lost:Q", title=None, axis=alt.Axis(ticks=False, domain=False, tickCount=5)),
        color=alt.Color("colour:N", scale=None),
        detail="model:N",
    )
    title = alt.Title(label, fontSize=11, fontWeight="normal", color=INK, frame="group", offset=6)
    marks = alt.layer(base.mark_line(strokeWidth=1.8), base.mark_point(filled=True, size=24, opacity=1))
    return marks.properties(width=210, height=150, title=title)


def widths(sizes: Mapping[tuple[int, int], Mapping[str, Sequence[tuple[str, float, float]]]]) -> Any:
    """How many ranks a range has: one panel for outputs and number of judges, one line a model.

    Parameters
    ----------
    sizes
        By outputs and judges, and by model: the share at random as text, the mean size, and its standard error.
    """
    alt = altair()
    models = list(dict.fromkeys(model for of in sizes.values() for model in of))
    colours = dict(zip(models, (*PALETTE, INK), strict=False))
    panels = [_widths_panel(alt, key, of, colours) for key, of in sizes.items()]
    rows = [alt.hconcat(*panels[lo : lo + 3], spacing=18) for lo in range(0, len(panels), 3)]
    lines = ["mean number of ranks in a 95 % range of ten systems, by the share of judges who answer at random;",
             "bars of two standard errors"]  # fmt: skip
    title = alt.Title("How narrow are ranges where judges differ?", subtitle=lines)
    chart = alt.vconcat(_legend(alt, colours), *rows, spacing=16).properties(title=title, padding=_PAD)
    return themed(chart)


def _widths_panel(
    alt: Any, key: tuple[int, int], of: Mapping[str, Sequence[tuple[str, float, float]]], colours: Mapping[str, str]
) -> Any:
    values = [
        {"model": model, "share": share, "size": size, "low": size - 2 * error, "high": size + 2 * error,
         "colour": colours[model]}
        for model, line in of.items()
        for share, size, error in line
    ]  # fmt: skip
    scale = alt.Scale(domain=[2, 6], clamp=True)
    axis = alt.Axis(ticks=False, domain=False, tickCount=5)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("share:O", title=None, axis=alt.Axis(labelAngle=0, ticks=False)),
        color=alt.Color("colour:N", scale=None),
        detail="model:N",
    )
    y = alt.Y("size:Q", title=None, scale=scale, axis=axis)
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.5).encode(
        y=alt.Y("low:Q", title=None, scale=scale, axis=axis), y2="high:Q"
    )
    outputs, judges = key
    words = f"{'rankings of five' if outputs > 2 else 'pairs'}, {judges} judges"
    title = alt.Title(words, fontSize=11, fontWeight="normal", color=INK, frame="group", offset=6)
    points = base.mark_point(filled=True, size=36, opacity=1).encode(y=y)
    return alt.layer(bars, base.mark_line().encode(y=y), points).properties(width=210, height=140, title=title)


def _legend(alt: Any, colours: Mapping[str, str]) -> Any:
    """The models in one line, each in its colour."""
    step, width = 118, 118 * len(colours)
    values = [{"model": model, "x": step * i, "colour": colour} for i, (model, colour) in enumerate(colours.items())]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, width])), color=alt.Color("colour:N", scale=None)
    )
    mark = base.mark_point(filled=True, size=60, opacity=1)
    text = base.mark_text(align="left", dx=9, fontSize=11).encode(text="model:N")
    return alt.layer(mark, text).properties(width=width, height=14)
