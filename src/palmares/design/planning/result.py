"""What a plan says: the answer, its curve, and what other judges and segments would take."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...ranking.record import Record
from ...results import Shown
from ..simulate import CampaignPlan
from ..targets import Target
from .bounds import Bounds
from .pilot import Likeness
from .times import Seconds


@dataclass(frozen=True)
class Needed:
    """What reaching the target takes; None where no number of rankings reaches it.

    Of a running campaign, all of it comes on top of what is there.

    Attributes
    ----------
    rankings
        As the target was asked for: on average, or in the share of campaigns that was named.
    between
        95 % Monte Carlo interval of it.
    likely
        Rankings after which 10, 50 and 90 % of campaigns show the target.
    judgments, hours
        Of so many rankings: pairwise judgments, and hours of judges with what they need to begin.
    limit, limit_sure
        The mean measure, and the share of campaigns that show the target, with any number of rankings.
    """

    bounds: Bounds
    rankings: int | None
    judgments: int | None
    hours: float | None
    between: tuple[int | None, int | None]
    likely: tuple[int | None, int | None, int | None]
    limit: float
    limit_sure: float


@dataclass(frozen=True)
class Point:
    """The measure after so many rankings: mean over campaigns, its standard error, 10 to 90 % of campaigns; and the
    share of campaigns that show the target.
    """

    rankings: int
    judgments: int
    mean: float
    error: float
    low: float
    high: float
    reached: float


@dataclass(frozen=True)
class Cell:
    """What so many rankings by each of the judges give: the mean measure, and the share that shows the target."""

    each: int
    mean: float
    reached: float


@dataclass(frozen=True)
class Staffing:
    """What other numbers of judges and segments would take.

    ``no_use_beyond`` are the rankings of each judge from which on more of them, by the same judges of the same
    segments, make errors at most a tenth smaller; None if there is no such number.
    """

    judges: int
    segments: int
    rankings: int | None
    each: float | None
    judgments: int | None
    hours: float | None
    limit: float
    limit_sure: float
    no_use_beyond: float | None
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Plan(Shown):
    """How many judgments a target takes, with what that rests on."""

    shown_by: ClassVar[str] = "plan"

    target: Target
    sure: float | None
    bounds: Bounds
    p: float
    systems: int
    outputs: float
    judges: int
    segments: int
    done: int
    seconds: Seconds
    likeness: Likeness
    campaigns: int
    needed: Needed
    #: The same target by every kind of boundary, `needed` among them.
    prices: tuple[Needed, ...]
    curve: tuple[Point, ...] = field(repr=False)
    staffing: tuple[Staffing, ...] = field(repr=False)
    segmenting: tuple[Staffing, ...] = field(repr=False)
    record: Record = field(repr=False)
    campaign: CampaignPlan | None = field(default=None, repr=False)
    lang_pair: str | None = None
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        rankings = self.needed.rankings
        text = "out of reach" if rankings is None else f"{'' if not self.done else 'another '}{rankings:,} rankings"
        return self._line(f"{self.target}: {text}", self.lang_pair)

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    @property
    def cheapest(self) -> Staffing | None:
        """Of all numbers of judges and segments that were tried, those that reach the target in the fewest hours."""
        able = [each for each in (*self.staffing, *self.segmenting) if each.hours is not None]
        return min(able, key=lambda each: (each.hours, each.judges), default=None)

    @property
    def comparisons(self) -> float:
        """Pairs that a ranking compares."""
        return self.outputs * (self.outputs - 1) / 2

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "lang_pair": self.lang_pair,
            "target": str(self.target),
            "sure": self.sure,
            "bounds": self.bounds,
            "p": self.p,
            "systems": self.systems,
            "outputs": self.outputs,
            "judges": self.judges,
            "segments": self.segments,
            "rankings_so_far": self.done,
            "seconds": dataclasses.asdict(self.seconds),
            "likeness": dataclasses.asdict(self.likeness),
            "campaigns": self.campaigns,
            "plan": None if self.campaign is None else dataclasses.asdict(self.campaign),
            "needed": dataclasses.asdict(self.needed),
            "prices": [dataclasses.asdict(each) for each in self.prices],
            "cheapest": None if self.cheapest is None else dataclasses.asdict(self.cheapest),
            "curve": [dataclasses.asdict(point) for point in self.curve],
            "judges_table": [dataclasses.asdict(each) for each in self.staffing],
            "segments_table": [dataclasses.asdict(each) for each in self.segmenting],
            "notes": list(self.notes),
        }
