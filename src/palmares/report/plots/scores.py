"""Scores with their intervals: how far apart systems are."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...errors import InputError
from ...ranking.result import RankedSystem, Ranking
from ..tables import group_of, group_title, level_text, score_text
from .rows import PAD, Rows, cluster_colour, lines_told, made_of, row_panels
from .sizes import Area, heading, sized
from .theme import INK, altair, themed, titled

#: Systems of neighbouring clusters also have different shapes, for print without colours.
_SHAPES = ("circle", "diamond")
#: An interval is drawn no further from the scores of all systems than this many times their spread.
_FURTHEST = 1.0


def score_intervals(
    ranking: Ranking,
    *,
    inner: Ranking | None = None,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """One row per system: a dot at its score, whiskers as far as its interval.

    Systems of neighbouring clusters have different colours and shapes; lines stand between clusters as in the plot of
    rank ranges. An interval that goes far beyond the scores of all systems is cut, with an arrow.

    Parameters
    ----------
    inner
        The same ranking at another level, whose shorter intervals are drawn as thick lines within the others.
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
    if all(line.interval is None for line in ranking.lines):
        raise InputError("the scores of this ranking have no intervals to draw; use --resample auto")
    if inner is not None:
        _check(ranking, inner)
    name = title or titled(group or group_title(group_of(ranking)), "scores")
    return sized(partial(_chart, altair(), ranking, inner, name), row_panels(len(ranking.lines)), width, height)


def _check(ranking: Ranking, inner: Ranking) -> None:
    if inner.systems != ranking.systems:
        raise InputError("the inner intervals are of another ranking; give the same one at another level")
    if not inner.record.facts["p"] > ranking.record.facts["p"]:
        wide, narrow = (level_text(each.record.facts["p"]) for each in (ranking, inner))
        raise InputError(f"the inner intervals ({narrow}) must be of a lower level than the others ({wide})")


def _chart(alt: Any, ranking: Ranking, inner: Ranking | None, title: str, area: Area, width: int | None) -> Any:
    rows = Rows(alt, ranking.systems, area, width)
    low, high = _ends(ranking)
    cut = any(line.interval and not low <= line.interval[0] <= line.interval[1] <= high for line in ranking.lines)
    head = heading(alt, title, _words(ranking, inner, cut), width)
    margin = 0.03 * (high - low) or 0.5
    scale = alt.Scale(domain=[low - margin, high + margin], nice=False, zero=False)
    axis = alt.Axis(tickCount=max(3, round(area.width / 70)))
    x = {"scale": scale, "axis": axis, "title": "score"}
    y = rows.y()
    data = [_row(ranking, line, rows, (low, high)) for line in ranking.lines]
    base = alt.Chart(alt.Data(values=data)).encode(y=y, color=alt.Color("colour:N", scale=None))
    sizes = rows.sizes
    thin = max(1.2, sizes.bar / 7)
    whiskers = base.transform_filter("isValid(datum.from)")
    layers = [
        *rows.cluster_lines(ranking, y),
        whiskers.mark_rule(strokeWidth=thin).encode(x=alt.X("from:Q", **x), x2="to:Q"),
        *(_cap(base, alt, x, end, sizes.bar) for end in ("from", "to")),
        *(_arrow(base, alt, x, end, sizes.dot) for end in ("from", "to")),
    ]
    if inner is not None:
        short = [_row(inner, line, rows, (low, high)) | {"colour": cluster_colour(ranking, outer)}
                 for line, outer in zip(inner.lines, ranking.lines, strict=True)]  # fmt: skip
        thick = alt.Chart(alt.Data(values=short)).transform_filter("isValid(datum.from)")
        layers.append(
            thick.mark_bar(height=sizes.bar / 2, opacity=0.55).encode(
                y=y, x=alt.X("from:Q", **x), x2="to:Q", color=alt.Color("colour:N", scale=None)
            )
        )
    dots = base.mark_point(filled=True, size=sizes.dot, opacity=1, stroke="white", strokeWidth=0.8)
    layers += [
        dots.encode(x=alt.X("score:Q", **x), shape=alt.Shape("shape:N", scale=None)),
        base.mark_text(align="left", dx=8, fontSize=sizes.font).encode(
            x=alt.value(area.width), text="text:N", color=alt.value(INK)
        ),
    ]
    return themed(alt.layer(*layers).properties(width=area.width, height=area.height, padding=PAD, title=head))


def _cap(base: Any, alt: Any, x: dict[str, Any], end: str, height: float) -> Any:
    """The end of a whisker, where it is not cut."""
    shown = base.transform_filter(f"isValid(datum.{end}) && !datum.{end}_cut")
    return shown.mark_tick(orient="vertical", size=0.6 * height, thickness=1.2).encode(x=alt.X(f"{end}:Q", **x))


def _arrow(base: Any, alt: Any, x: dict[str, Any], end: str, size: float) -> Any:
    """The end of a whisker that goes on."""
    shape = "triangle-left" if end == "from" else "triangle-right"
    shown = base.transform_filter(f"datum.{end}_cut")
    return shown.mark_point(filled=True, shape=shape, size=size, opacity=1).encode(x=alt.X(f"{end}:Q", **x))


def _ends(ranking: Ranking) -> tuple[float, float]:
    """Of the axis: as far as intervals go, but not much further than the scores."""
    scores = [line.score for line in ranking.lines]
    known = sorted(high - low for low, high in (line.interval for line in ranking.lines if line.interval))
    furthest = _FURTHEST * max(max(scores) - min(scores), known[len(known) // 2])
    bounds = [line.interval or (line.score, line.score) for line in ranking.lines]
    low, high = min(low for low, _ in bounds), max(high for _, high in bounds)
    return max(low, min(scores) - furthest), min(high, max(scores) + furthest)


def _row(ranking: Ranking, line: RankedSystem, rows: Rows, ends: tuple[float, float]) -> dict[str, Any]:
    low, high = line.interval or (None, None)
    return {
        "system": rows.shown[line.system],
        "score": line.score,
        "text": score_text(line.score),
        "from": None if low is None else max(low, ends[0]),
        "to": None if high is None else min(high, ends[1]),
        "from_cut": low is not None and low < ends[0],
        "to_cut": high is not None and high > ends[1],
        "colour": cluster_colour(ranking, line),
        "shape": _SHAPES[((ranking.cluster_of(line) or 1) - 1) % 2],
    }


def _words(ranking: Ranking, inner: Ranking | None, cut: bool) -> list[str]:
    within = "" if inner is None else f"; thick line: {level_text(inner.record.facts['p'])} interval"
    told = f"dot and number: score; whiskers: {level_text(ranking.record.facts['p'])} interval{within}"
    missing = sum(line.interval is None for line in ranking.lines)
    return [
        made_of(ranking),
        told,
        *([f"{missing} of {len(ranking.lines)} scores have no interval"] if missing else []),
        *(["arrow: the interval goes on"] if cut else []),
        *lines_told(ranking),
    ]
