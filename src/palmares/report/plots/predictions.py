"""Predicted outcomes of one system against every other, beside what judges said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import InputError
from ...judgments import Judgments, PairCounts
from ...models.base import Fit, counts_of
from .sizes import Area, Panels, heading, labels, room_for_names, sized
from .theme import FAINT, INK, LABEL, PALETTE, PERCENT, altair, themed

_ROW, _LEAST_ROW = 24, 12
_WIDTH = 340
_PANEL = 220
_OUTCOMES = ("win", "tie", "loss")
_COLOURS = (PALETTE[0], FAINT, PALETTE[1])


def outcome_bars(
    fits: Fit | Sequence[Fit],
    judgments: Judgments | PairCounts,
    system: str | int,
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """One bar per opponent, cut into P(win), P(tie) and P(loss) of ``system``; dots where the judgments would cut it.

    Several fits to the same systems are drawn side by side. Opponents stand in the order of the first fit's scores,
    or by name if it has none; one that ``system`` never met has no dots.

    Parameters
    ----------
    title
        Instead of the group and the system.
    group
        What the judgments are of, in words.
    width, height
        Of the whole picture, in pixels; by default what it needs.

    Returns
    -------
    An Altair chart; `palmares.report.plots.save` writes it to a file.
    """
    shown = [fits] if isinstance(fits, Fit) else list(fits)
    counts = counts_of(judgments)
    _check(shown, counts)
    alt = altair()
    me = shown[0].code(system)
    opponents = _opponents(shown[0], me)
    # A name stays as it is written, also at the beginning.
    name = title or (f"{group}: " if group else "") + f"{shown[0].systems[me]} against the others"
    pad = {"left": 10, "top": 10, "right": 12, "bottom": 10}

    def draw(area: Area, width: int | None) -> Any:
        names = labels(shown[0].systems, LABEL, room_for_names(width))
        bars = _Bars(alt, counts, me, opponents, names, area)
        panels = [bars.panel(fit, number, len(shown)) for number, fit in enumerate(shown)]
        chart = panels[0] if len(panels) == 1 else alt.hconcat(*panels, spacing=18)
        return themed(chart.properties(title=heading(alt, name, _words(shown, me), width), padding=pad))

    usual = Area(_WIDTH if len(shown) == 1 else _PANEL, _ROW * len(opponents))
    return sized(draw, Panels(usual, Area(70, _LEAST_ROW * len(opponents)), len(shown)), width, height)


def _check(fits: Sequence[Fit], counts: PairCounts) -> None:
    if not fits:
        raise InputError("got no fit; give at least one that predicts")
    for fit in fits:
        if not fit.predicts:
            raise InputError(f"model {fit.model.id!r} ranks but does not predict outcomes, so there is nothing to draw")
        if fit.systems != counts.systems:
            raise InputError(f"the fit of {fit.model.id!r} and the judgments are not of the same systems")


def _opponents(fit: Fit, me: int) -> list[int]:
    """Codes of the others, best first; by name where there are no scores."""
    order = np.arange(len(fit.systems)) if fit.scores is None else np.argsort(-fit.scores, kind="stable")
    return [int(code) for code in order if code != me]


@dataclass(frozen=True)
class _Bars:
    """What the panels share: counts, the system and its opponents, names as they are shown, and the size."""

    alt: Any
    counts: PairCounts
    me: int
    opponents: list[int]
    shown: Mapping[str, str]
    area: Area

    def panel(self, fit: Fit, number: int, panels: int) -> Any:
        """One fit's bars; only the first panel names the opponents, and only the last says how often they were met."""
        alt, me, opponents, shown = self.alt, self.me, self.opponents, self.shown
        names = [shown[fit.systems[j]] for j in opponents]
        row = self.area.height / len(names)
        axis = alt.Axis(
            ticks=False, domain=False, labelLimit=0, offset=4, labels=number == 0, labelFontSize=min(LABEL, 0.74 * row)
        )
        y = alt.Y("system:N", sort=names, title=None, axis=axis)
        bars = alt.Chart(_named(alt, _bars(fit, me, opponents), shown)).mark_bar(height=14 * row / _ROW)
        dots = alt.Chart(_named(alt, _observed(self.counts, me, opponents), shown)).mark_point(
            filled=True, size=44 * min(row / _ROW, 1), color=INK, stroke="white", strokeWidth=1, opacity=1
        )
        met = alt.Chart(_named(alt, _met(self.counts, me, opponents), shown)).mark_text(
            align="left", dx=8, fontSize=min(11, 0.7 * row), color=INK
        )
        layers = [
            bars.encode(y=y, x=_share(alt, self.area.width), x2="to:Q", color=_colour(alt)),
            dots.encode(y=y, x="share:Q"),
            *([met.encode(y=y, x=alt.value(self.area.width), text="met:N")] if number == panels - 1 else []),
        ]
        chart = alt.layer(*layers).properties(width=self.area.width, height=self.area.height)
        if panels == 1:
            return chart
        return chart.properties(title=alt.Title(fit.model.id, fontSize=12, offset=6, anchor="start", frame="group"))


def _named(alt: Any, rows: list[dict[str, Any]], shown: Mapping[str, str]) -> Any:
    """Data for the plot, with the names of systems as they are shown."""
    return alt.Data(values=[{**row, "system": shown[row["system"]]} for row in rows])


def _share(alt: Any, width: float) -> Any:
    ticks = [0, 0.25, 0.5, 0.75, 1] if width > _PANEL else [0, 0.5, 1]
    axis = alt.Axis(labelExpr=PERCENT, values=ticks, labelFlush=False)
    return alt.X("from:Q", title="probability", scale=alt.Scale(domain=[0, 1]), axis=axis)


def _colour(alt: Any) -> Any:
    legend = alt.Legend(title=None, orient="top", symbolType="square", direction="horizontal", offset=4)
    return alt.Color("outcome:N", scale=alt.Scale(domain=_OUTCOMES, range=_COLOURS), legend=legend)


def _bars(fit: Fit, me: int, opponents: list[int]) -> list[dict[str, Any]]:
    rows = []
    for j in opponents:
        cuts = np.concatenate([[0.0], np.cumsum(fit.predict(me, j))]).tolist()
        rows += [
            {"system": fit.systems[j], "outcome": outcome, "from": start, "to": end}
            for outcome, start, end in zip(_OUTCOMES, cuts[:-1], cuts[1:], strict=True)
        ]
    return rows


def _observed(counts: PairCounts, me: int, opponents: list[int]) -> list[dict[str, Any]]:
    """Where the judgments of each pair would cut its bar: after the wins, and after the wins and ties."""
    rows = []
    for j in opponents:
        won, tied, lost = counts.wins[me, j], counts.ties[me, j], counts.wins[j, me]
        if (met := won + tied + lost) > 0:
            rows += [{"system": counts.systems[j], "share": float(cut / met)} for cut in (won, won + tied)]
    return rows


def _met(counts: PairCounts, me: int, opponents: list[int]) -> list[dict[str, Any]]:
    met = counts.decided[me] + counts.ties[me]
    return [{"system": counts.systems[j], "met": f"n = {met[j]:,.0f}"} for j in opponents]


def _words(fits: Sequence[Fit], me: int) -> list[str]:
    by = f"{fits[0].model.id}; " if len(fits) == 1 else ""
    return [
        f"{by}bars: predicted outcomes of {fits[0].systems[me]} against each opponent",
        "dots: where the judgments of the pair would cut the bar; n: how many there are",
    ]
