"""Significance: sign tests on decided comparisons, the rank ranges they give, and correction for many tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from ..judgments import FloatArray, IntArray, Judgments, PairCounts
from ..models.base import counts_of

#: The marks of Bojar et al. 2014, Tables 28–37, strongest first.
MARKS = ((0.01, "‡"), (0.05, "†"), (0.10, "⋆"))


def decisions(data: Judgments | PairCounts) -> PairCounts:
    """How often each system was judged better: a sign test counts judgments, whatever they weigh."""
    counts = counts_of(data)
    if isinstance(data, PairCounts) or data.weights is None:
        return counts
    return PairCounts.from_cells(data.systems, data.cells, None)


def sign_test(counts: PairCounts) -> FloatArray:
    """Two-sided p-value for every pair: that wins and losses are equally likely. 1 where nothing was decided."""
    worse = worse_than(counts)
    return np.minimum(1.0, 2.0 * np.minimum(worse, worse.T))


def worse_than(counts: PairCounts) -> FloatArray:
    """One-sided p-values: ``[i, j]`` is how likely i wins so few of its decided comparisons with j, were they equal."""
    from scipy.special import bdtr

    wins = np.round(counts.wins)
    decided = wins + wins.T
    return np.where(decided > 0, bdtr(wins, decided.astype(np.int64), 0.5), 1.0)


def sign_tests(counts: PairCounts, *, sided: int) -> FloatArray:
    """p-values: ``[i, j]`` that i is better than j (one-sided), or that they differ (two-sided)."""
    return sign_test(counts) if sided == 2 else worse_than(counts).T


def sign_test_ranges(counts: PairCounts, *, p: float = 0.05, sided: int = 2) -> IntArray:
    """Rank ranges from pairwise sign tests alone (Koehn 2012, §5.1).

    A system significantly worse than w systems, and not to be told from e others, has the range w + 1 to w + 1 + e.

    Parameters
    ----------
    p
        The level of each test.
    sided
        2 for two-sided tests, as the marks of Bojar et al. 2014; 1 for one-sided ones, which Koehn's figures fit.

    Returns
    -------
    An array (systems, 2) of first and last rank.
    """
    if sided not in (1, 2):
        raise InputError(f"sided: got {sided}; allowed: 1 (one-sided), 2 (two-sided)")
    if not 0 < p < 1:
        raise InputError(f"p: got {p}; allowed: between 0 and 1, e.g. 0.05")
    worse = worse_than(counts) <= p / sided
    # Never met or never decided: nothing is known of the two, so they count as not to be told apart.
    np.fill_diagonal(worse, False)
    beaten_by, beats = worse.sum(axis=1), worse.sum(axis=0)
    return np.stack([beaten_by + 1, len(counts.systems) - beats], axis=1)


def mark(p: float) -> str:
    """⋆ for p ≤ .10, † for p ≤ .05, ‡ for p ≤ .01, else nothing."""
    return next((sign for level, sign in MARKS if p <= level), "")


def holm(p: Sequence[float]) -> list[float]:
    """Adjusted p-values: rejecting those ≤ α is wrong for any true hypothesis with probability at most α (Holm 1979).

    Needs no independence.
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(steps, 1.0)
    return [float(value) for value in adjusted]
