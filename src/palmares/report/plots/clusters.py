"""The number of clusters against the number of judgments (Sakaguchi et al. 2014, Figure 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...analysis.clusters import ClusterCurve, ClusterPoint
from ...errors import InputError
from ...experiments.base import Reproduction
from ..tables import group_of, group_title
from .reproduced import quick_note
from .sizes import Area, Panels, heading, labels, room_for_names, sized
from .theme import INK, LABEL, PALETTE, altair, themed, titled

#: Where there are at most so many times as many systems as clusters, a line shows their number.
_NEAR = 1.5
_USUAL, _LEAST = Area(440, 280), Area(160, 110)
#: What a name in the legend may take.
_LEGEND = 400
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_SHAPES = ("circle", "square", "diamond", "triangle-up")
_PAD = {"left": 10, "top": 10, "right": 16, "bottom": 10}


def curve_of_experiment(found: Reproduction) -> ClusterCurve:
    """The curve that the experiment ``s14-clusters`` measured."""
    rows = [row for row in found.rows if row.group == "clusters" and row.at and row.measured is not None]
    if not rows:
        raise InputError(f"the experiment {found.id!r} has no clusters by judgments; s14-clusters has")
    lines: dict[str, list[ClusterPoint]] = {}
    for row in rows:
        mean, error = float(row.measured or 0), row.error or 0.0
        lines.setdefault(row.label, []).append(ClusterPoint(_number(row.at), mean, mean - error, mean + error))
    spread = f"± standard error over {rows[0].n} random sets of judgments"
    made = "; ".join([found.reference, *quick_note(found), found.notes[0]])
    return ClusterCurve({name: tuple(points) for name, points in lines.items()}, None, spread, made)


def _number(size: str) -> int:
    """``25k``, ``1,500``."""
    return 1000 * int(size[:-1]) if size.endswith("k") else int(size.replace(",", ""))


def cluster_curve(
    curve: ClusterCurve,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """A line per model: the mean number of clusters of random sets of so many judgments.

    Bars, side by side where there are several models, show how far sets of one size differ.

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
    name = title or titled(group or group_title(group_of(curve)), "clusters by judgments")

    def draw(area: Area, width: int | None) -> Any:
        names = labels(list(curve.lines), LABEL, min(_LEGEND, room_for_names(width)))
        head = heading(alt, name, _words(curve), width)
        return themed(_panel(alt, curve, names, area, width).properties(title=head, padding=_PAD))

    return sized(draw, Panels(_USUAL, _LEAST), width, height)


def _panel(alt: Any, curve: ClusterCurve, names: Mapping[str, str], area: Area, width: int | None) -> Any:
    points = [point for line in curve.lines.values() for point in line]
    most = max(point.judgments for point in points)
    highest = max(point.high for point in points)
    systems = curve.systems if curve.systems is not None and curve.systems <= _NEAR * highest else None
    top = max(highest, systems or 0) + 0.5
    axis = alt.Axis(format="~s" if width is not None else ",d", tickCount=max(3, round(area.width / 80)), grid=False)
    x = alt.X("place:Q", title="judgments", scale=alt.Scale(domain=[0, 1.03 * most], nice=False), axis=axis)
    count = {"scale": alt.Scale(domain=[0, top], nice=False), "axis": alt.Axis(tickMinStep=1, format="d")}
    y = alt.Y("mean:Q", title="clusters", **count)
    apart = _told_apart(alt, names)
    data = alt.Data(values=_rows(curve, names, 4 * most / area.width))
    base = alt.Chart(data).encode(x=x, color=apart["color"])
    layers = [
        base.mark_rule(strokeWidth=1.6, opacity=0.55).encode(y=alt.Y("low:Q", title="clusters", **count), y2="high:Q"),
        # Each by itself: a line with shapes gets points of its own, and so does a bar.
        base.mark_line(strokeWidth=1.8).encode(y=y, strokeDash=apart["strokeDash"]),
        base.mark_point(filled=True, size=42, opacity=1).encode(y=y, shape=apart["shape"]),
    ]
    if systems is not None:
        layers.insert(0, _all_apart(alt, systems))
    return alt.layer(*layers).properties(width=area.width, height=area.height)


def _all_apart(alt: Any, systems: int) -> Any:
    """A line where every system is a cluster of its own."""
    base = alt.Chart(alt.Data(values=[{"mean": systems, "text": f"{systems} systems"}])).encode(y="mean:Q")
    words = base.mark_text(align="left", dy=9, fontSize=LABEL - 1, color=INK)
    return alt.layer(
        base.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.5),
        words.encode(x=alt.value(4), text="text:N"),
    )


def _told_apart(alt: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """By colour, shape and dashes, for print without colours; a single line needs no legend."""
    shown = list(names.values())
    legend = alt.Legend(title=None, orient="bottom", columns=1, labelLimit=0, symbolOpacity=1, symbolStrokeWidth=0)
    legend = legend if len(shown) > 1 else None

    def scale(values: Any) -> Any:
        return alt.Scale(domain=shown, range=[values[k % len(values)] for k in range(len(shown))])

    return {
        "color": alt.Color("model:N", scale=scale(PALETTE), legend=legend),
        "shape": alt.Shape("model:N", scale=scale(_SHAPES), legend=legend),
        "strokeDash": alt.StrokeDash("model:N", scale=scale(_DASHES), legend=None),
    }


def _rows(curve: ClusterCurve, names: Mapping[str, str], step: float) -> list[dict[str, Any]]:
    """Models stand side by side at every size, a few pixels (``step``) apart."""
    middle = (len(curve.lines) - 1) / 2
    return [
        {
            "model": names[model], "place": point.judgments + (number - middle) * step,
            "judgments": point.judgments, "mean": point.mean, "low": point.low, "high": point.high,
        }
        for number, (model, points) in enumerate(curve.lines.items()) for point in points
    ]  # fmt: skip


def _words(curve: ClusterCurve) -> list[str]:
    several = len(curve.lines) > 1
    return [
        curve.made if several else f"{next(iter(curve.lines))}, {curve.made}",
        f"points: means; bars: {curve.spread}",
        *(note for note in curve.notes if "sets not ranked" in note),
    ]
