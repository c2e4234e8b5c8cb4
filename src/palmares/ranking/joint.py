"""What can be said of all systems at once, with one chance p that any of it is wrong.

A rank range or a cluster boundary that holds with 95 % by itself is one of many: of twelve systems, six pairs of them
equal, a quarter of campaigns show a boundary that is not there. Here the chance of *any* error is at most p: for the
order of every two systems, and the rank ranges that follow (Mogstad, Romano, Shaikh & Wilhelm 2024, by the step-down of
Romano & Wolf 2005), and, as a family of its own, for the boundaries (Holm 1979).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..judgments import FloatArray, IntArray
from .bootstrap import Replicates, comparable
from .significance import holm

_NUMBERS_IN_A_PIECE = 4_000_000


@dataclass(frozen=True)
class Boundary:
    """The place between two neighbours of a ranking.

    Attributes
    ----------
    above
        How many systems stand above it.
    p
        That all above are better than all below, adjusted over the boundaries (Holm 1979): the chance that so clear a
        boundary, or any other that is at least as clear, shows where two systems on its sides are equal.
    marginal
        Whether a new cluster begins here: the rank ranges on both sides, each at its own level, do not overlap.
    joint
        Whether it is one of the boundaries that hold together.
    """

    above: int
    p: float
    marginal: bool
    joint: bool


@dataclass(frozen=True)
class Joint:
    """Adjusted p-values: ``pairs[i, j]`` that i is not better than j; ``boundaries[k]`` of the one below k + 1 systems.

    ``pairs`` is by the codes of the systems, ``boundaries`` in the order of the ranking.
    """

    pairs: FloatArray = field(repr=False)
    boundaries: FloatArray = field(repr=False)

    def ranges(self, p: float) -> IntArray:
        """First and last rank of every system, all of which hold together."""
        surely = self.pairs <= p
        np.fill_diagonal(surely, False)
        return np.stack([1 + surely.sum(axis=0), len(surely) - surely.sum(axis=1)], axis=1)


def joint(scores: FloatArray, samples: Replicates, order: IntArray, least: FloatArray | float = 0.0) -> Joint:
    """From scores, and samples whose deviations are how scores may err together.

    Parameters
    ----------
    order
        Codes of the systems, best first.
    least
        The least p that what is known of each system can give, whatever the samples say.
    """
    from scipy.special import ndtr, stdtr

    covariance, df = samples.spread, samples.df
    leads = comparable(scores[:, None] - scores)
    variance = np.diag(covariance)
    errors = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0.0))
    errors[errors < 1e-9 * errors.max(initial=0.0)] = 0.0
    never_varied = np.where(leads > 0, np.inf, np.where(leads < 0, -np.inf, 0.0))
    clear = np.divide(leads, errors, out=never_varied, where=errors > 0)
    weakest = _least_across(clear[np.ix_(order, order)])
    tails = ndtr(-weakest) if df is None else stdtr(df, -weakest)
    # Two-sided: which systems stand above the boundary was chosen by looking at the same scores.
    sure = np.broadcast_to(np.asarray(least, dtype=np.float64), scores.shape)
    pairs = _pairs(clear, errors, samples.scores - samples.scores.mean(axis=0))
    # Every system stands on one side of a boundary, and is compared across it.
    return Joint(
        np.maximum(pairs, np.maximum(sure[:, None], sure)), _adjusted(np.maximum(2 * tails, sure.max(initial=0.0)))
    )


def joint_of_tests(worse: FloatArray, order: IntArray) -> Joint:
    """From pairwise tests: ``worse[i, j]`` is how likely i does so badly against j, were they equal (one-sided).

    What holds of all at once rests on two-sided tests in any case: which of two systems is called better is chosen by
    looking at them, and with one-sided tests two equal ones would be ordered with twice the chance of error.
    """
    n = len(worse)
    i, j = np.triu_indices(n, 1)
    both = 2 * np.minimum(worse[i, j], worse[j, i])
    adjusted = _adjusted(both)
    pairs = np.ones((n, n))
    better = worse[j, i] <= worse[i, j]
    pairs[np.where(better, i, j), np.where(better, j, i)] = adjusted
    # A boundary is as sure as the least sure of its pairs, the upper system being better in each.
    least = -_least_across(-worse.T[np.ix_(order, order)])
    return Joint(pairs, _adjusted(2 * least))


def boundaries_of(adjusted: FloatArray, numbers: IntArray, p: float) -> tuple[Boundary, ...]:
    """The boundaries of a ranking.

    Parameters
    ----------
    adjusted
        Their p-values.
    numbers
        The cluster of every system, in the order of the ranking.
    """
    begins = np.minimum.accumulate(numbers[::-1])[::-1][1:] > np.maximum.accumulate(numbers)[:-1]
    return tuple(
        Boundary(k, float(chance), bool(begin), bool(begin and chance <= p))
        for k, (chance, begin) in enumerate(zip(adjusted, begins, strict=True), 1)
    )


def _adjusted(chances: FloatArray) -> FloatArray:
    return np.asarray(holm(np.minimum(chances, 1.0).tolist()))


def _least_across(table: FloatArray) -> FloatArray:
    """For every boundary, the least entry of a row above it and a column below it."""
    return np.array([table[:k, k:].min() for k in range(1, len(table))])


def _pairs(clear: FloatArray, errors: FloatArray, deviations: FloatArray) -> FloatArray:
    """Adjusted p-values of every order of two systems, by step-down: the clearest pair is compared with the largest
    error of any pair in each draw, the next one with the largest of any pair but the first, and so on.
    """
    n = len(clear)
    i, j = np.triu_indices(n, 1)
    seen = np.abs(clear[i, j])
    rising = np.argsort(seen, kind="stable")
    i, j, seen = i[rising], j[rising], seen[rising]
    exceeded = np.zeros(len(seen))
    scale = np.where(errors[i, j] > 0, errors[i, j], np.inf)
    for lo in range(0, len(deviations), step := max(1, _NUMBERS_IN_A_PIECE // max(len(seen), 1))):
        part = deviations[lo : lo + step]
        largest = np.maximum.accumulate(np.abs(part[:, i] - part[:, j]) / scale, axis=1)
        exceeded += (largest >= seen).sum(axis=0)
    chance = (exceeded + 1) / (len(deviations) + 1)
    adjusted = np.maximum.accumulate(chance[::-1])[::-1]
    pairs = np.ones((n, n))
    above = clear[i, j] > 0
    pairs[np.where(above, i, j), np.where(above, j, i)] = adjusted
    return pairs
