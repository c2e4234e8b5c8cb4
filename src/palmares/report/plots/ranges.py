"""Rank ranges: who can be told from whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from ...errors import InputError
from ...judgments import TWO_WAY
from ...ranking.result import Ranking
from ..tables import group_of, group_title, level_text, score_text
from .sizes import Area, Panels, heading, labels, room_for_names, sized
from .theme import INK, PALETTE, altair, themed

_WIDTH = 420
#: A row, in pixels: of few systems, of very many, and the least in which a name can be read.
_ROW, _LOW_ROW, _LOWEST_ROW = 26, 13, 8
#: What the ticks of a dozen ranks need of an axis, each.
_TICK = 25


@dataclass(frozen=True)
class _Sizes:
    """Of a row and of what is in it, in pixels (``dot``: its area)."""

    row: float

    @property
    def bar(self) -> float:
        return 12 * self.row / _ROW

    @property
    def dot(self) -> float:
        return 70 * min(self.row / _ROW, 1) ** 2

    @property
    def label(self) -> int:
        return int(min(12, 0.74 * self.row))

    @property
    def font(self) -> int:
        return int(min(11, 0.7 * self.row))


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
    alt, n = altair(), len(ranking.lines)
    name = title or group or group_title(group_of(ranking)) or "Rank ranges"
    row = max(_LOW_ROW, min(_ROW, 8 + 650 / n))
    panels = Panels(Area(_WIDTH, row * n), Area(120, _LOWEST_ROW * n))
    return sized(partial(_chart, alt, ranking, name), panels, width, height)


def _chart(alt: Any, ranking: Ranking, title: str, area: Area, width: int | None) -> Any:
    head = heading(alt, title, _words(ranking), width)
    sizes = _Sizes(area.height / len(ranking.lines))
    shown = labels(ranking.systems, sizes.label, room_for_names(width))
    names = list(shown.values())
    axis = alt.Axis(ticks=False, domain=False, labelLimit=0, labelFontSize=sizes.label, offset=4)
    y = alt.Y("system:N", sort=names, title=None, axis=axis)
    base = alt.Chart(alt.Data(values=_bars(ranking, shown))).encode(y=y, color=alt.Color("colour:N", scale=None))
    x = {"scale": alt.Scale(domain=[0.5, len(names) + 0.5], nice=False), "axis": _rank_axis(alt, len(names), area)}
    solid, dashed = (alt.Chart(alt.Data(values=each)) for each in _cluster_starts(ranking, shown))
    joint = base.mark_rule(strokeWidth=max(1.0, sizes.bar / 8), opacity=0.6).encode(
        x=alt.X("joint_from:Q", **x), x2="joint_to:Q"
    )
    layers = [
        solid.mark_rule(color=INK, opacity=0.6, yOffset=-sizes.row / 2).encode(y=y),
        dashed.mark_rule(color=INK, opacity=0.5, strokeDash=[4, 4], yOffset=-sizes.row / 2).encode(y=y),
        *([] if ranking.jointly else [joint]),
        base.mark_bar(height=sizes.bar, cornerRadius=3, opacity=0.35).encode(x=alt.X("from:Q", **x), x2="to:Q"),
        base.mark_point(filled=True, size=sizes.dot, opacity=1).encode(x=alt.X("place:Q", **x)),
        base.mark_text(align="left", dx=8, fontSize=sizes.font).encode(
            x=alt.value(area.width), text="score:N", color=alt.value(INK)
        ),
    ]
    pad = {"left": 10, "top": 10, "right": 12, "bottom": 10}
    return themed(alt.layer(*layers).properties(width=area.width, height=area.height, padding=pad, title=head))


def _bars(ranking: Ranking, shown: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "system": shown[line.system],
            # Almost half a place beyond both ends, so that a range of one rank is still a bar.
            "from": shown_range[0] - 0.42,
            "to": shown_range[1] + 0.42,
            "joint_from": (line.joint_range or shown_range)[0] - 0.42,
            "joint_to": (line.joint_range or shown_range)[1] + 0.42,
            "place": place,
            "score": score_text(line.score),
            "colour": PALETTE[((ranking.cluster_of(line) or 1) - 1) % 2],
        }
        for place, line in enumerate(ranking.lines, 1)
        if (shown_range := ranking.range_of(line)) is not None
    ]


def _cluster_starts(ranking: Ranking, shown: Mapping[str, str]) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The systems that a line is drawn above: a solid one, a dashed one."""
    begins = [boundary for boundary in ranking.boundaries if boundary.marginal]
    solid, dashed = (
        [{"system": shown[ranking.systems[b.above]]} for b in begins if b.joint == joint] for joint in (True, False)
    )
    return solid, [] if ranking.jointly else dashed


def _rank_axis(alt: Any, systems: int, area: Area) -> Any:
    """All ranks up to twenty; beyond that the first and every fifth, tenth, twentieth …, about a dozen.

    In a narrow plot fewer, so that no two touch.
    """
    dozen = min(12.0, area.width / _TICK)
    step = 1 if systems <= 20 * dozen / 12 else next(s for s in _steps() if systems <= dozen * s)
    ticks = [rank for rank in range(1, systems + 1) if rank == 1 or rank % step == 0]
    return alt.Axis(values=ticks, title="rank", format="d", labelOverlap=False)


def _steps() -> Iterator[int]:
    """5, 10, 20, 50, 100, 200 …"""
    return (lead * 10**power for power in count() for lead in (5, 10, 20))


def _words(ranking: Ranking) -> list[str]:
    made = f"{ranking.fit.model.id}, {ranking.judgments:,} judgments; {_source(ranking)}"
    if ranking.jointly:
        return [
            made,
            "bar: rank range, all of which hold at once; dot: rank by score; number: score; line: new cluster",
        ]
    lines = "line between clusters: solid if it holds jointly with the others, dashed if only by itself"
    return [
        made,
        "bar: rank range; thin line: the range that holds for all systems at once; dot: rank by score; number: score",
        *([lines] if any(boundary.marginal for boundary in ranking.boundaries) else []),
    ]


def _source(ranking: Ranking) -> str:
    facts = ranking.record.facts
    if facts["unit"] == "sign-test":
        return f"{'one' if facts['sided'] == 1 else 'two'}-sided sign tests, p ≤ {facts['p']:g}"
    level = level_text(facts["p"])
    if facts["unit"] == TWO_WAY:
        return f"{level}, of other judges and segments"
    share = f"{level} of {facts['resamples']}"
    if facts["unit"] in (None, "posterior"):
        return f"{share} {'runs' if facts['unit'] is None else 'posterior draws'}"
    return f"{share} bootstrap samples by {facts['unit']}"
