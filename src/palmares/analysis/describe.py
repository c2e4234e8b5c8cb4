"""What a table of judgments contains, before any model looks at it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..ingest.given import judgments_of
from ..judgments import TIE, Judgments
from ..results import Shown, counted


@dataclass(frozen=True)
class SystemOverview:
    """How often one system was judged."""

    system: str
    judgments: float
    wins: float
    ties: float
    losses: float
    opponents: int


@dataclass(frozen=True)
class Overview(Shown):
    """The size and shape of one table of judgments (one language pair)."""

    shown_by: ClassVar[str] = "describe"

    lang_pair: str | None
    judgments: int
    rankings: int | None
    systems: int
    segments: int | None
    judges: int | None
    ties: int
    per_system: float
    pairs: int
    pairs_compared: int
    least_compared: int
    most_compared: int
    groups: list[list[str]]
    by_system: list[SystemOverview]
    data: str

    def __repr__(self) -> str:
        judges = f" by {counted(self.judges, 'judge')}" if self.judges else ""
        text = f"{counted(self.judgments, 'judgment')} of {counted(self.systems, 'system')}{judges}"
        return self._line(text, self.lang_pair)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return dataclasses.asdict(self)


def describe(judgments: Judgments | Any) -> Overview:
    """Count everything in a table of one language pair; a data frame or the path of a file is read."""
    judgments = judgments_of(judgments, "describe")
    counts = judgments.counts
    n = len(counts.systems)
    met = (counts.decided + counts.ties)[np.triu_indices(n, 1)]
    outcomes = judgments.codes("outcome")
    return Overview(
        lang_pair=judgments.lang_pairs[0] if len(judgments.lang_pairs) == 1 else None,
        judgments=len(judgments),
        rankings=len(judgments.names["ranking"]) if "ranking" in judgments.names else None,
        systems=n,
        segments=len(judgments.segments) or None,
        judges=len(judgments.judges) or None,
        ties=int((outcomes == TIE).sum()),
        per_system=2 * len(judgments) / n,
        pairs=len(met),
        pairs_compared=int((met > 0).sum()),
        least_compared=round(float(met.min())),
        most_compared=round(float(met.max())),
        groups=[list(group) for group in counts.components()],
        by_system=_by_system(judgments),
        data=judgments.hash,
    )


def _by_system(judgments: Judgments) -> list[SystemOverview]:
    counts = judgments.counts
    wins, ties, losses = counts.wins.sum(1), counts.ties.sum(1), counts.wins.sum(0)
    opponents = ((counts.decided + counts.ties) > 0).sum(1)
    return [
        SystemOverview(
            system=name,
            judgments=float(wins[i] + ties[i] + losses[i]),
            wins=float(wins[i]),
            ties=float(ties[i]),
            losses=float(losses[i]),
            opponents=int(opponents[i]),
        )
        for i, name in enumerate(counts.systems)
    ]
