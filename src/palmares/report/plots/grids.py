"""Grids of systems by systems: names and numbers around them, and what has room in a cell."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .sizes import Area, labels, room_for_names
from .theme import LABEL

#: A cell, in pixels: of few systems, of very many, and the least that is still seen.
CELL, LOW_CELL, LOWEST_CELL = 34.0, 13.0, 7.0
#: All cells of one grid take about so many pixels, in one direction.
_SIDE = 620
#: Below this size of letters, numbers are left out.
SMALLEST_FONT = 6.5
#: Cells are at least this high for their width, and as high as letters need.
_FLAT, _READABLE = 0.82, 13.0
#: An invisible letter that is written from left to right.
_LEFT_TO_RIGHT = "\u200e"
#: What two digits and a little air take, in sizes of their font.
_NUMBER = 1.6


def usual_cell(systems: int, side: float = _SIDE) -> float:
    """The more systems, the smaller the cells."""
    return max(LOW_CELL, min(CELL, side / systems))


@dataclass(frozen=True)
class Grid:
    """A panel with a row and a column for every system, best first, in a picture of this width.

    Rows have the names of systems, each with its number; columns have the numbers alone.
    """

    alt: Any
    systems: tuple[str, ...]
    area: Area
    width: int | None

    @classmethod
    def of(cls, alt: Any, systems: tuple[str, ...], area: Area, width: int | None, *, free: bool) -> Grid:
        """A grid whose height, where nobody asked for one (``free``), follows its width."""
        height = min(area.height, max(_FLAT * area.width, _READABLE * len(systems))) if free else area.height
        return cls(alt, systems, Area(area.width, height), width)

    @property
    def cell(self) -> Area:
        n = len(self.systems)
        return Area(self.area.width / n, self.area.height / n)

    @cached_property
    def rows(self) -> list[str]:
        """``3  system-c``, in the order of the systems."""
        shown: Mapping[str, str] = labels(self.systems, self.label, room_for_names(self.width) - 3 * self.label)
        return [_numbered(shown[name], number) for number, name in enumerate(self.systems, 1)]

    @property
    def columns(self) -> list[str]:
        return [str(number) for number in range(1, len(self.systems) + 1)]

    @property
    def label(self) -> int:
        return int(max(5.0, min(LABEL, 0.8 * self.cell.height)))

    def y(self, *, named: bool = True) -> Any:
        """The axis of rows; of grids side by side, only the first is ``named``."""
        axis = self.alt.Axis(
            ticks=False, domain=False, grid=False, labels=named, labelLimit=0, labelFontSize=self.label,
            labelOverlap=False, offset=2,
        )  # fmt: skip
        return self.alt.Y("row:N", sort=self.rows, title=None, axis=axis, scale=self._band(self.rows))

    def x(self, title: str | None = None) -> Any:
        """The axis of columns, above them; where they are narrow, only every second, fifth, tenth … has its number."""
        font = min(self.label, LABEL - 1)
        step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 1000) if s * self.cell.width >= _NUMBER * font)
        values = [name for number, name in enumerate(self.columns, 1) if number % step == 0 or step == 1]
        axis = self.alt.Axis(
            orient="top", ticks=False, domain=False, grid=False, labelAngle=0, labelFontSize=font, values=values,
            labelOverlap=False, offset=2, titlePadding=4,
        )  # fmt: skip
        return self.alt.X("column:N", sort=self.columns, title=title, axis=axis, scale=self._band(self.columns))

    def _band(self, domain: list[str]) -> Any:
        return self.alt.Scale(domain=domain, paddingInner=0.04, paddingOuter=0)

    def font(self, letters: int) -> float | None:
        """The size of a text of so many letters within a cell; None where it could not be read."""
        size = min(11.0, 0.5 * self.cell.height, (self.cell.width - 2) / (0.6 * letters))
        return size if size >= SMALLEST_FONT else None


def _numbered(name: str, number: int) -> str:
    """The number stands right of a name, also of one that is written from right to left."""
    leftwards = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in name)
    return f"{_LEFT_TO_RIGHT}{name}{_LEFT_TO_RIGHT}  {number}" if leftwards else f"{name}  {number}"
