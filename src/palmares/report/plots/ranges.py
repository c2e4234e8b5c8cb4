"""Rank ranges: who can be told from whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from ...errors import InputError
from ...ranking.result import Ranking
from ..tables import level_text, score_text
from .theme import FAINT, INK, PALETTE, altair, themed

_WIDTH = 420
#: Beyond so many systems all that is drawn in a row is smaller, or no screen would hold the plot.
_MANY = 60


@dataclass(frozen=True)
class _Sizes:
    """Of a row and of what is in it, in pixels (``dot``: its area)."""

    row: int = 26
    bar: int = 12
    dot: int = 70
    font: int = 11
    label: int = 12


_SMALL = _Sizes(row=12, bar=7, dot=24, font=8, label=9)


def rank_ranges(ranking: Ranking, *, title: str | None = None) -> Any:
    """One bar per system, from the first to the last rank of its range, a dot at its rank.

    Systems of neighbouring clusters have different colours, and a line stands between clusters.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    if not ranking.ranged:
        raise InputError("a ranking without resampling has no rank ranges to draw; use --resample ranking")
    alt = altair()
    names = list(ranking.systems)
    sizes = _SMALL if len(names) > _MANY else _Sizes()
    axis = alt.Axis(ticks=False, domain=False, labelLimit=420, labelFontSize=sizes.label, offset=4)
    y = alt.Y("system:N", sort=names, title=None, axis=axis)
    base = alt.Chart(alt.Data(values=_bars(ranking))).encode(y=y, color=alt.Color("colour:N", scale=None))
    x = {"scale": alt.Scale(domain=[0.5, len(names) + 0.5], nice=False), "axis": _rank_axis(alt, len(names))}
    starts = alt.Chart(alt.Data(values=_cluster_starts(ranking)))
    layers = [
        starts.mark_rule(color=FAINT, yOffset=-sizes.row / 2).encode(y=y),
        base.mark_bar(height=sizes.bar, cornerRadius=3, opacity=0.35).encode(x=alt.X("from:Q", **x), x2="to:Q"),
        base.mark_point(filled=True, size=sizes.dot, opacity=1).encode(x=alt.X("place:Q", **x)),
        base.mark_text(align="left", dx=8, fontSize=sizes.font).encode(
            x=alt.value(_WIDTH), text="score:N", color=alt.value(INK)
        ),
    ]
    pad = {"left": 10, "top": 10, "right": 12, "bottom": 10}
    chart = alt.layer(*layers).properties(width=_WIDTH, height=sizes.row * len(names), padding=pad)
    return themed(chart.properties(title=_title(alt, ranking, title)))


def _bars(ranking: Ranking) -> list[dict[str, Any]]:
    return [
        {
            "system": line.system,
            # Almost half a place beyond both ends, so that a range of one rank is still a bar.
            "from": line.range[0] - 0.42,
            "to": line.range[1] + 0.42,
            "place": place,
            "score": score_text(line.score),
            "colour": PALETTE[((line.cluster or 1) - 1) % 2],
        }
        for place, line in enumerate(ranking.lines, 1)
        if line.range is not None
    ]


def _cluster_starts(ranking: Ranking) -> list[dict[str, str]]:
    """The first system of every cluster but the first: a line is drawn above it."""
    neighbours = zip(ranking.lines, ranking.lines[1:], strict=False)
    return [{"system": line.system} for before, line in neighbours if (line.cluster or 0) > (before.cluster or 0)]


def _rank_axis(alt: Any, systems: int) -> Any:
    """All ranks up to twenty; beyond that the first and every fifth, tenth, twentieth …, about a dozen."""
    step = 1 if systems <= 20 else next(s for s in _steps() if systems <= 12 * s)
    ticks = [rank for rank in range(1, systems + 1) if rank == 1 or rank % step == 0]
    return alt.Axis(values=ticks, title="rank", format="d", labelOverlap=False)


def _steps() -> Iterator[int]:
    """5, 10, 20, 50, 100, 200 …"""
    return (lead * 10**power for power in count() for lead in (5, 10, 20))


def _title(alt: Any, ranking: Ranking, title: str | None) -> Any:
    subtitle = f"{ranking.fit.model.id}, {ranking.judgments:,} judgments; bars: {_source(ranking)}"
    legend = "dot: rank by score; number: score; colour changes where a cluster begins"
    return alt.Title(title or ranking.lang_pair or "Rank ranges", subtitle=[subtitle, legend])


def _source(ranking: Ranking) -> str:
    facts = ranking.record.facts
    if facts["unit"] == "sign-test":
        return f"{'one' if facts['sided'] == 1 else 'two'}-sided sign tests, p ≤ {facts['p']:g}"
    share = f"{level_text(facts['p'])} of {facts['resamples']}"
    if facts["unit"] in (None, "posterior"):
        return f"{share} {'runs' if facts['unit'] is None else 'posterior draws'}"
    return f"{share} bootstrap samples by {facts['unit']}"
