"""Head to head: a heat map of how often every system was judged better than every other."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...ranking.head_to_head import HeadToHead
from ...ranking.result import Ranking
from ..tables import group_of, group_title
from .grids import LOWEST_CELL, Grid, usual_cell
from .rows import lines_told
from .sizes import Area, Panels, heading, sized
from .theme import FAINT, INK, PALETTE, PERCENT, altair, themed, titled

#: Dark at both ends and almost white between them; people with the common kinds of colour blindness tell them apart.
_ROW_WINS, _MIDDLE, _COLUMN_WINS = PALETTE[0], "#f7f7f7", PALETTE[1]
#: Beyond these shares letters are white.
_DARK = (0.14, 0.88)
_PAD = {"left": 10, "top": 10, "right": 14, "bottom": 10}


def win_shares(
    compared: HeadToHead,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """A cell for every two systems: how often the column's was judged better than the row's, ties ignored.

    Systems stand in the order of the ranking. Blue is a win of the row's system, orange one of the column's; marks are
    those of a two-sided sign test. Lines stand between clusters. Where cells are small, only marks are written, or
    nothing.

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
    n = len(compared.systems)
    name = title or titled(group or group_title(group_of(compared.ranking)), "head to head")
    side = usual_cell(n) * n
    panels = Panels(Area(side, side), Area(LOWEST_CELL * n, LOWEST_CELL * n))
    return sized(partial(_chart, altair(), compared, name, height is None), panels, width, height)


def _chart(alt: Any, compared: HeadToHead, name: str, free: bool, area: Area, width: int | None) -> Any:
    grid = Grid.of(alt, compared.systems, area, width, free=free)
    written, font = _written(compared, grid)
    y, x = grid.y(), grid.x("beaten by")
    base = alt.Chart(alt.Data(values=_cells(compared, grid, written))).encode(x=x, y=y)
    legend = alt.Legend(
        title=None, orient="right", gradientLength=min(grid.area.height, 180), gradientThickness=12, labelExpr=PERCENT,
        values=[0, 0.25, 0.5, 0.75, 1],
    )  # fmt: skip
    scale = alt.Scale(domain=[0, 0.5, 1], range=[_ROW_WINS, _MIDDLE, _COLUMN_WINS], interpolate="rgb")
    layers = [
        base.transform_filter("!isValid(datum.share)").mark_rect(color=FAINT, opacity=0.5),
        base.transform_filter("isValid(datum.share)").mark_rect().encode(
            color=alt.Color("share:Q", scale=scale, legend=legend),
            tooltip=["better:N", "worse:N", "share:Q", "decided:Q", "p:Q"],
        ),
        *_cluster_lines(alt, compared.ranking, grid, y, x),
    ]  # fmt: skip
    if font is not None:
        ink = alt.Color("ink:N", scale=None)
        layers.append(base.mark_text(fontSize=font, baseline="middle").encode(text="text:N", color=ink))
    head = heading(alt, name, _words(compared, written), width)
    return themed(
        alt.layer(*layers).resolve_scale(color="independent")
        .properties(width=grid.area.width, height=grid.area.height, padding=_PAD, title=head)
    )  # fmt: skip


def _written(compared: HeadToHead, grid: Grid) -> tuple[str, float | None]:
    """What is written in cells, ``shares``, ``marks`` or nothing, and how large."""
    letters = 5 if (compared.share > 0.99).any() else 4
    if (font := grid.font(letters)) is not None:
        return "shares", font
    return "marks", grid.font(1)


def _cells(compared: HeadToHead, grid: Grid, written: str) -> list[dict[str, Any]]:
    n = len(compared.systems)
    return [_cell(compared, grid, r, c, written) for r in range(n) for c in range(n) if r != c]


def _cell(compared: HeadToHead, grid: Grid, r: int, c: int, written: str) -> dict[str, Any]:
    share, mark = float(compared.share[r, c]), compared.mark(r, c)
    met = not np.isnan(share)
    text = f"{share:.2f}".removeprefix("0") + mark if written == "shares" and met else mark
    return {
        "row": grid.rows[r],
        "column": grid.columns[c],
        "share": share if met else None,
        "text": text if met else "–",
        "ink": "white" if met and not _DARK[0] <= share <= _DARK[1] else INK,
        "better": compared.systems[c],
        "worse": compared.systems[r],
        "decided": float(compared.decided[r, c]),
        "p": float(compared.p[r, c]) if met else None,
    }


def _cluster_lines(alt: Any, ranking: Ranking, grid: Grid, y: Any, x: Any) -> list[Any]:
    """Between rows and between columns of different clusters."""
    layers = []
    for boundary in ranking.boundaries:
        if not boundary.marginal or (ranking.jointly and not boundary.joint):
            continue
        look: dict[str, Any] = {"color": INK, "strokeWidth": 1.2, "strokeDash": [1, 0] if boundary.joint else [4, 3]}
        data = alt.Data(values=[{"row": grid.rows[boundary.above], "column": grid.columns[boundary.above]}])
        base = alt.Chart(data)
        layers.append(base.mark_rule(yOffset=-grid.cell.height / 2, **look).encode(y=y))
        layers.append(base.mark_rule(xOffset=-grid.cell.width / 2, **look).encode(x=x))
    return layers


def _words(compared: HeadToHead, written: str) -> list[str]:
    shares = "number and colour" if written == "shares" else "colour"
    return [
        f"{compared.ranking.judgments:,} judgments; systems in the order of {compared.ranking.fit.model.id}",
        f"{shares}: how often the column's system was judged better than the row's, ties ignored; grey: never",
        "two-sided sign test: ⋆ p ≤ .10, † p ≤ .05, ‡ p ≤ .01",
        *lines_told(compared.ranking),
    ]
