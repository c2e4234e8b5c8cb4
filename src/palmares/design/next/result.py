"""Results of `next_screens`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...ranking.record import Record
from ...results import Shown, counted


@dataclass(frozen=True)
class OpenBoundary:
    """A boundary that is not claimed yet: ``above`` is the last system above it, ``below`` the first below.

    ``z`` is the difference, in standard errors, of the two systems across it that are least sure to be in this order,
    and ``needed`` what it takes; ``comparisons`` how many more that is, were every two systems across it compared by
    themselves and their differences what they seem, those below 0.3 standard errors that large.
    """

    rank: int
    above: str
    below: str
    z: float
    needed: float
    comparisons: float


@dataclass(frozen=True)
class NextScreen:
    """Systems to compare, best first; why, and the probability with which this set was drawn.

    ``boundary`` is the rank above the boundary that it was planned for. ``strategy`` is ``uniform`` for the share of
    screens that chance chose.
    """

    systems: tuple[str, ...]
    strategy: str
    boundary: int | None
    segment: str | None
    probability: float


@dataclass(frozen=True)
class NextScreens(Shown):
    """What to judge next."""

    shown_by: ClassVar[str] = "next"

    strategy: str
    screens: tuple[NextScreen, ...]
    boundaries: tuple[OpenBoundary, ...]
    claimed: int
    lang_pair: str | None
    record: Record = field(repr=False)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        left = f"{len(self.boundaries)} of {len(self.boundaries) + self.claimed} boundaries open"
        return self._line(f"{counted(len(self.screens), 'screen')} by {self.strategy}; {left}", self.lang_pair)

    @property
    def signature(self) -> str:
        """How they were chosen, in one line."""
        return str(self.record)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "lang_pair": self.lang_pair,
            "strategy": self.strategy,
            "claimed": self.claimed,
            "boundaries": [vars(each) for each in self.boundaries],
            "screens": [{**vars(each), "systems": list(each.systems)} for each in self.screens],
            "record": self.record.to_dict(),
            "signature": self.signature,
            "notes": list(self.notes),
        }
