"""How likely is it that a system is best, or better than another? Draws from a posterior with estimated spread.

The share of bootstrap samples in which a system is first is no such probability: where systems are close, whoever
happens to lead has been lucky, and samples repeat the luck. Believing that true scores vary around a common mean with a
standard deviation τ that the scores themselves tell, draws are pulled towards the mean the more the less is known of a
system, and so a newcomer with one win does not lead. τ is integrated over; its prior is half-Cauchy (Gelman 2006), its
scale three times the errors of the scores, which is nearly flat where scores tell τ and matters with two or three.
"""

from __future__ import annotations

import numpy as np

from ..judgments import FloatArray

#: Values of τ on a grid, from a fiftieth of the smallest error to six times what scores spread at most.
_GRID = 80
#: Of the prior of τ, in errors of the scores.
_SCALE = 3.0


def posterior(
    scores: FloatArray, covariance: FloatArray, df: float | None, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draws (draws, systems) of the true scores, relative to their mean.

    Parameters
    ----------
    covariance
        Of the scores.
    df
        Degrees of freedom of the covariance; None for many.
    """
    n = len(scores)
    centre = np.eye(n) - 1 / n
    # In directions that the scores vary in independently of each other; the mean of all is none of them.
    variance, directions = np.linalg.eigh(centre @ covariance @ centre)
    known = variance > 1e-10 * max(variance.max(), 0.0)
    if not known.any():
        return np.tile(scores - scores.mean(), (draws, 1))
    variance, directions = variance[known], directions[:, known]
    place = directions.T @ scores
    tau = rng.choice(_grid(place, variance), draws, p=_weights(place, variance))
    wide = np.ones(draws) if df is None else df / rng.chisquare(df, draws)
    noise = variance * wide[:, None]
    keep = tau[:, None] ** 2 / (tau[:, None] ** 2 + noise)
    # Drawn by system and then turned, so that nothing depends on which directions stand for equal variances.
    drawn = keep * place + np.sqrt(keep * noise) * (rng.standard_normal((draws, n)) @ directions)
    # What no sample ever varied is taken as it is.
    fixed = scores - scores.mean() - directions @ place
    return np.asarray(drawn @ directions.T + fixed)


def _grid(place: FloatArray, variance: FloatArray) -> FloatArray:
    most = 6 * np.sqrt((place**2).mean() + variance.mean())
    return np.concatenate([[0.0], np.geomspace(0.02 * np.sqrt(variance.min()), most, _GRID)])


def _weights(place: FloatArray, variance: FloatArray) -> FloatArray:
    """The posterior of τ on the grid: its likelihood and prior, times the width of grid that a value stands for."""
    tau = _grid(place, variance)
    total = variance + tau[:, None] ** 2
    likelihood = -0.5 * (np.log(total) + place**2 / total).sum(axis=1)
    prior = 1 / (1 + tau**2 / (_SCALE**2 * variance.mean()))
    weight = np.exp(likelihood - likelihood.max()) * prior * np.gradient(tau)
    return np.asarray(weight / weight.sum())
