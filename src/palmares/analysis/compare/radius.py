"""A partial order from scores: neighbours closer than a decision radius share a cluster (Bojar et al. 2014, §3.4)."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ...errors import InputError
from ...judgments.arrays import FloatArray, IntArray
from ...judgments.counts import PairCounts
from ...ranking.bootstrap import comparable

Radii = Literal["every", "published"]
RADII: tuple[Radii, ...] = get_args(Radii)
#: 0, .01, …, .25: the radii that Bojar et al. 2014 tried.
PUBLISHED = comparable(np.arange(26) / 100)


def check_radii(radii: str) -> None:
    if radii not in RADII:
        raise InputError(f"radii: got {radii!r}; allowed: {', '.join(RADII)}")


def partition(scores: FloatArray, radius: float) -> IntArray:
    """The cluster of every system, 1 the best: a new one begins where a score is more than ``radius`` below the last.

    Bojar et al. 2014, Table 6: scores .60, .44, .39, .25, −.09, −.22 with radius .15 give 1 2 2 2 3 3.
    """
    order, gaps = _sorted(scores)
    clusters = np.empty(len(scores), dtype=np.int64)
    clusters[order] = 1 + np.concatenate([[0], np.cumsum(gaps > radius)])
    return clusters


def tuned_radius(scores: FloatArray, counts: PairCounts, radii: Radii = "every") -> float:
    """The radius whose partial order agrees with most of ``counts``; the smallest of those that do equally well.

    Parameters
    ----------
    radii
        ``every``: all partitions that any radius can make are tried: 0 and the gaps between neighbours, whatever the
        scale of the scores. ``published``: 0, .01, …, .25.
    """
    check_radii(radii)
    order, gaps = _sorted(scores)
    better, tied = counts.wins[np.ix_(order, order)], counts.ties[np.ix_(order, order)]
    upper = np.triu_indices(len(order), 1)
    # Two systems share a cluster as soon as the radius reaches the widest gap between them.
    joined_at = _widest(gaps)[upper]
    gain = (tied - better)[upper]
    tried = PUBLISHED if radii == "published" else np.unique(np.concatenate([[0.0], gaps]))
    by_gap = np.argsort(joined_at, kind="stable")
    gained = np.concatenate([[0.0], np.cumsum(gain[by_gap])])
    right = gained[np.searchsorted(joined_at[by_gap], tried, side="right")]
    return float(tried[np.argmax(comparable(right))])


def _sorted(scores: FloatArray) -> tuple[IntArray, FloatArray]:
    """The systems best first, and how far each is below the one before it."""
    level = comparable(scores)
    order = np.argsort(-level, kind="stable")
    return order, comparable(-np.diff(level[order]))


def _widest(gaps: FloatArray) -> FloatArray:
    """``[i, j]``, i < j: the widest of the gaps between places i and j."""
    n = len(gaps) + 1
    widest = np.zeros((n, n))
    for i in range(n - 1):
        widest[i, i + 1 :] = np.maximum.accumulate(gaps[i:])
    return widest
