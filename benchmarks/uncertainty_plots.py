"""The pictures of the study of uncertainty: misses by unit and number of judges, and probabilities held to account."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from palmares import plots
from palmares.report.plots.theme import FAINT, INK, PALETTE, altair, themed

from .uncertainty_cells import GRID, JUDGES, UNITS
from .uncertainty_summary import DEFAULT, ENTRIES, MOST_OFF, NOMINAL, Found, calibration, campaigns_text, mixed

IMAGES = Path(__file__).parent.parent / "docs" / "images"
COLOURS = dict(zip(UNITS, (PALETTE[4], PALETTE[1], PALETTE[2], PALETTE[3], PALETTE[0]), strict=True))
GENERATORS = {"normal": "normal latent qualities", "project": "palmares simulate"}
#: Misses above this are drawn at the edge, with an arrow.
_TOP = 0.40
_PAD = {"left": 10, "top": 10, "right": 16, "bottom": 10}


def draw(found: Sequence[Found], folder: Path = IMAGES, ending: str = "svg") -> None:
    """Both pictures, as far as there are results for them."""
    if any(f.cell.kind in GRID for f in found):
        plots.save(misses(found), folder / f"uncertainty-misses.{ending}")
    if any(mixed(found, unit) for unit in UNITS):
        plots.save(chances(found), folder / f"uncertainty-chances.{ending}")


def misses(found: Sequence[Found]) -> Any:
    """One panel for each kind of campaign, one row of panels for each generator."""
    alt = altair()
    found = [f for f in found if f.cell.kind in GRID]
    rows = []
    for generator, words in GENERATORS.items():
        panels = [
            _misses_panel(
                alt, [f for f in found if f.cell.kind == kind and f.cell.generator == generator], kind, number
            )
            for number, kind in enumerate(GRID)
        ]
        title = alt.Title(words, fontSize=12, color=INK, offset=8)
        rows.append(alt.hconcat(*panels, spacing=14).properties(title=title))
    units = [unit for unit in UNITS if any(f.unit == unit for f in found)]
    lines = [
        "share of true scores outside their 95 % interval, by unit and number of judges; line at the nominal 5 %,",
        f"bars of two standard errors over {campaigns_text(found)} campaigns; an arrow: more than {100 * _TOP:g} %",
    ]
    title = alt.Title("Which intervals keep their promise?", subtitle=lines)
    chart = alt.vconcat(_legend(alt, units), *rows, spacing=16).properties(title=title, padding=_PAD)
    return themed(chart)


def _misses_panel(alt: Any, found: Sequence[Found], kind: str, number: int) -> Any:
    values = []
    for f in found:
        mean, error = f.mean["score_misses"], f.error["score_misses"]
        values.append(
            {
                "unit": f.unit, "judges": str(f.cell.judges), "misses": min(mean, _TOP), "colour": COLOURS[f.unit],
                "low": min(max(mean - 2 * error, 0), _TOP), "high": min(mean + 2 * error, _TOP), "over": mean > _TOP,
                "weight": 3.0 if f.unit == DEFAULT else 1.6,
            }
        )  # fmt: skip
    percent = alt.Axis(
        labelExpr="format(100 * datum.value, '~g') + ' %'", labels=number == 0, ticks=False, domain=False
    )
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("judges:O", sort=[str(n) for n in JUDGES], title="judges", axis=alt.Axis(labelAngle=0, ticks=False)),
        color=alt.Color("colour:N", scale=None),
    )
    scale = alt.Scale(domain=[0, _TOP])
    y = alt.Y("misses:Q", title=None, scale=scale, axis=percent)
    line = (
        alt.Chart(alt.Data(values=[{"nominal": NOMINAL}]))
        .mark_rule(color=INK, strokeDash=[4, 3])
        .encode(y=alt.Y("nominal:Q", scale=scale, axis=percent, title=None))
    )
    layers = [
        line,
        base.mark_rule(strokeWidth=1.5, opacity=0.5).encode(
            y=alt.Y("low:Q", scale=scale, axis=percent, title=None), y2="high:Q"
        ),
        base.mark_line().encode(y=y, detail="unit:N", strokeWidth=alt.StrokeWidth("weight:Q", scale=None)),
        base.transform_filter("!datum.over").mark_point(filled=True, size=36, opacity=1).encode(y=y),
        base.transform_filter("datum.over")
        .mark_point(filled=True, size=60, opacity=1, shape="triangle-up")
        .encode(y=y),
    ]
    words = GRID[kind].replace(", ", ",\n").split("\n")
    title = alt.Title(words, fontSize=11, fontWeight="normal", color=INK, frame="group", offset=6)
    return alt.layer(*layers).properties(width=118, height=150, title=title)


def _legend(alt: Any, units: Sequence[str]) -> Any:
    """The units in one line, each in its colour."""
    values = [{"unit": unit, "x": 120 * i, "colour": COLOURS[unit]} for i, unit in enumerate(units)]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 600])), color=alt.Color("colour:N", scale=None)
    )
    mark = base.mark_point(filled=True, size=70, opacity=1)
    text = base.mark_text(align="left", dx=9, fontSize=12).encode(text="unit:N")
    return alt.layer(mark, text).properties(width=600, height=14)


def chances(found: Sequence[Found]) -> Any:
    """What was said of P(best) and P(better), and how often it came true, over campaigns of mixed spreads."""
    alt = altair()
    units = [unit for unit in ("ranking", "two-way") if mixed(found, unit)] or [found[0].unit]
    panels = [_chances_panel(alt, found, kind, units) for kind in ("best", "better")]
    lines = [
        f"systems now close and now far apart; bins of .05 with at least {ENTRIES} entries, bars of two standard",
        "errors; grey: within .05 of what was said",
    ]
    title = alt.Title("Do probabilities come true?", subtitle=lines)
    row = alt.hconcat(*panels, spacing=36)
    return themed(alt.vconcat(_legend(alt, units), row, spacing=10).properties(title=title, padding=_PAD))


def _chances_panel(alt: Any, found: Sequence[Found], kind: str, units: Sequence[str]) -> Any:
    start = 0.0 if kind == "best" else 0.4
    values = [
        {
            "unit": unit, "said": said, "true": true, "colour": COLOURS[unit],
            "low": max(true - 2 * error, start), "high": min(true + 2 * error, 1.0),
        }
        for unit in units
        for _, said, true, error in calibration(mixed(found, unit), kind)
    ]  # fmt: skip
    scale = alt.Scale(domain=[start, 1], nice=False)
    steps = [start + (1 - start) * k / 120 for k in range(121)]
    ends = [{"x": x, "low": max(x - MOST_OFF, start), "high": min(x + MOST_OFF, 1.0)} for x in steps]
    x, y = alt.X("x:Q", scale=scale, title=f"P({kind}), said"), alt.Y("x:Q", scale=scale, title="came true")
    diagonal = alt.Chart(alt.Data(values=ends))
    low = alt.Y("low:Q", scale=scale, title="came true")
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("said:Q", scale=scale), color=alt.Color("colour:N", scale=None)
    )
    layers = [
        diagonal.mark_area(color=FAINT, opacity=0.6, clip=True).encode(x=x, y=low, y2="high:Q"),
        diagonal.mark_line(color=INK, strokeWidth=1, strokeDash=[4, 3]).encode(x=x, y=y),
        base.mark_rule(strokeWidth=1.5, opacity=0.5).encode(y=low, y2="high:Q"),
        base.mark_line(strokeWidth=1.5).encode(y=alt.Y("true:Q", scale=scale), detail="unit:N"),
        base.mark_point(filled=True, size=40, opacity=1).encode(y=alt.Y("true:Q", scale=scale)),
    ]
    return alt.layer(*layers).properties(width=280, height=280)
