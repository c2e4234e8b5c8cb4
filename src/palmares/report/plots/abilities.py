"""Abilities of systems with their standard deviations, and a heat map of preferences (Hopkins & May 2013, Figure 6)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import InputError
from ...experiments.base import Reproduction, Row
from ...judgments import TWO_WAY, FloatArray
from ...models.base import Fit
from ...ranking.result import Ranking
from ..tables import group_of, group_title
from .reproduced import data_of, experiment, quick_note
from .sizes import Area, Panels, heading, labels, room_for_names, sized
from .theme import FAINT, INK, PALETTE, altair, themed, titled

_EXPERIMENT = "hm13-abilities"
#: A row, in pixels: of few systems, of very many, and the least in which a name can be read.
_ROW, _LOW_ROW, _LOWEST_ROW = 26, 13, 8
_WIDTH, _LEAST_WIDTH = 260, 110
#: Room that the number at a tick needs.
_TICK = 55
#: Room that a number in a cell needs, and how many systems get it unasked.
_CELL, _NUMBERED = Area(30, 13), 14
#: How standard errors are named that come from no unit's bootstrap; ranges by sign tests have none.
_UNITS = {None: "over runs", TWO_WAY: "of other judges and segments"}
_PAD = {"left": 10, "top": 10, "right": 16, "bottom": 10}
#: Above this share of the largest preference a cell is so dark that its number is white.
_DARK = 0.35
#: From light to dark without a turn, so that a copy in black and white says the same.
_SHADES = ("#f7fbff", "#c3def0", "#7db8dd", "#2a7fb8", "#0b3f68")


@dataclass(frozen=True)
class _Abilities:
    """Systems from the ablest on, and how much more likely the row's system wins than loses against the column's."""

    systems: tuple[str, ...]
    mean: FloatArray = field(repr=False)
    deviation: FloatArray = field(repr=False)
    preference: FloatArray = field(repr=False)
    words: list[str]


def abilities_plot(
    result: Ranking | Fit | Reproduction,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """On the left a dot per system at its ability, ± one standard deviation; on the right a heat map of preferences.

    A cell is darker, the more the model expects the system of its row to win rather than lose against the system of
    its column: Q(win) − Q(loss). Columns stand in the order of the rows and have their numbers.

    Parameters
    ----------
    result
        A ranking or a fit of a model that has standard deviations and predicts, such as ``hopkins-may``; or the
        reproduced experiment ``hm13-abilities``.
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
    shown = _abilities(result)
    alt, n = altair(), len(shown.systems)
    own = data_of(result) if isinstance(result, Reproduction) else group_title(group_of(result))
    name = title or titled(group or own, "abilities")

    def draw(area: Area, width: int | None) -> Any:
        font = int(min(12, 0.74 * area.height / n))
        names = labels(shown.systems, font, room_for_names(width))
        panels = [_dots(alt, shown, names, area, font), _heat_map(alt, shown, area, font)]
        chart = alt.hconcat(*panels, spacing=22).resolve_scale(color="independent")
        return themed(chart.properties(title=heading(alt, name, shown.words, width), padding=_PAD))

    row = max(_LOW_ROW, min(_ROW, 8 + 650 / n))
    wide = max(_WIDTH, row * n, _CELL.width * n if n <= _NUMBERED else 0)
    sizes = Panels(Area(wide, row * n), Area(_LEAST_WIDTH, _LOWEST_ROW * n), across=2)
    return sized(draw, sizes, width, height)


# -- where abilities come from -------------------------------------------------------------------------


def _abilities(result: Ranking | Fit | Reproduction) -> _Abilities:
    if isinstance(result, Ranking):
        return _of_ranking(result)
    if isinstance(result, Fit):
        return _of_fit(result, result.model.id)
    if isinstance(result, Reproduction):
        return _of_experiment(experiment(result, _EXPERIMENT))
    raise InputError(
        f"got a {type(result).__name__}; abilities are drawn of a ranking, a fit or the experiment {_EXPERIMENT}"
    )


def _of_ranking(ranking: Ranking) -> _Abilities:
    """With the standard errors of the ranking where it was resampled, else as its model knows them."""
    made = f"{ranking.fit.model.id}, {ranking.judgments:,} judgments"
    unit = ranking.record.facts.get("unit")
    if not ranking.ranged or unit in ("posterior", "sign-test"):
        return _of_fit(ranking.fit, made)
    errors = {line.system: math.nan if line.error is None else line.error for line in ranking.lines}
    deviation = np.array([errors[name] for name in ranking.fit.systems])
    return _of_scores(ranking.fit, deviation, f"{made}; bar: ± one standard error, {_UNITS.get(unit, f'by {unit}')}")


def _of_fit(fit: Fit, made: str) -> _Abilities:
    """With the deviations of posterior draws from their mean over systems, or else the model's own.

    What all abilities have in common says nothing of systems, and would make the bars of many judgments wide.
    """
    if fit.draws is not None:
        seen = fit.draws - fit.draws.mean(axis=1, keepdims=True)
        return _of_scores(fit, seen.std(axis=0, ddof=1), f"{made}; bar: ± one standard deviation of posterior draws")
    if fit.deviations is None:
        raise InputError(f"model {fit.model.id!r} gives no standard deviations to draw; use hopkins-may")
    return _of_scores(fit, fit.deviations, f"{made}; bar: ± one standard deviation, by the model")


def _of_scores(fit: Fit, deviation: FloatArray, made: str) -> _Abilities:
    if fit.scores is None or not fit.predicts:
        lacks = "give scores" if fit.scores is None else "predict outcomes"
        raise InputError(f"model {fit.model.id!r} does not {lacks}, and the plot shows both; use hopkins-may")
    order = np.argsort(-fit.scores, kind="stable")
    outcomes = fit.predict_pairs()[np.ix_(order, order)]
    state = fit.convergence
    words = [
        f"{made}; 0 is the mean of all systems",
        "cell: predicted wins less losses of the row's system against the column's, darker where it wins more",
        *([] if state.converged else [f"the fit did not converge ({state.detail})"]),
    ]
    return _Abilities(
        tuple(fit.systems[i] for i in order), (fit.scores - fit.scores.mean())[order], deviation[order],
        outcomes[..., 0] - outcomes[..., 2], words,
    )  # fmt: skip


def _of_experiment(result: Reproduction) -> _Abilities:
    """As the experiment measured them; its preferences are those of the first training."""
    lines = [row for row in result.rows if not row.at]
    cells: dict[str, list[Row]] = {}
    for row in result.rows:
        if row.at:
            cells.setdefault(row.label, []).append(row)
    names = tuple(row.label for row in lines)
    preference = [
        [math.nan if row.measured is None else row.measured for row in sorted(cells[name], key=lambda row: int(row.at))]
        for name in names
    ]
    words = [
        f"dot, bar: mean and ± one standard deviation of {lines[0].n} trainings on {result.settings['size']:,} "
        "comparisons each",
        "cell: Q(win) − Q(loss) of the row's system against the column's by the first training, darker where it wins "
        "more",
        "the paper has WMT11 English–Czech, and prints no numbers",
        *quick_note(result),
    ]
    mean, deviation = (np.array([getattr(row, kind) for row in lines], dtype=float) for kind in ("measured", "error"))
    return _Abilities(names, mean, deviation, np.array(preference), words)


# -- panels --------------------------------------------------------------------------------------------


def _dots(alt: Any, shown: _Abilities, names: Mapping[str, str], area: Area, font: int) -> Any:
    order = [names[name] for name in shown.systems]
    rows = [
        {"system": label, "ability": mean, "from": mean - sd, "to": mean + sd}
        for label, mean, sd in zip(order, shown.mean.tolist(), shown.deviation.tolist(), strict=True)
    ]
    axis = alt.Axis(ticks=False, domain=False, labelLimit=0, labelFontSize=font, labelOverlap=False, offset=4)
    scale = {
        "scale": alt.Scale(zero=False, padding=8),
        "title": "ability",
        "axis": alt.Axis(labelFlush=False, tickCount=max(2, area.width // _TICK)),
    }
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("system:N", sort=order, title=None, axis=axis, scale=alt.Scale(domain=order))
    )
    x, to = alt.X("from:Q", **scale), alt.X("to:Q", **scale)
    tick = {"color": PALETTE[0], "thickness": 1.5, "size": 0.35 * area.height / len(order)}
    layers = [
        base.mark_rule(color=PALETTE[0], strokeWidth=1.5).encode(x=x, x2="to:Q"),
        base.mark_tick(**tick).encode(x=x),
        base.mark_tick(**tick).encode(x=to),
        base.mark_point(color=PALETTE[0], filled=True, opacity=1, size=_dot(area, len(order))).encode(
            x=alt.X("ability:Q", **scale)
        ),
    ]
    return alt.layer(*layers).properties(width=area.width, height=area.height)


def _dot(area: Area, systems: int) -> float:
    return 36 * min(area.height / systems / _ROW, 1) ** 2


def _heat_map(alt: Any, shown: _Abilities, area: Area, font: int) -> Any:
    n = len(shown.systems)
    most = _rounded_up(float(np.nanmax(np.abs(np.where(np.eye(n, dtype=bool), 0.0, shown.preference)))))
    places = list(range(1, n + 1))
    cells = _cells(shown.preference, most)
    axis = {"ticks": False, "domain": False, "labelFontSize": min(font, 11), "labelOverlap": True, "labelSeparation": 4,
            "labelAngle": 0}  # fmt: skip
    x = alt.X("column:O", title=None, sort=places, axis=alt.Axis(orient="top", **axis), scale=alt.Scale(domain=places))
    y = alt.Y("row:O", title=None, sort=places, axis=alt.Axis(**axis), scale=alt.Scale(domain=places))
    sign = "datum.value ? replace(format(datum.value, '+.1f'), '-', '−') : '0'"
    legend = alt.Legend(
        title="wins less losses", orient="bottom", direction="horizontal", gradientLength=min(220, area.width - 20),
        gradientThickness=10, values=[-most, 0, most], labelExpr=sign,
        labelFontSize=11, titleFontSize=12, titleFontWeight="normal", titleColor="#57606a",
    )  # fmt: skip
    colour = alt.Color("preference:Q", scale=alt.Scale(domain=[-most, most], range=list(_SHADES)), legend=legend)
    base = alt.Chart(alt.Data(values=cells)).encode(x=x, y=y)
    met = base.transform_filter("isValid(datum.preference)")
    layers = [
        base.transform_filter("!isValid(datum.preference)").mark_rect(color=FAINT, stroke="white", strokeWidth=0.5),
        met.mark_rect(stroke="white", strokeWidth=0.5).encode(color=colour),
    ]
    cell = Area(area.width / n, area.height / n)
    if cell.width >= _CELL.width and cell.height >= _CELL.height:
        font_size = min(10, 0.7 * cell.height)
        layers += [
            met.transform_filter(f"{test}datum.dark").mark_text(fontSize=font_size, color=ink).encode(text="text:N")
            for test, ink in (("", "white"), ("!", INK))
        ]
    return alt.layer(*layers).properties(width=area.width, height=area.height)


def _cells(preference: FloatArray, most: float) -> list[dict[str, Any]]:
    return [
        {
            "row": i + 1,
            "column": j + 1,
            "preference": None if i == j or math.isnan(share) else share,
            "text": _signed(share),
            "dark": share > _DARK * most,
        }
        for i, row in enumerate(preference.tolist())
        for j, share in enumerate(row)
    ]


def _signed(share: float) -> str:
    """``+.31``, as narrow as can be."""
    text = f"{share:+.2f}".replace("-", "−")
    if abs(share) < 0.005:
        return ".00"
    return text.replace("0.", ".", 1) if abs(share) < 0.995 else text


def _rounded_up(value: float) -> float:
    """To the next tenth: the ends of the scale of colours, which has 0 in its middle."""
    return max(0.1, math.ceil(10 * value - 1e-9) / 10)
