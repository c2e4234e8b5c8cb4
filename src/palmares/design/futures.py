"""What may come: scores as they could be after more judgments, and what could then be claimed.

The true scores are believed as for P(best) (`ranking.beliefs`): drawn from a posterior whose spread the scores tell.
What a draw implies that scores err by now has two parts. The one that the same judges and segments share stays; the one
that comes of single judgments fades: with f times the judgments, chosen as those so far were, it is what it was, and a
Brownian motion on top, divided by f.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..judgments import BoolArray, FloatArray, IntArray
from ..ranking.anytime import Claims, critical
from ..ranking.beliefs import posterior

#: Up to so many systems, all of them are compared across every boundary …
MANY = 40
#: … and of more only so many places on each side.
_WINDOW = 12
#: How far a motion looked at in steps goes beyond what is seen, in standard deviations of a step: −ζ(½)/√(2π)
#: (Broadie, Glasserman & Kou 1997).
_BETWEEN = 0.5826
#: A variance so small is none that is known.
_NOTHING = 1e-100
#: Smaller shares of the largest variance are none but for rounding: numpy's own limit is sometimes below it.
_ROUNDING = 1e-10
#: Of the systems nearest to a boundary, so many on each side are compared by dedicated comparisons …
_NEAREST = 3
#: … of which this share is spread evenly over their pairs, and the rest goes to the closest ones.
_EVENLY = 0.3


@dataclass(frozen=True)
class State:
    """What is known now. Scores and covariance are seen from the mean of all systems.

    ``shared`` is the share of every score's variance that judgments of the same judge or segment have in common.
    """

    scores: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    shared: FloatArray = field(repr=False)
    claims: Claims
    df: float | None
    rho: float
    p: float

    @classmethod
    def of(
        cls,
        scores: FloatArray,
        covariance: FloatArray,
        shared: FloatArray | None,
        *,
        claims: Claims,
        df: float | None,
        rho: float,
        p: float,
    ) -> State:
        n = len(scores)
        centre = np.eye(n) - 1 / n
        share = np.zeros(n) if shared is None else np.clip(shared, 0.0, 1.0)
        return cls(scores - scores.mean(), centre @ covariance @ centre, share, claims, df, rho, p)

    @property
    def falling(self) -> FloatArray:
        """The covariance of what comes of single judgments."""
        own = np.sqrt(1 - self.shared)
        return np.asarray(own[:, None] * self.covariance * own)

    @property
    def staying(self) -> FloatArray:
        """The covariance of what the same judges and segments have in common."""
        common = np.sqrt(self.shared)
        return np.asarray(common[:, None] * self.covariance * common)

    @property
    def wider(self) -> float:
        """How many times z² must be what it must be with many degrees of freedom: about as often for all pairs."""
        if self.df is None:
            return 1.0
        variance = _differences(self.covariance)[np.triu_indices(len(self.scores), 1)]
        typical, pairs = 1 / max(float(np.median(variance)), 1e-300), self.claims.pairs
        usual, few = (critical(typical, pairs, self.p, df=df, rho=self.rho) for df in (None, self.df))
        return float(few / usual)


class Beliefs(NamedTuple):
    """Draws (draws, systems) of the true scores, and of the parts of the error that stay and that fade."""

    truth: FloatArray
    lasting: FloatArray
    passing: FloatArray


def believed(state: State, draws: int, rng: np.random.Generator) -> Beliefs:
    """What may be true now."""
    truth = posterior(state.scores, state.covariance, state.df, draws, rng)
    error = state.scores - truth
    if not state.shared.any():
        return Beliefs(truth, np.zeros_like(error), error)
    # Of the error that a draw implies, what the same judges would make again.
    staying = state.staying
    share = staying @ np.linalg.pinv(state.falling + staying, rcond=_ROUNDING, hermitian=True)
    lasting = error @ share.T + rng.standard_normal(error.shape) @ _root(staying - share @ staying).T
    return Beliefs(truth, lasting, error - lasting)


def as_so_far(state: State, factors: FloatArray, draws: int, rng: np.random.Generator) -> tuple[BoolArray, IntArray]:
    """What is claimed with so many times the judgments, chosen as those so far: boundaries, and blocks by code."""
    # Here, so that nobody waits for the compiler who asks for no forecast.
    from ..kernels.claiming import claimed_along

    truth, lasting, passing = believed(state, draws, rng)
    n, falling = len(state.scores), state.falling
    steps = np.sqrt(np.diff(factors, prepend=1.0))[:, None]
    motion = (rng.standard_normal((draws, len(factors), n)) * steps) @ _root(falling).T
    fading = (passing[:, None, :] + motion.cumsum(axis=1)) / factors[:, None]
    claimed, blocks = claimed_along(
        (truth + lasting)[:, None, :] + fading, factors, _differences(falling), _differences(state.staying),
        state.rho, state.wider, state.claims.order, state.p, n if n <= MANY else _WINDOW,
        _BETWEEN,
    )  # fmt: skip
    return claimed, blocks


def across(
    state: State, judgments: int, more: FloatArray, draws: int, rng: np.random.Generator
) -> dict[int, BoolArray]:
    """Whether the two systems at each open boundary are told apart, if only comparisons across it are asked.

    These are of the three systems nearest on each side, the pairs that are closest by far the most. A comparison tells
    as much as one told so far on average: tr V⁺ = 2 N J, the information of N judgments of J each. For each boundary,
    by how many stand above it, an array (draws, steps).

    Parameters
    ----------
    more
        Numbers of further judgments, in multiples of those there are.
    """
    beliefs, order = believed(state, draws, rng), state.claims.order
    falling, staying = state.falling, state.staying
    told = _information(falling) / 2 * more
    needed = 2 * np.log(state.claims.pairs / state.p)
    shown = {}
    for k in state.claims.open:
        near = order[max(k - _NEAREST, 0) : k + _NEAREST]
        grid = np.ix_(near, near)
        part = Beliefs(*(each[:, near] for each in beliefs))
        scores, covariance = _asked(state.scores[near], falling[grid], part, told, min(k, _NEAREST), rng)
        shown[k] = _apart(scores, covariance + staying[grid], min(k, _NEAREST), state, near) >= needed
    return shown


def _information(covariance: FloatArray) -> float:
    """tr V⁺: seen from their mean, scores have one direction without variance, which rounding leaves next to none."""
    variances = np.linalg.eigvalsh(covariance)
    return float(np.sum(1 / variances[variances > _ROUNDING * variances.max(initial=0.0)]))


def _asked(
    scores: FloatArray, falling: FloatArray, beliefs: Beliefs, told: FloatArray, above: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Scores (draws, steps, systems) and their covariance (steps, systems, systems) after comparisons across.

    Parameters
    ----------
    told
        The information that all of them have given, at every step.
    above
        How many of the systems stand above the boundary.
    """
    i, j = (side.ravel() for side in np.mgrid[:above, above : len(scores)])
    z = (scores[i] - scores[j]) / np.sqrt(np.maximum(_differences(falling)[i, j], 1e-300))
    share = np.exp(-(z**2 - (z**2).min()) / 2)
    share = (1 - _EVENLY) * share / share.sum() + _EVENLY / len(share)
    contrasts = np.zeros((len(scores), len(i)))
    contrasts[i, np.arange(len(i))], contrasts[j, np.arange(len(j))] = 1.0, -1.0
    # The information of every difference by step; next to none where all that is unsure is what judges share.
    known = np.maximum(told[:, None] * share, 1e-200)
    noise = rng.standard_normal((len(beliefs.truth), *known.shape)) * np.sqrt(np.diff(known, axis=0, prepend=0.0))
    seen = noise.cumsum(axis=1) / known
    spread = falling @ contrasts
    own = contrasts.T @ spread
    weight = spread @ np.linalg.inv(own + np.eye(len(i)) / known[:, None, :])
    surprise = (beliefs.passing @ contrasts)[:, None, :] - seen
    passing = beliefs.passing[:, None, :] - np.einsum("gnr,dgr->dgn", weight, surprise)
    return (beliefs.truth + beliefs.lasting)[:, None, :] + passing, falling - weight @ spread.T


def _apart(scores: FloatArray, covariance: FloatArray, above: int, state: State, near: IntArray) -> FloatArray:
    """The evidence (draws, steps) for the boundary as it is, or with the two systems at it the other way round."""
    n = scores.shape[-1]
    own = np.diagonal(covariance, axis1=1, axis2=2)
    variance = np.maximum(own[:, :, None] + own[:, None, :] - 2 * covariance, _NOTHING)
    information = 1 / variance
    gained = np.diff(information, axis=0, prepend=_now(state, near))
    reach = _BETWEEN * np.sqrt(np.maximum(gained / information, 0.0))
    orders = [list(range(n)), [*range(above - 1), above, above - 1, *range(above + 1, n)]]
    known = []
    for order in orders:
        i, j = np.array(order)[np.mgrid[:above, above:n].reshape(2, -1)]
        leads, told = scores[..., i] - scores[..., j], information[:, i, j]
        z = leads * np.sqrt(told) + reach[:, i, j]
        evidence = z**2 * told / (told + state.rho) / state.wider - np.log1p(told / state.rho)
        known.append(np.where((z > 0) & (told < 1 / _NOTHING), evidence, -np.inf).min(axis=-1))
    return np.asarray(np.maximum(known[0], known[1]))


def _now(state: State, near: IntArray) -> FloatArray:
    """The information of differences before any more is asked, as a step."""
    return 1 / np.maximum(_differences((state.falling + state.staying)[np.ix_(near, near)]), _NOTHING)[None]


def _root(covariance: FloatArray) -> FloatArray:
    """The symmetric root, which changes little if the covariance does: directions alone may turn."""
    variance, directions = np.linalg.eigh(covariance)
    return np.asarray((directions * np.sqrt(np.maximum(variance, 0.0))) @ directions.T)


def _differences(covariance: FloatArray) -> FloatArray:
    """Variances of the differences of every two scores."""
    own = np.diag(covariance)
    return np.asarray(np.maximum(own[:, None] + own - 2 * covariance, 0.0))
