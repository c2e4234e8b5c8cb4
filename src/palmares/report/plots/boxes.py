"""Rank boxes: how the ranks of every system are spread over bootstrap samples (Sakaguchi et al. 2014, Figures 9–10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...errors import InputError
from ...experiments.base import Reproduction
from ...judgments import TWO_WAY, FloatArray
from ...ranking.result import Ranking
from ..tables import group_of, group_title
from .reproduced import quick_note
from .rows import PAD, Rows, cluster_colour, lines_told, row_panels
from .sizes import Area, heading, sized
from .theme import INK, LABEL, PALETTE, altair, themed, titled

#: What a box shows of the ranks of a system, in this order.
BOX = ("mean", "lowest", "quartile 1", "quartile 3", "highest")
_GAP = 22
#: Half the width of a box whose quartiles are the same rank.
_THIN = 0.08


@dataclass(frozen=True)
class RankBoxes:
    """The ranks of systems over samples: rows of `BOX`, best system first.

    ``ranking`` is what they come from, if its clusters are known; ``name`` and ``made`` say it in words.
    """

    name: str
    made: str
    systems: tuple[str, ...]
    boxes: FloatArray = field(repr=False)
    ranking: Ranking | None = field(default=None, repr=False)

    @classmethod
    def of(cls, ranking: Ranking, name: str = "") -> RankBoxes:
        """The boxes of a ranking with bootstrap samples or draws."""
        if ranking.replicates is None:
            raise InputError("a ranking without bootstrap samples or draws has no rank boxes; use --resample auto")
        code = {system: i for i, system in enumerate(ranking.replicates.systems)}
        places = ranking.replicates.places[:, [code[system] for system in ranking.systems]]
        low, first, third, high = np.quantile(places, [0, 0.25, 0.75, 1], axis=0)
        boxes = np.stack([places.mean(axis=0), low, first, third, high], axis=1)
        made = f"{ranking.fit.model.id}, {ranking.judgments:,} judgments; {len(places):,} {_samples(ranking)}"
        return cls(name, made, ranking.systems, boxes, ranking)


def _samples(ranking: Ranking) -> str:
    """What ranks are spread over, in words."""
    unit = ranking.record.facts["unit"]
    words = {TWO_WAY: "draws, of other judges and segments", "posterior": "posterior draws", None: "runs"}
    return words.get(unit, f"bootstrap samples by {unit}")


def boxes_of_experiment(found: Reproduction) -> list[RankBoxes]:
    """The boxes that the experiment ``s14-boxes`` measured, by number of judgments."""
    groups = {row.group: [r for r in found.rows if r.group == row.group] for row in found.rows if row.at in BOX}
    if not groups:
        raise InputError(f"the experiment {found.id!r} has no rank boxes; s14-boxes has")
    boxes = []
    for group, rows in groups.items():
        value = {(row.label, row.at): row.measured for row in rows}
        systems = tuple(dict.fromkeys(row.label for row in rows))
        table = np.array([[value[system, what] for what in BOX] for system in systems], dtype=np.float64)
        made = "; ".join([found.reference, *quick_note(found), found.notes[0]])
        boxes.append(RankBoxes(group.removeprefix("ranks "), made, systems, table))
    return boxes


def rank_boxes(
    boxes: Ranking | RankBoxes | Sequence[RankBoxes],
    *,
    title: str | None = None,
    group: str | None = None,
    width: int | None = None,
    height: int | None = None,
) -> Any:
    """One box per system: from the lower to the upper quartile of its ranks, a dot at their mean.

    Whiskers go as far as ranks do in any sample. Lines between clusters are those of the rank ranges. Several boxes of
    the same systems are panels side by side, in the order of the last.

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
    if isinstance(boxes, Ranking):
        boxes = RankBoxes.of(boxes)
    shown = [boxes] if isinstance(boxes, RankBoxes) else list(boxes)
    if not shown or any(set(each.systems) != set(shown[0].systems) for each in shown):
        raise InputError("rank boxes side by side must be of the same systems")
    known = [each.ranking for each in shown if each.ranking is not None]
    name = title or titled(group or (group_title(group_of(known[-1])) if known else None), "rank boxes")
    return sized(partial(_chart, altair(), shown, name), row_panels(len(shown[0].systems), len(shown)), width, height)


def _chart(alt: Any, shown: Sequence[RankBoxes], name: str, area: Area, width: int | None) -> Any:
    rows = Rows(alt, shown[-1].systems, area, width)
    panels = [_panel(alt, each, rows, first=number == 0, single=len(shown) == 1) for number, each in enumerate(shown)]
    chart = panels[0] if len(panels) == 1 else alt.hconcat(*panels, spacing=_GAP)
    return themed(chart.properties(padding=PAD, title=heading(alt, name, _words(shown), width)))


def _panel(alt: Any, boxes: RankBoxes, rows: Rows, *, first: bool, single: bool) -> Any:
    ranking, sizes, y = boxes.ranking, rows.sizes, rows.y(named=first)
    lines = {line.system: line for line in ranking.lines} if ranking is not None else {}
    data = [
        {
            "system": rows.shown[system],
            "mean": mean,
            "low": low,
            "high": high,
            # A box without width is drawn as a narrow one.
            "q1": first if third > first else first - _THIN,
            "q3": third if third > first else third + _THIN,
            "colour": cluster_colour(ranking, lines[system]) if ranking is not None else PALETTE[0],
        }
        for system, (mean, low, first, third, high) in zip(boxes.systems, boxes.boxes.tolist(), strict=True)
    ]
    x = {"scale": rows.rank_scale(), "axis": rows.rank_axis()}
    base = alt.Chart(alt.Data(values=data)).encode(y=y, color=alt.Color("colour:N", scale=None))
    ordered = ranking is not None and ranking.systems == rows.systems
    layers = [
        *(rows.cluster_lines(ranking, y) if ranking is not None and ordered else []),
        base.mark_rule(strokeWidth=max(1.2, sizes.bar / 7)).encode(x=alt.X("low:Q", **x), x2="high:Q"),
        *(
            base.mark_tick(orient="vertical", size=0.6 * sizes.bar, thickness=1.2).encode(x=alt.X(f"{end}:Q", **x))
            for end in ("low", "high")
        ),
        # White below the box, so that the whisker does not shine through.
        base.mark_bar(height=sizes.bar, fill="white", strokeWidth=1.4).encode(
            x=alt.X("q1:Q", **x), x2="q3:Q", stroke=alt.Stroke("colour:N", scale=None)
        ),
        base.mark_bar(height=sizes.bar, opacity=0.3).encode(x=alt.X("q1:Q", **x), x2="q3:Q"),
        base.mark_point(filled=True, size=sizes.dot, opacity=1, stroke="white", strokeWidth=0.8).encode(
            x=alt.X("mean:Q", **x)
        ),
    ]
    panel = alt.layer(*layers).properties(width=rows.area.width, height=rows.area.height)
    if single:
        return panel
    style: dict[str, Any] = {"fontSize": LABEL, "color": INK, "anchor": "start", "frame": "group", "offset": 6}
    return panel.properties(title=alt.Title(boxes.name, **style))


def _words(shown: Sequence[RankBoxes]) -> list[str]:
    ranking = shown[-1].ranking
    return [
        shown[-1].made,
        "box: lower to upper quartile of the ranks in samples; dot: mean; whiskers: all ranks",
        *(lines_told(ranking) if ranking is not None and ranking.ranged else []),
    ]
