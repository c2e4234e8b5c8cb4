"""How often every two systems met (Sakaguchi et al. 2014, Figures 5–7)."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...analysis.meetings import Meetings, Part
from ..tables import group_of, group_title
from .grids import LOWEST_CELL, Grid, usual_cell
from .sizes import Area, Panels, heading, sized
from .theme import FAINT, INK, LABEL, altair, themed, titled

_GAP = 18
#: In a narrower picture, maps stand below each other.
_WIDE = 760
#: All cells of a panel take about so many pixels.
_SIDE = 260
#: From seldom to often: darker, in print without colours too.
_OFTEN = ("#f3f7fa", "#9ecae1", "#0072B2", "#08306b")
_PAD = {"left": 10, "top": 10, "right": 16, "bottom": 10}


def meeting_maps(
    meetings: Meetings,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """A heat map for all judgments, the first and the last of them: of each, the share between every two systems.

    All maps have one scale of colours, and the systems in one order.

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
    n = len(meetings.systems)
    name = title or titled(group or group_title(group_of(meetings)), "which systems met")
    side = usual_cell(n, _SIDE) * n
    across = len(meetings.parts) if width is None or width >= _WIDE else 1
    least = Area(max(LOWEST_CELL * n / 2, 60), LOWEST_CELL * n)
    panels = Panels(Area(side, side), least, across, -(-len(meetings.parts) // across))
    return sized(partial(_chart, altair(), meetings, name, height is None, across), panels, width, height)


def _chart(alt: Any, meetings: Meetings, name: str, free: bool, across: int, area: Area, width: int | None) -> Any:
    grid = Grid.of(alt, meetings.systems, area, width, free=free)
    most = max(float(part.share.max()) for part in meetings.parts)
    panels = [_panel(alt, part, grid, most, first=number % across == 0) for number, part in enumerate(meetings.parts)]
    head = heading(alt, name, _words(meetings), width)
    chart = alt.concat(*panels, columns=across, spacing=_GAP).resolve_scale(color="shared")
    return themed(chart.properties(padding=_PAD, title=head))


def _panel(alt: Any, part: Part, grid: Grid, most: float, *, first: bool) -> Any:
    n, share = len(grid.systems), part.share
    rows = [
        {
            "row": grid.rows[r], "column": grid.columns[c], "share": float(share[r, c]), "met": float(part.met[r, c]),
            "first": grid.systems[r], "second": grid.systems[c],
        }
        for r in range(n) for c in range(n) if r != c
    ]  # fmt: skip
    legend = alt.Legend(
        title="share", titleFontWeight="normal", orient="right", gradientThickness=12,
        gradientLength=min(grid.area.height, 160), labelExpr="format(100 * datum.value, '.2~f') + ' %'", tickCount=4,
    )  # fmt: skip
    scale = alt.Scale(domain=[0, most], range=list(_OFTEN), interpolate="rgb")
    y, x = grid.y(named=first), grid.x()
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y)
    diagonal = [{"row": row, "column": column} for row, column in zip(grid.rows, grid.columns, strict=True)]
    layers = [
        alt.Chart(alt.Data(values=diagonal)).mark_rect(color=FAINT, opacity=0.6).encode(x=x, y=y),
        base.mark_rect().encode(
            color=alt.Color("share:Q", scale=scale, legend=legend),
            tooltip=["first:N", "second:N", "met:Q", alt.Tooltip("share:Q", format=".2%")],
        ),
    ]
    style: dict[str, Any] = {"fontSize": LABEL, "color": INK, "anchor": "start", "frame": "group", "offset": 6}
    name = alt.Title(f"{part.name} ({part.judgments:,})", **style)
    return alt.layer(*layers).properties(width=grid.area.width, height=grid.area.height, title=name)


def _words(meetings: Meetings) -> list[str]:
    n = len(meetings.systems)
    return [
        "colour: of the judgments of a map, the share between the two systems; grey: a system and itself",
        f"if all pairs met equally often, every cell would be {200 / (n * (n - 1)):.2g} %",
        meetings.order,
    ]
