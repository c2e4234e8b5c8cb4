"""Rank ranges: who can be told from whom."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...errors import InputError
from ...ranking.result import Ranking
from ..tables import group_of, group_title, score_text
from .rows import PAD, Rows, cluster_colour, lines_told, made_of, row_panels
from .sizes import Area, heading, sized
from .theme import INK, altair, themed


def rank_ranges(
    ranking: Ranking,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """One bar per system, from the first to the last rank of its range, a dot at its rank.

    A thin line goes as far as the range that holds for all systems at once. Systems of neighbouring clusters have
    different colours; a solid line stands between clusters where that holds jointly, a dashed one where it holds only
    by itself. The more systems, the higher the picture and the lower the rows; long names lose their middle.

    Parameters
    ----------
    title
        Instead of the group.
    group
        What the judgments are of, in words; by default the language pair.
    width, height
        Of the whole picture, in pixels; by default what it needs.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    if not ranking.ranged:
        raise InputError("a ranking without resampling has no rank ranges to draw; use --resample ranking")
    name = title or group or group_title(group_of(ranking)) or "Rank ranges"
    return sized(partial(_chart, altair(), ranking, name), row_panels(len(ranking.lines)), width, height)


def _chart(alt: Any, ranking: Ranking, title: str, area: Area, width: int | None) -> Any:
    head = heading(alt, title, _words(ranking), width)
    rows = Rows(alt, ranking.systems, area, width)
    sizes, y = rows.sizes, rows.y()
    base = alt.Chart(alt.Data(values=_bars(ranking, rows))).encode(y=y, color=alt.Color("colour:N", scale=None))
    x = {"scale": rows.rank_scale(), "axis": rows.rank_axis()}
    joint = base.mark_rule(strokeWidth=max(1.0, sizes.bar / 8), opacity=0.6).encode(
        x=alt.X("joint_from:Q", **x), x2="joint_to:Q"
    )
    layers = [
        *rows.cluster_lines(ranking, y),
        *([] if ranking.jointly else [joint]),
        base.mark_bar(height=sizes.bar, cornerRadius=3, opacity=0.35).encode(x=alt.X("from:Q", **x), x2="to:Q"),
        base.mark_point(filled=True, size=sizes.dot, opacity=1).encode(x=alt.X("place:Q", **x)),
        base.mark_text(align="left", dx=8, fontSize=sizes.font).encode(
            x=alt.value(area.width), text="score:N", color=alt.value(INK)
        ),
    ]
    return themed(alt.layer(*layers).properties(width=area.width, height=area.height, padding=PAD, title=head))


def _bars(ranking: Ranking, rows: Rows) -> list[dict[str, Any]]:
    return [
        {
            "system": rows.shown[line.system],
            # Almost half a place beyond both ends, so that a range of one rank is still a bar.
            "from": shown_range[0] - 0.42,
            "to": shown_range[1] + 0.42,
            "joint_from": (line.joint_range or shown_range)[0] - 0.42,
            "joint_to": (line.joint_range or shown_range)[1] + 0.42,
            "place": place,
            "score": score_text(line.score),
            "colour": cluster_colour(ranking, line),
        }
        for place, line in enumerate(ranking.lines, 1)
        if (shown_range := ranking.range_of(line)) is not None
    ]


def _words(ranking: Ranking) -> list[str]:
    made = made_of(ranking)
    if ranking.jointly:
        return [
            made,
            "bar: rank range, all of which hold at once; dot: rank by score; number: score; line: new cluster",
        ]
    return [
        made,
        "bar: rank range; thin line: the range that holds for all systems at once; dot: rank by score; number: score",
        *lines_told(ranking),
    ]
