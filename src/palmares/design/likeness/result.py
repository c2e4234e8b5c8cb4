"""What `plan_like` finds: a plan, where each of its settings comes from, and how like its campaigns are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...ranking.record import Record
from ..campaign_plan import CampaignPlan

#: Standard deviation of qualities that are uniform on [0, 10]: the scale of every plan.
UNIT = 10 / 12**0.5


@dataclass(frozen=True)
class FittedSetting:
    """A setting of the plan, its standard error where there is one, and what it was taken from."""

    setting: str
    value: float
    error: float | None
    source: str


@dataclass(frozen=True)
class Compared:
    """A figure of the real campaign; its mean over simulated answers to the real screens; and over campaigns of the
    plan, with the standard deviation of one campaign.
    """

    figure: str
    real: float
    answered_anew: float
    simulated: float
    deviation: float


@dataclass(frozen=True)
class LikePlan:
    """A plan whose campaigns are like a real one.

    Attributes
    ----------
    plan
        What to simulate. Qualities are drawn anew in every campaign; `with_its_systems` holds them fixed.
    scatter, scatter_interval
        Koehn's σ: the standard deviation of an output in all, where qualities spread as if uniform on [0, 10]; with
        its 95 % interval.
    scatter_of_scores
        The same from the estimated scores, freed of their errors, without any curve.
    settings, compared
        Where the plan comes from, and how like the real campaign those of the plan are.
    systems
        The believed quality of every system of the real campaign, and its standard deviation. These means are closer
        together than true qualities are.
    notes
        What was not fitted, and what a reader should know.
    """

    plan: CampaignPlan
    scatter: float
    scatter_interval: tuple[float, float]
    scatter_of_scores: float
    settings: tuple[FittedSetting, ...] = field(repr=False)
    compared: tuple[Compared, ...] = field(repr=False)
    systems: Mapping[str, tuple[float, float]] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    record: Record = field(repr=False)

    @property
    def with_its_systems(self) -> CampaignPlan:
        """The plan with the believed qualities of the real campaign's systems, the same in every campaign."""
        return dataclasses.replace(self.plan, qualities=tuple(quality for quality, _ in self.systems.values()))

    @property
    def signature(self) -> str:
        """How this was made, in one line."""
        return str(self.record)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {
            "signature": self.signature,
            "record": self.record.to_dict(),
            "plan": dataclasses.asdict(self.plan),
            "scatter": self.scatter,
            "scatter_interval": list(self.scatter_interval),
            "scatter_of_scores": self.scatter_of_scores,
            "settings": [dataclasses.asdict(line) for line in self.settings],
            "compared": [dataclasses.asdict(line) for line in self.compared],
            "systems": {name: list(pair) for name, pair in self.systems.items()},
            "notes": list(self.notes),
        }

    def lines(self) -> list[str]:
        """What was fitted from what, how like it is, and what was not fitted, for readers."""
        low, high = self.scatter_interval
        rows = [(line.setting, f"{line.value:.6g}", _error(line.error), line.source) for line in self.settings]
        lines = [
            f"an output scatters by {self.scatter:.1f} in all, where qualities are uniform on [0, 10] (95 % interval "
            f"{low:.1f} to {high:.1f}; from the scores alone {self.scatter_of_scores:.1f})",
            *_aligned(("setting", "value", "±", "from"), rows),
            "",
        ]
        figures = [
            (c.figure, *(f"{value:.3f}" for value in (c.real, c.answered_anew, c.simulated, c.deviation)))
            for c in self.compared
        ]
        lines += _aligned(("figure", "real", "answered anew", "simulated", "sd"), figures)
        return [*lines, *(f"note: {note}" for note in self.notes)]


def _error(error: float | None) -> str:
    return "" if error is None else f"{error:.2g}"


def _aligned(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)
    ]
