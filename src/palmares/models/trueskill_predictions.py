"""What ``trueskill`` predicts: the difference of two skills, cut into win, tie and loss."""

from __future__ import annotations

import numpy as np

from ..judgments import FloatArray, PairCounts
from .cuts import FIT, Constant, Direction, fitted_constants

#: No outcome is given less than this, so that a judgment nobody expected has a finite surprise.
_LEAST = 1e-12


def cut_difference(mean: FloatArray, deviation: FloatArray, radius: float) -> FloatArray:
    """P(win), P(tie), P(loss) of every pair: the normal difference above, within and below ± radius."""
    from scipy.special import ndtr

    width = np.sqrt(deviation[:, None] ** 2 + deviation**2)
    difference = mean[:, None] - mean
    win = ndtr((difference - radius) / width)
    loss = ndtr((-difference - radius) / width)
    outcomes = np.maximum(np.stack([win, 1 - win - loss, loss], axis=-1), _LEAST)
    return np.asarray(outcomes / outcomes.sum(-1, keepdims=True))


def prediction_constants(
    constants: tuple[Constant, Constant], mean: FloatArray, variance: FloatArray, counts: PairCounts
) -> tuple[float, float]:
    """Radius and spread: as set, or those under which the skills give the judgments most probability.

    P(win) = Φ((d − r)/(k w)) with d = μ1 − μ2, w² = σ1² + σ2²; linear, so concave, in 1/k and r/k.
    """
    radius, spread = constants
    narrow = 1 / np.sqrt(variance[:, None] + variance)
    apart = (mean[:, None] - mean) * narrow
    nothing, usual = Direction(0.0, 0.0), 0.25 / float(narrow.mean())
    if radius == FIT and spread == FIT:
        both = [Direction(apart, 0.0), Direction(0.0, narrow)]
        slope, cut = fitted_constants(counts, nothing, both, [1.0, usual])
        return cut / slope, 1 / slope
    if radius == FIT:
        (cut,) = fitted_constants(counts, Direction(apart / float(spread), 0.0), [Direction(0.0, narrow)], [usual])
        return cut * float(spread), float(spread)
    if spread == FIT:
        (slope,) = fitted_constants(counts, nothing, [Direction(apart, float(radius) * narrow)], [1.0])
        return float(radius), 1 / slope
    return float(radius), float(spread)
