"""One row per system, best first: what the plots of a ranking share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

from ...judgments import TWO_WAY
from ...ranking.result import RankedSystem, Ranking
from ..tables import level_text
from .sizes import Area, Panels, labels, room_for_names
from .theme import INK, PALETTE

_WIDTH, _LEAST_WIDTH = 420, 120
#: A row, in pixels: of few systems, of very many, and the least in which a name can be read.
_ROW, _LOW_ROW, _LOWEST_ROW = 26, 13, 8
#: What the ticks of a dozen ranks need of an axis, each.
_TICK = 25
#: Around the panel; what stands right of it is a score.
PAD = {"left": 10, "top": 10, "right": 12, "bottom": 10}


def row_panels(systems: int, across: int = 1) -> Panels:
    """Panels with a row for every system; the more there are, the lower the rows."""
    row = max(_LOW_ROW, min(_ROW, 8 + 650 / systems))
    usual, least = Area(_WIDTH, row * systems), Area(_LEAST_WIDTH, _LOWEST_ROW * systems)
    return Panels(usual, least, across)


@dataclass(frozen=True)
class RowSizes:
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


@dataclass(frozen=True)
class Rows:
    """The rows of a panel of this area, in a picture of this width (None: as wide as it gets)."""

    alt: Any
    systems: tuple[str, ...]
    area: Area
    width: int | None

    @property
    def sizes(self) -> RowSizes:
        return RowSizes(self.area.height / len(self.systems))

    @cached_property
    def shown(self) -> Mapping[str, str]:
        """Names as they are shown: long ones without their middle."""
        return labels(self.systems, self.sizes.label, room_for_names(self.width))

    def y(self, *, named: bool = True) -> Any:
        """The axis of systems; of panels side by side, only the first is ``named``."""
        axis = self.alt.Axis(
            ticks=False, domain=False, labels=named, labelLimit=0, labelFontSize=self.sizes.label, offset=4
        )
        return self.alt.Y("system:N", sort=list(self.shown.values()), title=None, axis=axis)

    def cluster_lines(self, ranking: Ranking, y: Any) -> list[Any]:
        """A solid line between clusters where that holds jointly, a dashed one where it holds only by itself."""
        layers = []
        for starts, look in zip(_cluster_starts(ranking), ({"opacity": 0.6}, _DASHED), strict=True):
            data = self.alt.Data(values=[{"system": self.shown[name]} for name in starts])
            rule = self.alt.Chart(data).mark_rule(color=INK, yOffset=-self.sizes.row / 2, **look)
            layers.append(rule.encode(y=y))
        return layers

    def rank_axis(self) -> Any:
        """All ranks up to twenty; beyond that the first and every fifth, tenth, twentieth …, about a dozen.

        In a narrow plot fewer, so that no two touch.
        """
        systems = len(self.systems)
        dozen = min(12.0, self.area.width / _TICK)
        step = 1 if systems <= 20 * dozen / 12 else next(s for s in _steps() if systems <= dozen * s)
        ticks = [rank for rank in range(1, systems + 1) if rank == 1 or rank % step == 0]
        return self.alt.Axis(values=ticks, title="rank", format="d", labelOverlap=False)

    def rank_scale(self) -> Any:
        """From half a rank before the first to half a rank after the last."""
        return self.alt.Scale(domain=[0.5, len(self.systems) + 0.5], nice=False)


_DASHED: dict[str, Any] = {"opacity": 0.5, "strokeDash": [4, 4]}


def cluster_colour(ranking: Ranking, line: RankedSystem) -> str:
    """Neighbouring clusters have different colours."""
    return PALETTE[((ranking.cluster_of(line) or 1) - 1) % 2]


def _cluster_starts(ranking: Ranking) -> tuple[list[str], list[str]]:
    """The systems that a line is drawn above: a solid one, a dashed one."""
    begins = [boundary for boundary in ranking.boundaries if boundary.marginal]
    solid, dashed = ([ranking.systems[b.above] for b in begins if b.joint == joint] for joint in (True, False))
    return solid, [] if ranking.jointly else dashed


def _steps() -> Iterator[int]:
    """5, 10, 20, 50, 100, 200 …"""
    return (lead * 10**power for power in count() for lead in (5, 10, 20))


def made_of(ranking: Ranking) -> str:
    """The model, how many judgments, and what uncertainty is of."""
    return f"{ranking.fit.model.id}, {ranking.judgments:,} judgments; {source_text(ranking)}"


def source_text(ranking: Ranking) -> str:
    """What ranges and intervals come from, in words."""
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


def lines_told(ranking: Ranking) -> list[str]:
    """What lines between clusters mean, where there are any."""
    if ranking.jointly:
        return ["line: new cluster, all of which hold at once"] if len(ranking.clusters) > 1 else []
    told = "line between clusters: solid if it holds jointly with the others, dashed if only by itself"
    return [told] if any(boundary.marginal for boundary in ranking.boundaries) else []
