"""A plan: what a target takes, and what a campaign shows on the way there."""

from __future__ import annotations

import math
from typing import Any

from ...design.planning.result import Plan, Point
from ..plan import summary, title_of
from .sizes import Area, Panels, heading, sized
from .theme import INK, PALETTE, PERCENT, altair, themed

_WIDTH, _HEIGHT = 420, 260
_MEASURES = {
    "pairs": "pairs of systems separated", "clusters": "clusters", "widest": "ranks in the widest range",
    "best": "the best is separated",
}  # fmt: skip


def plan_plot(
    plan: Plan,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """Two panels over judgments: the measure (mean of campaigns, and 80 % of them), and the share that is there.

    A dashed line is the target, a point the answer; its bar is the 95 % Monte Carlo interval.

    Parameters
    ----------
    title
        Instead of the target in words.
    group
        What the judgments are of, in words.
    width, height
        Of the whole picture, in pixels; by default what it needs.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    alt = altair()
    name = title or title_of(plan, group)
    pad = {"left": 10, "top": 10, "right": 16, "bottom": 10}
    chance = plan.target.kind == "best"
    panels = [_reached] if chance else [_measure, _reached]

    def draw(area: Area, width: int | None) -> Any:
        head = heading(alt, name, [summary(plan), _words(plan)], width)
        drawn = [panel(alt, plan, area) for panel in panels]
        return themed(alt.hconcat(*drawn, spacing=28).properties(title=head, padding=pad))

    return sized(draw, Panels(Area(_WIDTH, _HEIGHT), Area(160, 110), across=len(panels)), width, height)


def _words(plan: Plan) -> str:
    if plan.target.kind == "best":
        return "dashed: the target; point and bar: the answer, and its 95 % Monte Carlo interval"
    return (
        "line: mean of campaigns; band: 10 to 90 % of them; dashed: the target; point and bar: the answer, and its "
        "95 % Monte Carlo interval"
    )


def _measure(alt: Any, plan: Plan, area: Area) -> Any:
    """The mean of campaigns, the middle 80 % of them, and the target."""
    share = plan.target.kind == "pairs"
    scale = alt.Scale(domain=[0, 1]) if share else alt.Scale(zero=False)
    axis = alt.Axis(labelExpr=PERCENT) if share else alt.Axis(tickMinStep=1)
    y = alt.Y("mean:Q", title=_MEASURES[plan.target.kind], scale=scale, axis=axis)
    base = alt.Chart(alt.Data(values=_rows(plan))).encode(x=_x(alt, plan))
    layers = [
        base.mark_area(color=PALETTE[0], opacity=0.15).encode(
            y=alt.Y("low:Q", title=_MEASURES[plan.target.kind]), y2="high:Q"
        ),
        base.mark_line(color=PALETTE[0], strokeWidth=2).encode(y=y),
        _target(alt, float(plan.target.value or 0)),
    ]
    if plan.sure is None:
        layers += _answer(alt, plan, float(plan.target.value or 0))
    return alt.layer(*layers).properties(width=area.width, height=area.height)


def _reached(alt: Any, plan: Plan, area: Area) -> Any:
    """The share of campaigns that are there."""
    chance = plan.target.kind == "best" and plan.target.value is not None
    name = "campaigns whose first system is truly best" if chance else "campaigns that are there"
    y = alt.Y("reached:Q", title=name, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(labelExpr=PERCENT))
    base = alt.Chart(alt.Data(values=_rows(plan))).encode(x=_x(alt, plan))
    layers = [base.mark_line(color=PALETTE[2], strokeWidth=2).encode(y=y)]
    level = plan.target.value if chance else plan.sure
    if level is not None:
        layers += [_target(alt, level), *_answer(alt, plan, level)]
    return alt.layer(*layers).properties(width=area.width, height=area.height)


def _target(alt: Any, level: float) -> Any:
    data = alt.Data(values=[{"level": level}])
    return alt.Chart(data).mark_rule(color=INK, strokeDash=[5, 4], strokeWidth=1, opacity=0.6).encode(y="level:Q")


def _answer(alt: Any, plan: Plan, level: float) -> list[Any]:
    needed = plan.needed
    if needed.judgments is None or not needed.judgments:
        return []
    most = _rows(plan)[-1]["judgments"]
    low, high = (None if each is None else each * plan.comparisons for each in needed.between)
    row = {"at": needed.judgments, "from": low, "to": most if high is None else min(high, most), "level": level}
    base = alt.Chart(alt.Data(values=[row])).encode(y="level:Q")
    return [
        base.mark_rule(color=PALETTE[1], strokeWidth=4, opacity=0.45).encode(x="from:Q", x2="to:Q"),
        base.mark_point(color=PALETTE[1], filled=True, size=70, opacity=1).encode(x="at:Q"),
    ]


def _x(alt: Any, plan: Plan) -> Any:
    rows = _rows(plan)
    low, high = rows[0]["judgments"], rows[-1]["judgments"]
    name = "further judgments" if plan.done else "judgments"
    ticks = [
        digit * 10**power for power in range(int(math.log10(low)), int(math.log10(high)) + 1) for digit in (1, 2, 5)
    ]
    axis = alt.Axis(values=[tick for tick in ticks if low <= tick <= high], format="~s", labelOverlap=True)
    return alt.X("judgments:Q", title=name, scale=alt.Scale(type="log", domain=[low, high], nice=False), axis=axis)


def _rows(plan: Plan) -> list[dict[str, Any]]:
    """The points of the curve that a logarithmic axis has room for: those from where it begins to rise."""
    points = [point for point in plan.curve if point.judgments > 0]
    if len(points) > 2 and points[1].judgments > 5 * points[0].judgments:
        points = points[1:]  # the first look of all, far from where anything happens
    return [_row(point) for point in points]


def _row(point: Point) -> dict[str, Any]:
    return {name: getattr(point, name) for name in ("judgments", "mean", "low", "high", "reached")}
