r"""What holds at every look: boundaries that may be looked at after every judgment, and acted on.

Usual ranges are made for one look at judgments whose number was fixed beforehand. Who looks again and again until
something is significant, or lets earlier answers choose the next comparison, finds boundaries between equals. A
difference of two scores, d with variance v, is here called surely positive only beyond a bound that a Brownian motion
of drift 0 crosses *ever* with a chance of at most p. That motion is the score times its information V = 1/v; mixing the
likelihood ratio over normal drifts N(0, 1/ρ) gives a martingale, and Ville's inequality the bound (Robbins 1970;
Howard, Ramdas, McAuliffe & Sekhon 2021; for estimated variances Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024):

.. math:: z^2 = d^2 / v \ge (1 + ρ/V) [\ln((V + ρ)/ρ) + 2 \ln(M/p)],

where M is the number of pairs that share p.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray
from .bootstrap import comparable

#: The information at which the bound is tightest, of a difference on the logit scale: a few hundred comparisons of two
#: systems. Fixed beforehand: to choose it by the judgments would be one more look at them.
RHO = 13.0
#: z of a normal distribution beyond which tails are 0 in floating point.
_FARTHEST = 37.5


def critical(
    information: FloatArray | float, pairs: float, p: float = 0.05, *, df: float | None = None, rho: float = RHO
) -> FloatArray:
    """The least z² = d²/v that tells two systems apart at this and at every other look.

    Parameters
    ----------
    information
        V = 1/v of the difference.
    pairs
        M: how many pairs share the chance p of any error.
    df
        Degrees of freedom of the variance; None for many. With few, the bound is the t with the tail that z has.
    rho
        ρ, in the units of V; `RHO` is for differences of logits.
    """
    information = np.asarray(information, dtype=np.float64)
    with np.errstate(divide="ignore"):
        normal = (1 + rho / information) * (np.log1p(information / rho) + 2 * np.log(pairs / p))
    if df is None:
        return np.asarray(normal)
    from scipy.special import ndtr, stdtrit

    with np.errstate(over="ignore"):  # of very few units, which then tell nothing apart
        return np.asarray(stdtrit(df, ndtr(-np.sqrt(normal))) ** 2)


def evidence(scores: FloatArray, covariance: FloatArray, *, df: float | None = None, rho: float = RHO) -> FloatArray:
    """``[i, j]``: what is known of i being better than j, by code.

    Twice the logarithm of the mixture's likelihood ratio: `critical` is passed for M pairs where this is at least
    2 ln(M/p). −∞ where i has the smaller score, or where the variance of the difference is not known.
    """
    leads, own = scores[:, None] - scores, np.diag(covariance)
    with np.errstate(invalid="ignore"):  # the variance of what was never judged may be infinite
        variance = own[:, None] + own - 2 * covariance
    variance[variance < 1e-12 * np.where(np.isfinite(own), own, 0.0).max(initial=0.0)] = 0.0
    known = (variance > 0) & (comparable(leads) > 0)
    information = np.divide(1.0, variance, out=np.zeros_like(variance), where=known)
    z = _normal_equivalent(np.maximum(leads, 0.0) * np.sqrt(information), df)
    return np.where(known, z**2 * information / (information + rho) - np.log1p(information / rho), -np.inf)


def _normal_equivalent(t: FloatArray, df: float | None) -> FloatArray:
    """The z with the tail that t has."""
    if df is None:
        return t
    from scipy.special import ndtri, stdtr

    return np.asarray(np.minimum(-ndtri(stdtr(df, -t)), _FARTHEST))


@dataclass(frozen=True, eq=False)
class Claims:
    """The boundaries that are there with a chance of 1 − p, all of them together and whenever looked at.

    ``order`` are the codes of the systems, best first; ``claimed[k − 1]`` says whether all of the first k are surely
    better than all of the others.
    """

    order: IntArray = field(repr=False)
    claimed: BoolArray
    p: float

    @cached_property
    def blocks(self) -> tuple[tuple[int, int], ...]:
        """First place (from 0) and the place after the last of every run of systems without a boundary."""
        ends = [0, *(np.flatnonzero(self.claimed) + 1).tolist(), len(self.order)]
        return tuple(pairwise(ends))

    @cached_property
    def clusters(self) -> IntArray:
        """The block of every system, from 1, by code."""
        numbers = np.empty(len(self.order), dtype=np.int64)
        numbers[self.order] = 1 + np.concatenate([[0], np.cumsum(self.claimed)])
        return numbers

    @cached_property
    def ranges(self) -> IntArray:
        """First and last rank (systems, 2), by code: the places of the system's block."""
        blocks = np.array(self.blocks, dtype=np.int64)[self.clusters - 1]
        return np.asarray(blocks + np.array([1, 0]))

    @property
    def pairs(self) -> int:
        """M for one more boundary: as many pairs of equals as can stand in the blocks, at least 1."""
        return equals(self.claimed)

    @property
    def open(self) -> tuple[int, ...]:
        """How many systems stand above each boundary that is not claimed."""
        return tuple((np.flatnonzero(~self.claimed) + 1).tolist())


def equals(claimed: BoolArray) -> int:
    """M = Σ ⌊g/2⌋ over blocks of g systems between claims, at least 1: the disjoint pairs that could be equal."""
    ends = np.concatenate([[0], np.flatnonzero(claimed) + 1, [len(claimed) + 1]])
    return max(1, int((np.diff(ends) // 2).sum()))


def claims(
    scores: FloatArray,
    covariance: FloatArray,
    p: float = 0.05,
    *,
    df: float | None = None,
    rho: float = RHO,
    order: IntArray | None = None,
) -> Claims:
    """The boundaries that one state of the scores proves, whatever was looked at before it.

    A boundary is claimed once every system above it passes `critical` against every one below, with the M of the
    blocks between the boundaries claimed so far; that is repeated until there is no new one. Nothing is remembered
    of earlier states: a boundary claimed then may be missing now, and both statements hold.

    Parameters
    ----------
    covariance
        Of the scores, allowing for whatever judgments share (judges, segments).
    order
        Codes of the systems, best first, where that is not the order of the scores.
    """
    if order is None:
        order = np.lexsort((np.arange(len(scores)), -comparable(scores)))
    weakest = across(evidence(scores, covariance, df=df, rho=rho), order)
    claimed = np.zeros(len(weakest), dtype=np.bool_)
    while True:
        passed = claimed | (weakest >= 2 * np.log(equals(claimed) / p))
        if (passed == claimed).all():
            return Claims(order, claimed, p)
        claimed = passed


def across(table: FloatArray, order: IntArray) -> FloatArray:
    """For every boundary, the least `evidence` of a system above it against one below."""
    # From any corner, the least of the rows above and the columns to the right.
    least = np.minimum.accumulate(table[np.ix_(order, order)], axis=0)
    least = np.minimum.accumulate(least[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.diag(least, k=1))


def adjusted(weakest: FloatArray) -> FloatArray:
    """For every boundary the least p at which `claims` claims it, from the `evidence` across it."""
    chances, claimed, largest = np.ones(len(weakest)), np.zeros(len(weakest), dtype=np.bool_), 0.0
    for k in np.argsort(-weakest, kind="stable"):
        largest = max(largest, float(equals(claimed) * np.exp(-weakest[k] / 2)))
        chances[k], claimed[k] = min(largest, 1.0), True
    return chances


def ranges(table: FloatArray, p: float = 0.05) -> IntArray:
    """First and last rank (systems, 2): of each system by itself, with a chance of 1 − p at every look.

    A system is surely better or worse than another by step-down over its n − 1 comparisons (Holm 1979). An error is
    to call it better than one that is better, so each comparison has one side to err on and M is half of those left.
    What `claims` separate these separate, too.
    """
    n = len(table)
    clear = np.maximum(table, table.T)
    np.fill_diagonal(clear, -np.inf)
    falling = -np.sort(-clear, axis=1)
    needed = 2 * np.log(np.maximum(1.0, (n - 1 - np.arange(n)) / 2) / p)
    decided = np.logical_and.accumulate(falling >= needed, axis=1).sum(axis=1)
    least = np.where(decided > 0, falling[np.arange(n), decided - 1], np.inf)[:, None]
    better, worse = table >= least, least <= table.T
    return np.stack([1 + (worse & ~better).sum(axis=1), n - better.sum(axis=1)], axis=1)
