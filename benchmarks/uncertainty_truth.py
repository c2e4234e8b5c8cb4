"""Campaigns whose truth is known.

The true scores are what Bradley–Terry with Davidson's ties comes to with infinitely many judgments by infinitely many
judges on infinitely many segments: its fit to the expected outcomes of every pair, where no prior plays a part. The fit
here is written apart from the library's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from palmares.judgments import FloatArray, IntArray, Judgments

#: Scores that differ by less are those of equal systems.
SAME = 1e-7


@dataclass(frozen=True)
class Campaign:
    """Judgments, the true score of every system (mean 0), and the ranks that are true of it, first and last."""

    judgments: Judgments
    scores: FloatArray = field(repr=False)
    places: IntArray = field(repr=False)

    @classmethod
    def of(cls, judgments: Judgments, scores: FloatArray, quality: FloatArray) -> Campaign:
        """Equal ``quality`` is equal truth; its order is that of the scores, which may be known less exactly."""
        above = (quality[:, None] < quality - SAME).sum(axis=1)
        below = (quality[:, None] > quality + SAME).sum(axis=1)
        return cls(judgments, scores - scores.mean(), np.stack([1 + above, len(scores) - below], axis=1))


def davidson(wins: FloatArray, ties: FloatArray) -> FloatArray:
    """Maximum likelihood scores, mean 0, of expected wins [i, j] and ties (symmetric), by Newton's method."""
    n = len(wins)
    i, j = np.triu_indices(n, 1)
    shares = np.stack([wins[i, j], ties[i, j], wins[j, i]])
    total = shares.sum(axis=0)
    rows = np.zeros((len(i), n))
    rows[np.arange(len(i)), i], rows[np.arange(len(i)), j] = 0.5, -0.5
    # The features of a win, a tie and a loss in Davidson's log-linear form: half the difference, and one for a tie.
    features = np.stack([np.c_[rows, 0 * total], np.c_[0 * rows, 0 * total + 1], np.c_[-rows, 0 * total]])
    x = np.zeros(n + 1)
    for _ in range(100):
        odds = np.exp(features @ x)
        chances = odds / odds.sum(axis=0)
        gradient = np.einsum("kp,kpf->f", shares - total * chances, features)
        mean = np.einsum("kp,kpf->pf", chances, features)
        square = np.einsum("kp,kpf,kpg->fg", total * chances, features, features)
        information = square - np.einsum("p,pf,pg->fg", total, mean, mean)
        information[:n, :n] += total.sum() / n**2  # the likelihood leaves the mean open
        step = np.linalg.solve(information, gradient)
        x = x + step
        if np.abs(step).max() < 1e-12:
            return np.asarray(x[:n] - x[:n].mean())
    raise ArithmeticError("the fit to the expected outcomes did not converge")
