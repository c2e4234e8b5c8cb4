"""Sensitivities of judges: who follows the systems as others do, and who does not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from ...analysis.judges import JudgeLine, Judges
from ...errors import InputError
from ...results import counted
from ..tables import group_of, group_title, level_text
from .sizes import Area, Panels, heading, labels, room_for_names, sized
from .theme import FAINT, INK, LABEL, PALETTE, altair, themed

_WIDTH = 420
#: A row in pixels, of few judges and of very many; above so many judges only flagged ones and programs are named.
_ROW, _LOW_ROW, _NAMED = 20, 5, 50
#: Intervals are drawn no further than this.
_LEAST, _MOST = -1.5, 3.5
_KINDS = ("person", "person to ask about", "program", "program to ask about")
_SHAPES, _COLOURS = ("circle", "diamond", "square", "cross"), (PALETTE[0], PALETTE[1], PALETTE[2], PALETTE[3])
#: Words beside judges, and the least distance between two of them, in pixels.
_FONT, _FONT_ROW = 10, 12
#: Areas of points, of those who judged least and most; flagged ones are never smaller than this.
_SMALLEST, _LARGEST, _SEEN = 12.0, 160.0, 45.0


def judge_sensitivities(
    judges: Judges,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """One row per judge: sensitivity and its interval, the most sensitive at the top.

    The larger a point, the more the judge judged. Flagged judges have another shape, and a word beside them; so do
    programs. Of more than fifty judges only these are named.

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
    lines = sorted((line for line in judges.lines if line.sensitivity is not None), key=_by_sensitivity)
    if not lines:
        raise InputError("no judge shares a comparison with others, so there are no sensitivities to draw")
    alt, name = altair(), title or group or group_title(group_of(judges)) or "Judges"
    row = _ROW if len(lines) <= _NAMED else max(_LOW_ROW, 1000 / len(lines))
    row = max(row, _FONT_ROW * sum(line.flagged or line.program for line in lines) / len(lines))
    panels = Panels(Area(_WIDTH, row * len(lines)), Area(140, 4 * len(lines)))
    return sized(partial(_chart, alt, judges, lines, name), panels, width, height)


def _by_sensitivity(line: JudgeLine) -> tuple[float, str]:
    return (-(line.sensitivity or 0.0), line.judge)


def _chart(alt: Any, judges: Judges, lines: Sequence[JudgeLine], title: str, area: Area, width: int | None) -> Any:
    head = heading(alt, title, _words(judges, lines), width)
    low, high = _domain(lines)
    shown = labels([line.judge for line in lines], LABEL, room_for_names(width) / 2)
    most, sparse = max(line.judgments for line in lines), len(lines) > _NAMED
    rows = [_row(line, number, shown[line.judge], sparse, most) for number, line in enumerate(lines)]
    upright = alt.Scale(domain=[-0.7, len(lines) - 0.3], reverse=True, nice=False)
    across = alt.Scale(domain=[low, high], nice=False)
    axis = alt.Axis(title="sensitivity (1: as usual; 0: unrelated to the systems)", tickCount=6)
    down = {"title": None, "axis": None if sparse else _names(alt, rows), "scale": upright}
    y = alt.Y("place:Q", **down)
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=y, color=alt.Color("kind:N", scale=alt.Scale(domain=_KINDS, range=_COLOURS), legend=None)
    )
    beside = alt.Chart(alt.Data(values=_beside(rows, high, area.height)))
    thickness = min(2.0, area.height / len(lines) / 4 + 0.5)
    layers = [
        _line(alt, 0, across).mark_rule(color=INK, strokeDash=[4, 3]),
        _line(alt, 1, across).mark_rule(color=FAINT, strokeWidth=2),
        base.mark_rule(opacity=0.55, strokeWidth=thickness).encode(
            x=alt.X("low:Q", scale=across, axis=axis), x2="high:Q"
        ),
        beside.mark_rule(color=INK, opacity=0.35, strokeWidth=0.7).encode(
            x=alt.X("high:Q", scale=across), x2="edge:Q", y=y, y2="word_place:Q"
        ),
        base.mark_point(filled=True, opacity=1).encode(
            x=alt.X("sensitivity:Q", scale=across, axis=axis),
            shape=alt.Shape("kind:N", scale=alt.Scale(domain=_KINDS, range=_SHAPES), legend=None),
            size=alt.Size("size:Q", scale=None, legend=None),
        ),
        beside.mark_text(align="left", dx=5, fontSize=_FONT, color=INK).encode(
            x=alt.X("edge:Q", scale=across), y=alt.Y("word_place:Q", **down), text="word:N"
        ),
    ]
    pad = {"left": 10, "top": 10, "right": 12, "bottom": 10}
    return themed(alt.layer(*layers).properties(width=area.width, height=area.height, padding=pad, title=head))


def _line(alt: Any, value: float, across: Any) -> Any:
    """What an upright line at a sensitivity is drawn from."""
    return alt.Chart(alt.Data(values=[{"x": value}])).encode(x=alt.X("x:Q", scale=across))


def _names(alt: Any, rows: Sequence[dict[str, Any]]) -> Any:
    """An axis that has the names of judges for numbers."""
    names = json.dumps([row["label"] for row in rows], ensure_ascii=False)
    return alt.Axis(
        values=list(range(len(rows))), labelExpr=f"{names}[datum.value]", ticks=False, domain=False, grid=False,
        labelLimit=0, labelOverlap=False, offset=4,
    )  # fmt: skip


def _beside(rows: Sequence[dict[str, Any]], edge: float, height: float) -> list[dict[str, Any]]:
    """The words at the right edge, moved apart where they would touch."""
    worded = [row for row in rows if row["word"]]
    apart, last = _FONT_ROW * len(rows) / height, len(rows) - 0.7
    places, before = [], -1.0 - apart
    for number, row in enumerate(worded):
        latest = last - apart * (len(worded) - 1 - number)  # so that those below have room, too
        before = max(before + apart, min(row["place"], latest))
        places.append(before)
    return [{**row, "edge": edge, "word_place": place} for row, place in zip(worded, places, strict=True)]


def _row(line: JudgeLine, place: int, label: str, sparse: bool, most: int) -> dict[str, Any]:
    assert line.sensitivity is not None  # only such lines are drawn
    low, high = line.sensitivity_interval or (line.sensitivity, line.sensitivity)
    words = [*([label] if sparse and (line.flagged or line.program) else []), ", ".join(f.name for f in line.flags)]
    return {
        "place": place,
        "label": label,
        "sensitivity": _within(line.sensitivity),
        "low": _within(low),
        "high": _within(high),
        "judgments": line.judgments,
        "size": max(_SMALLEST + (_LARGEST - _SMALLEST) * line.judgments / most, _SEEN * (line.flagged or line.program)),
        "kind": _KINDS[2 * line.program + line.flagged],
        "word": ": ".join(word for word in words if word),
    }


def _within(value: float) -> float:
    return min(max(value, _LEAST), _MOST)


def _domain(lines: Sequence[JudgeLine]) -> tuple[float, float]:
    spans = [line.sensitivity_interval or (line.sensitivity or 0.0,) * 2 for line in lines]
    low, high = min(_within(span[0]) for span in spans), max(_within(span[1]) for span in spans)
    # Room for the words beside intervals.
    return min(low, -0.1) - 0.05, max(high, 1.2) + 0.05


def _words(judges: Judges, lines: Sequence[JudgeLine]) -> list[str]:
    kinds = {
        "diamond": any(line.flagged and not line.program for line in lines),
        "square": any(line.program and not line.flagged for line in lines),
        "cross": any(line.program and line.flagged for line in lines),
    }
    meaning = {"diamond": "something to ask about", "square": "program", "cross": "program to ask about"}
    words = [
        f"{counted(len(lines), 'judge')}; bar: {level_text(judges.p)} interval, where there are answers enough",
        "; ".join(
            ["larger points judged more", *(f"{shape}: {meaning[shape]}" for shape, used in kinds.items() if used)]
        ),
    ]
    if missing := len(judges.lines) - len(lines):
        words.append(f"{counted(missing, 'judge')} shared no comparison with others and are not drawn")
    spans = [line.sensitivity_interval or (0.0, 0.0) for line in lines]
    if any(low < _LEAST or high > _MOST for low, high in spans):
        words.append(f"bars are cut at {_LEAST:g} and {_MOST:g}".replace("-", "−"))
    return words
