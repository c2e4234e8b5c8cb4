"""Expectation propagation for TrueSkill: all judgments at once, or one ranking of several systems.

Every (pair, outcome) is one Gaussian factor on the difference of the two systems, taken as often as it was counted.
The posterior of all systems is kept with its covariances, so the only approximation is that the factors are Gaussian.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray
from .compiling import compiled
from .normal import tie_moments, win_moments


class Matches(NamedTuple):
    """``first`` beat ``second``, or ``tied`` with it, ``amount`` times."""

    first: IntArray
    second: IntArray
    tied: BoolArray
    amount: FloatArray


class Rankings(NamedTuple):
    """Ranking r has ``members[starts[r]:starts[r + 1]]``, best first, ``tied`` with the one before or not."""

    starts: IntArray
    members: IntArray
    tied: BoolArray


@compiled()
def propagate(
    mean: FloatArray,
    variance: FloatArray,
    matches: Matches,
    noise: float,
    margin: float,
    tolerance: float,
    most: int,
) -> tuple[FloatArray, FloatArray, int, float]:  # pragma: no cover - compiled
    """Posterior means and variances from independent normal priors, sweeps made, and the last change of a mean.

    The difference of two systems is seen with variance ``noise``. All factors are renewed at once; the step is halved
    whenever the change grows, so that sweeps cannot go round in a circle.
    """
    first, second, tied, count = matches
    precision, shift = np.zeros(len(first)), np.zeros(len(first))
    centre, covariance, common = _posterior(mean, variance, first, second, count, precision, shift)
    step, change, sweeps = 1.0, math.inf, 0
    while sweeps < most and change > tolerance:
        sweeps += 1
        for k in range(len(first)):
            new_precision, new_shift = _factor(
                centre, covariance, first[k], second[k], tied[k], precision[k], shift[k], noise, margin
            )
            precision[k] += step * (new_precision - precision[k])
            shift[k] += step * (new_shift - shift[k])
        before, centre_before = change, centre
        centre, covariance, common = _posterior(mean, variance, first, second, count, precision, shift)
        change = np.abs(centre - centre_before).max() / step
        if change > before:
            step = max(step / 2, 1 / 64)
    return centre, np.diag(covariance) + common, sweeps, change


@compiled()
def _posterior(
    mean: FloatArray,
    variance: FloatArray,
    first: IntArray,
    second: IntArray,
    count: FloatArray,
    precision: FloatArray,
    shift: FloatArray,
) -> tuple[FloatArray, FloatArray, float]:  # pragma: no cover - compiled
    """The product of the prior and all factors, a normal distribution: its mean, its covariance, and what was left out.

    Differences tell nothing about the level that all systems share. With equal priors about 0 it stays as it was, and
    many judgments would make it the one loose direction of a stiff matrix; so it is fixed, and the last number is what
    it adds to every covariance.
    """
    n = len(mean)
    total, pull = np.diag(1 / variance), mean / variance
    stiffness = 0.0
    for k in range(len(first)):
        i, j = first[k], second[k]
        weight = count[k] * precision[k]
        stiffness += weight
        total[i, i] += weight
        total[j, j] += weight
        total[i, j] -= weight
        total[j, i] -= weight
        pull[i] += count[k] * shift[k]
        pull[j] -= count[k] * shift[k]
    if variance.max() > variance.min() or np.abs(mean).max() > 0:
        stiffness = 0.0
    total += stiffness / n
    covariance: FloatArray = np.linalg.inv(total)  # type: ignore[assignment]
    common = (variance[0] - 1 / (1 / variance[0] + stiffness)) / n
    return covariance @ pull, covariance, common


@compiled()
def _factor(
    centre: FloatArray,
    covariance: FloatArray,
    i: int,
    j: int,
    tied: bool,
    precision: float,
    shift: float,
    noise: float,
    margin: float,
) -> tuple[float, float]:  # pragma: no cover - compiled
    """Precision and shift of one factor on s_i − s_j, given all the others.

    The cavity N(m, V) leaves one copy of the factor out. With c² = V + noise, the new precision is
    w / (c² − V w) and the new shift precision · m + c v / (c² − V w).
    """
    spread = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
    spread_left = spread / max(1 - precision * spread, 1e-12)
    middle = spread_left * ((centre[i] - centre[j]) / spread - shift)
    c2 = spread_left + noise
    c = math.sqrt(c2)
    v, w = tie_moments(middle / c, margin / c) if tied else win_moments(middle / c, margin / c)
    rest = max(c2 - spread_left * w, 1e-12 * c2)
    return w / rest, w / rest * middle + c * v / rest


@compiled()
def play_rankings(
    mean: FloatArray,
    variance: FloatArray,
    rankings: Rankings,
    beta: float,
    margin: float,
    both: bool,
    tolerance: float,
) -> float:  # pragma: no cover - compiled
    """Update by every ranking in turn; the largest change that was left when a ranking was done.

    With ``both``, the chain is made in both orders of those that share a place, and averaged.
    """
    starts, members, tied = rankings
    worst = 0.0
    for r in range(len(starts) - 1):
        chain, shared = members[starts[r] : starts[r + 1]], tied[starts[r] : starts[r + 1]]
        m, v, left = _ranked(mean[chain], variance[chain], shared, beta, margin, tolerance)
        worst = max(worst, left)
        if both and len(chain) > 2 and shared.any():
            turned = _ties_turned(shared)
            other_m, other_v, left = _ranked(
                mean[chain[turned]], variance[chain[turned]], shared, beta, margin, tolerance
            )
            worst = max(worst, left)
            m[turned] = (m[turned] + other_m) / 2
            v[turned] = (v[turned] + other_v) / 2
        mean[chain], variance[chain] = m, v
    return worst


@compiled()
def _ranked(
    mean: FloatArray, variance: FloatArray, tied: BoolArray, beta: float, margin: float, tolerance: float
) -> tuple[FloatArray, FloatArray, float]:  # pragma: no cover - compiled
    """Means and variances after one ranking: neighbours' performances N(s, β²) are compared without more noise."""
    n = len(mean)
    wide = variance + beta * beta
    size = math.sqrt(wide.max())
    centre, width, _, left = propagate(
        mean / size,
        wide / (size * size),
        Matches(np.arange(n - 1), np.arange(1, n), tied[1:], np.ones(n - 1)),
        0.0,
        margin / size,
        tolerance,
        200,
    )
    gain = variance / wide
    new_mean = mean + gain * (centre * size - mean)
    return new_mean, variance - gain * gain * (wide - width * size * size), left


@compiled()
def _ties_turned(tied: BoolArray) -> IntArray:  # pragma: no cover - compiled
    """The positions in order, those that share a place in reverse."""
    order = np.arange(len(tied))
    start = 0
    for stop in range(1, len(tied) + 1):
        if stop == len(tied) or not tied[stop]:
            order[start:stop] = order[start:stop][::-1].copy()
            start = stop
    return order
