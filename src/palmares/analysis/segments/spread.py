"""Slopes of all segments at once: log c_s ~ N(m, s_c²), each by its own quasi-likelihood, with m and s_c integrated."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...judgments import FloatArray
from .rows import Rows
from .slopes import Noise, score

#: Log slopes at which scores are computed; between them the quasi-likelihood is interpolated by its values and slopes.
_GRID = np.arange(-5.0, 4.01, 0.25)
#: Spreads of log slopes that are thought possible, denser near 0: s = _LARGEST t², for t in equal steps.
_LARGEST, _POINTS = 2.0, 48
#: Steps of scoring to the centre of a posterior, and rounds in which the mean of all settles.
_STEPS, _ROUNDS = 3, 6
#: The mean has settled when it moves by less than this share of the spread.
_SETTLED = 1e-4
#: Nodes are spread by so much more than the curvature at the centre of a posterior says.
_WIDER = 1.3
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(21)


@dataclass(frozen=True)
class Curves:
    """The quasi-log-likelihood of every log slope, its score and its information on a grid: arrays (grid, segments)."""

    height: FloatArray = field(repr=False)
    score: FloatArray = field(repr=False)
    information: FloatArray = field(repr=False)

    @classmethod
    def of(cls, rows: Rows, noise: Noise) -> Curves:
        both = [score(rows, np.full(rows.segments, x), noise) for x in _GRID]
        gradient, information = (np.stack([pair[k] for pair in both]) for k in (0, 1))
        step = _GRID[1] - _GRID[0]
        # By Simpson's rule on every two intervals, corrected at the ends by slopes: the integral of a cubic Hermite.
        bend = np.gradient(gradient, step, axis=0, edge_order=2)
        rise = 0.5 * step * (gradient[1:] + gradient[:-1]) - step**2 / 12 * (bend[1:] - bend[:-1])
        height = np.concatenate([np.zeros((1, rows.segments)), np.cumsum(rise, axis=0)])
        return cls(height, gradient, information)

    def _place(self, x: FloatArray) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
        step = _GRID[1] - _GRID[0]
        place = np.clip((x - _GRID[0]) / step, 0, len(_GRID) - 1 - 1e-9)
        left = place.astype(np.int64)
        return (left, np.broadcast_to(np.arange(x.shape[-1]), x.shape)), place - left

    def at(self, x: FloatArray) -> FloatArray:
        """The height at x (…, segments): cubic between grid points, level beyond them."""
        (left, column), t = self._place(x)
        step = _GRID[1] - _GRID[0]
        low, high = self.height[left, column], self.height[left + 1, column]
        rise, fall = step * self.score[left, column], step * self.score[left + 1, column]
        curve = (2 * t**3 - 3 * t**2 + 1) * low + (t**3 - 2 * t**2 + t) * rise
        return np.asarray(curve + (3 * t**2 - 2 * t**3) * high + (t**3 - t**2) * fall)

    def slope(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Score and information at x, straight between grid points."""
        (left, column), t = self._place(x)
        first, second = (
            (1 - t) * values[left, column] + t * values[left + 1, column] for values in (self.score, self.information)
        )
        return np.asarray(first), np.asarray(second)


@dataclass(frozen=True)
class Slopes:
    """Log slopes relative to the mean segment, with their variances; their mean in the model, and their spread s_c."""

    log: FloatArray = field(repr=False)
    variance: FloatArray = field(repr=False)
    mean: float
    spread: float
    spread_interval: tuple[float, float]
    noise: Noise

    @property
    def reliability(self) -> float:
        """The share of the variance of log slopes that is known."""
        known = float((self.log**2).mean())
        return known / (known + float(self.variance.mean()))


def fit_slopes(rows: Rows, noise: Noise, p: float = 0.05) -> Slopes:
    """Means and variances of x_s − m given all judgments, and what is known of s_c.

    For every s_c the integral over each x_s is Gauss–Hermite quadrature around its own posterior, and m is where the
    likelihood of all segments is largest; flat priors on m and, up to a limit, on s_c.
    """
    curves = Curves.of(rows, noise)
    t = (np.arange(_POINTS) + 0.5) / _POINTS
    spreads, heights, parts, m, x = _LARGEST * t**2, [], [], 0.0, np.zeros(rows.segments)
    for s in spreads:
        m, x, height, means, variances = _given(curves, float(s), m, x)
        heights.append(height)
        parts.append((m, means - m, variances))
    log = np.array(heights) + np.log(t)
    chance = np.exp(log - log.max())
    chance /= chance.sum()
    mean = sum(share * part[1] for share, part in zip(chance, parts, strict=True))
    second = sum(share * (part[2] + part[1] ** 2) for share, part in zip(chance, parts, strict=True))
    below = np.cumsum(chance)
    low, median, high = (float(np.interp(q, below, spreads)) for q in (p / 2, 0.5, 1 - p / 2))
    centre = float(sum(share * part[0] for share, part in zip(chance, parts, strict=True)))
    return Slopes(np.asarray(mean), np.asarray(second - mean**2), centre, median, (low, high), noise)


def _given(
    curves: Curves, s: float, m: float, x: FloatArray
) -> tuple[float, FloatArray, float, FloatArray, FloatArray]:
    """For one spread: m, the centres of posteriors, the log marginal likelihood, and means and variances of x.

    Begins at the m and x of a spread nearby. Variances are those of x − m, with m integrated out.
    """
    for _ in range(_ROUNDS):
        height, means, variances, x = _integrated(curves, s, m, x)
        known = np.maximum(1 - variances / s**2, 1e-9)
        move = float((means - m).sum() / known.sum())
        m += float(np.clip(move, -0.5, 0.5))
        if abs(move) < _SETTLED * s:
            break
    precision = float(known.sum()) / s**2
    return m, x, height - 0.5 * np.log(precision), means, variances + known**2 / precision


def _integrated(curves: Curves, s: float, m: float, x: FloatArray) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """The log marginal likelihood given m and s, means and variances of x, and the centres of its posteriors."""
    for _ in range(_STEPS):
        gradient, information = curves.slope(x)
        x = x + np.clip((gradient - (x - m) / s**2) / (information + s**-2), -1, 1)
    # Wider than the curvature at the centre says: towards slopes of 0 the likelihood is flat.
    sd = _WIDER / np.sqrt(curves.slope(x)[1] + s**-2)
    points = x + sd * _NODES[:, None]
    log = curves.at(points) - 0.5 * ((points - m) / s) ** 2 + 0.5 * _NODES[:, None] ** 2
    top = log.max(axis=0)
    weight = _WEIGHTS[:, None] * np.exp(log - top)
    total = weight.sum(axis=0)
    means = (weight * points).sum(axis=0) / total
    variances = (weight * (points - means) ** 2).sum(axis=0) / total
    height = float((top + np.log(total * sd / s)).sum())
    return height, means, variances, x
