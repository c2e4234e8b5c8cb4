"""The sign test on decided comparisons."""

from __future__ import annotations

import numpy as np

from ..counts import FloatArray, PairCounts

#: The marks of Bojar et al. 2014, Tables 28–37, strongest first.
MARKS = ((0.01, "‡"), (0.05, "†"), (0.10, "⋆"))


def sign_test(counts: PairCounts) -> FloatArray:
    """Two-sided p-value for every pair: that wins and losses are equally likely. 1 where nothing was decided."""
    from scipy.special import bdtr

    decided = np.round(counts.decided)
    fewer = np.minimum(np.round(counts.wins), np.round(counts.wins.T))
    p = np.minimum(1.0, 2.0 * bdtr(fewer, decided.astype(np.int64), 0.5))
    return np.where(decided > 0, p, 1.0)


def mark(p: float) -> str:
    """⋆ for p ≤ .10, † for p ≤ .05, ‡ for p ≤ .01, else nothing."""
    return next((sign for level, sign in MARKS if p <= level), "")
