"""Every two systems of a ranking: how far apart they are, and whether the evidence separates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..judgments import FloatArray
from .bootstrap import comparable
from .ranges import middle

if TYPE_CHECKING:
    from .result import RankedSystem


@dataclass(frozen=True)
class Pair:
    """Two systems, the one that stands higher first.

    Attributes
    ----------
    difference
        The score of the first less that of the second.
    interval
        Of the difference, over samples; None without samples, or where these say nothing of how sure it is: all of
        them give the same difference, or one of the two systems won or lost everything.
    better
        How likely the first is better than the second; None without samples.
    p
        Of the sign test of this pair, where rank ranges come from sign tests; else None.
    adjusted
        The chance of error if the first is called better, adjusted over all pairs: those with at most p are ordered
        jointly.
    separated
        Whether the rank range of the first ends before that of the second begins. Systems of different clusters are
        separated; of one cluster, some may be.
    """

    above: str
    below: str
    difference: float
    interval: tuple[float, float] | None
    better: float | None
    p: float | None
    separated: bool
    adjusted: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON shape."""
        return {**asdict(self), "interval": list(self.interval) if self.interval else None}


@dataclass(frozen=True)
class PairEvidence:
    """What is known of every two systems, in the order of the ranking: samples of scores, or p-values of sign tests.

    ``better``, ``tests`` and ``adjusted`` are square, ``scores`` has a row per sample; 1 − ``level`` is the level of
    intervals.
    ``unsure`` are systems of whose scores samples do not show how sure they are. ``reach`` is half the width of the
    intervals, where it is known and samples are not asked.
    """

    level: float
    scores: FloatArray | None
    better: FloatArray | None
    tests: FloatArray | None
    adjusted: FloatArray | None = None
    unsure: frozenset[str] = frozenset()
    reach: FloatArray | None = None


def pairs_of(lines: Sequence[RankedSystem], evidence: PairEvidence) -> tuple[Pair, ...]:
    """All pairs of systems that have rank ranges, sorted by the rank of the first, then of the second."""
    found: list[Pair] = []
    for i, one in enumerate(lines[:-1]):
        intervals = _intervals(evidence, i) if evidence.reach is None else _reached(lines, evidence.reach, i)
        for j in range(i + 1, len(lines)):
            other = lines[j]
            assert one.range is not None  # the caller has refused rankings without ranges
            assert other.range is not None
            low, high = intervals[j - i - 1] if intervals else (0.0, 0.0)
            shown = low < high and not {one.system, other.system} & evidence.unsure
            found.append(
                Pair(
                    above=one.system,
                    below=other.system,
                    difference=one.score - other.score,
                    interval=(low, high) if shown else None,
                    better=None if evidence.better is None else float(evidence.better[i, j]),
                    p=None if evidence.tests is None else float(evidence.tests[i, j]),
                    separated=one.range[1] < other.range[0],
                    adjusted=None if evidence.adjusted is None else float(evidence.adjusted[i, j]),
                )
            )
    return tuple(found)


def _intervals(evidence: PairEvidence, i: int) -> list[tuple[float, float]] | None:
    """Of the differences between the i-th system and every one after it."""
    if evidence.scores is None:
        return None
    differences = evidence.scores[:, i, None] - evidence.scores[:, i + 1 :]
    intervals: list[tuple[float, float]] = comparable(np.asarray(middle(differences, p=evidence.level))).tolist()
    return intervals


def _reached(lines: Sequence[RankedSystem], reach: FloatArray, i: int) -> list[tuple[float, float]]:
    """The same from half their widths; of no width where that is unknown."""
    leads = np.array([lines[i].score - line.score for line in lines[i + 1 :]])
    half = np.nan_to_num(reach[i, i + 1 :])
    ends: list[tuple[float, float]] = comparable(np.stack([leads - half, leads + half], axis=1)).tolist()
    return ends
