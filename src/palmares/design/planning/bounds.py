"""The clusters and rank ranges that `rank` would show of many simulated campaigns, from scores and covariances alone.

`rank` draws around the scores with the covariance it has found, and so does this, with fewer draws and for all
campaigns at once; what holds jointly, or at every look, needs no draws.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from ...judgments import BoolArray, FloatArray, IntArray
from ...ranking.anytime import RHO, equals
from ...ranking.ranges import least_samples
from ..targets import Target

#: Boundaries that hold each by itself, all of them together, or all of them at every look.
Bounds = Literal["marginal", "joint", "any"]
BOUNDS: tuple[Bounds, ...] = get_args(Bounds)
#: Draws for the rank ranges of one campaign.
DRAWS = 400


@dataclass(frozen=True)
class States:
    """Many campaigns, each at the moment it is ranked: scores (campaigns, systems), and how sure they are said to be.

    The covariance of campaign e is ``shape[e]`` (campaigns or 1, systems, systems: it may be the same for all) with
    every standard error times ``stretch[e]`` (campaigns, systems). ``df`` are the degrees of freedom of its estimate,
    ``first`` the system that is truly best.
    """

    scores: FloatArray = field(repr=False)
    shape: FloatArray = field(repr=False)
    stretch: FloatArray = field(repr=False)
    df: float | None
    first: IntArray = field(repr=False)


@dataclass(frozen=True)
class Noise:
    """Draws that all states share, so that curves are smooth: normal deviates (draws, systems) and chances (draws)."""

    normal: FloatArray = field(repr=False)
    chance: FloatArray = field(repr=False)

    @classmethod
    def drawn(cls, systems: int, p: float, rng: np.random.Generator) -> Noise:
        draws = max(DRAWS, 5 * least_samples(p))
        return cls(rng.standard_normal((draws, systems)), rng.random(draws))

    def heavy(self, df: float | None) -> FloatArray:
        """What makes a normal draw one of a t distribution."""
        from scipy.special import chdtri

        return np.ones(len(self.chance)) if df is None else np.sqrt(df / chdtri(df, self.chance))


@dataclass(frozen=True)
class Measured:
    """Of every campaign, the measure of a target (a share, a number of clusters or of ranks, 0 or 1), and whether that
    is enough.
    """

    values: FloatArray = field(repr=False)
    met: BoolArray = field(repr=False)


def measured(states: States, target: Target, bounds: Bounds, noise: Noise, p: float) -> Measured:
    """What `rank` would show of every state."""
    if target.kind == "best" and target.value is not None:
        right = states.scores.argmax(axis=1) == states.first
        return Measured(right.astype(np.float64), right)
    if target.kind == "widest" and target.value is not None:
        widest = widest_ranges(states, bounds, noise, p)
        return Measured(widest.astype(np.float64), widest <= target.value)
    claimed = boundaries(states, bounds, noise, p)
    values = {"clusters": 1.0 + claimed.sum(axis=1), "best": claimed[:, 0].astype(np.float64)}
    return Measured(values[target.kind] if target.kind in values else _separated(claimed), target.reached(claimed))


def boundaries(states: States, bounds: Bounds, noise: Noise, p: float) -> BoolArray:
    """The boundaries that are there (campaigns, systems − 1), best first."""
    if bounds == "marginal":
        return _disjoint(_ranges(states, noise, p))
    return _jointly(_Sorted.of(states), states.df, p) if bounds == "joint" else _at_any_look(states, p)


def widest_ranges(states: States, bounds: Bounds, noise: Noise, p: float) -> IntArray:
    """The number of ranks in the widest rank range of every campaign; at any look, of systems without a boundary."""
    if bounds == "marginal":
        ranges = _ranges(states, noise, p)
        return np.asarray((ranges[..., 1] - ranges[..., 0] + 1).max(axis=1))
    return _widest_jointly(states, noise, p) if bounds == "joint" else _longest(_at_any_look(states, p))


def roots(covariances: FloatArray) -> FloatArray:
    """Matrices L (…, systems, systems) with L Lᵀ the covariances, but for a shift of all systems alike.

    Covariances of scores relative to their mean are singular in that direction, in which nothing here depends.
    """
    n = covariances.shape[-1]
    size = np.trace(covariances, axis1=-2, axis2=-1)[..., None, None] / n + 1e-300
    return np.asarray(np.linalg.cholesky(covariances + size * (1 / n + 1e-9 * np.eye(n))))


def _separated(claimed: BoolArray) -> FloatArray:
    """The share of pairs of systems with a boundary between them."""
    campaigns, systems = len(claimed), claimed.shape[1] + 1
    block = np.concatenate([np.zeros((campaigns, 1), dtype=np.int64), claimed.cumsum(axis=1)], axis=1)
    together = (block[:, :, None] == block[:, None]).sum(axis=(1, 2)) - systems
    return np.asarray(1 - together / (systems * (systems - 1)))


def _ranges(states: States, noise: Noise, p: float) -> IntArray:
    """Rank ranges (campaigns, systems, 2) of draws (`ranking.ranges`)."""
    from ...kernels.rank_ranges import drawn_ranges

    cut = int(np.ceil(len(noise.normal) * p / 2 - 1e-9))
    return drawn_ranges(states.scores, roots(states.shape), states.stretch, noise.normal, noise.heavy(states.df), cut)


def _disjoint(ranges: IntArray) -> BoolArray:
    """Where a cluster begins, in the order in which ranges start."""
    order = np.argsort(ranges[..., 0], axis=1, kind="stable")
    start, end = (np.take_along_axis(ranges[..., side], order, axis=1) for side in (0, 1))
    return np.asarray(start[:, 1:] > np.maximum.accumulate(end, axis=1)[:, :-1])


@dataclass(frozen=True)
class _Sorted:
    """States in the order of their scores: leads and variances (campaigns, systems, systems) of all differences."""

    leads: FloatArray
    variance: FloatArray

    @classmethod
    def of(cls, states: States) -> _Sorted:
        order = np.argsort(-states.scores, axis=1, kind="stable")
        level = np.take_along_axis(states.scores, order, axis=1)
        covariance = states.stretch[:, :, None] * states.shape * states.stretch[:, None]
        campaign = np.arange(len(order))[:, None, None]
        covariance = covariance[campaign, order[:, :, None], order[:, None]]
        own = np.diagonal(covariance, axis1=1, axis2=2)
        variance = np.maximum(own[:, :, None] + own[:, None] - 2 * covariance, 0.0)
        variance[variance < 1e-12 * own.max(axis=1)[:, None, None]] = 0.0
        return cls(level[:, :, None] - level[:, None], variance)

    @property
    def clear(self) -> FloatArray:
        """Leads in standard errors."""
        errors = np.sqrt(self.variance)
        return np.divide(self.leads, errors, out=np.full_like(errors, np.inf), where=errors > 0)


def _least_across(table: FloatArray) -> FloatArray:
    """For every boundary, the least entry of a row above it and a column below it: (campaigns, systems − 1)."""
    least = np.minimum.accumulate(table, axis=1)
    least = np.minimum.accumulate(least[:, :, ::-1], axis=2)[:, :, ::-1]
    return np.asarray(np.diagonal(least, offset=1, axis1=1, axis2=2))


def _jointly(by_order: _Sorted, df: float | None, p: float) -> BoolArray:
    """Boundaries of which none is wrong with a chance of 1 − p (`ranking.joint`, by Holm)."""
    from scipy.special import ndtr, stdtr

    weakest = _least_across(by_order.clear)
    tails = 2 * (ndtr(-weakest) if df is None else stdtr(df, -weakest))
    rising = np.sort(tails, axis=1)
    # The smallest is compared with p / (n − 1), the next with p / (n − 2), …, until one fails.
    holds = np.logical_and.accumulate(rising <= p / np.arange(tails.shape[1], 0, -1), axis=1)
    return np.asarray(tails <= np.where(holds, rising, -1.0).max(axis=1)[:, None])


def _widest_jointly(states: States, noise: Noise, p: float) -> IntArray:
    """The widest joint rank range of every campaign (`ranking.joint`, by step-down over all pairs)."""
    i, j = np.triu_indices(states.scores.shape[1], 1)
    heavy, shapes = noise.heavy(states.df), roots(states.shape)
    widest = np.empty(len(states.scores), dtype=np.int64)
    for e, (level, stretch) in enumerate(zip(states.scores, states.stretch, strict=True)):
        draws = (noise.normal @ shapes[e if len(shapes) > 1 else 0].T) * stretch
        apart = draws[:, i] - draws[:, j]
        errors = np.sqrt(np.maximum((apart**2).mean(axis=0), 1e-300))
        standardised = np.abs(apart) / errors * heavy[:, None]
        widest[e] = _widest(_surely(standardised, np.abs(level[i] - level[j]) / errors, p), i, j)
    return widest


def _surely(errors: FloatArray, clear: FloatArray, p: float) -> BoolArray:
    """Which pairs are ordered: those beyond the largest error of any pair that is not ordered yet, again and again."""
    surely = np.zeros(len(clear), dtype=np.bool_)
    while not surely.all():
        more = surely | (clear > np.quantile(errors[:, ~surely].max(axis=1), 1 - p))
        if (more == surely).all():
            break
        surely = more
    return surely


def _widest(surely: BoolArray, i: IntArray, j: IntArray) -> int:
    n = int(j.max()) + 1
    return int(n - (np.bincount(i[surely], minlength=n) + np.bincount(j[surely], minlength=n)).min())


def _at_any_look(states: States, p: float) -> BoolArray:
    """`ranking.anytime.claims` of every state."""
    weakest = _least_across(_evidence(_Sorted.of(states), states.df))
    claimed = np.zeros(weakest.shape, dtype=np.bool_)
    for row, known in zip(claimed, weakest, strict=True):
        while (passed := row | (known >= 2 * np.log(equals(row) / p))).sum() > row.sum():
            row |= passed
    return claimed


def _evidence(by_order: _Sorted, df: float | None) -> FloatArray:
    """`ranking.anytime.evidence` of many states at once; what is below the diagonal does not matter."""
    from scipy.special import ndtri, stdtr

    known = by_order.variance > 0
    information = np.divide(1.0, by_order.variance, out=np.zeros_like(by_order.variance), where=known)
    z = np.maximum(by_order.leads, 0.0) * np.sqrt(information)
    if df is not None:
        # Beyond this, tails are 0 in floating point.
        z = np.minimum(-ndtri(stdtr(df, -z)), 37.5)
    return np.where(known, z**2 * information / (information + RHO) - np.log1p(information / RHO), -np.inf)


def _longest(claimed: BoolArray) -> IntArray:
    """The largest number of systems without a boundary between them."""
    run = np.ones(len(claimed), dtype=np.int64)
    longest = run.copy()
    for boundary in claimed.T:
        run = np.where(boundary, 1, run + 1)
        longest = np.maximum(longest, run)
    return longest
