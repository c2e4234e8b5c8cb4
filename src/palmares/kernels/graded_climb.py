"""Where the graded response model is most probable: the curvature of its density, and the climb to the top."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy import sparse

from ..judgments import FloatArray
from .graded_response import (
    Grades,
    Items,
    Moments,
    Nodes,
    Prior,
    Terms,
    Ties,
    abilities,
    adaptive_nodes,
    gradient,
    marginal,
    moments,
    outside,
    summed,
)

#: Steps longer than this, in any parameter, are shortened: far from the maximum the curvature says little.
_LONGEST = 2.0
#: A step so short is taken without asking whether it gains: its gain is lost in rounding.
_SURE = 1e-5
#: The largest step at the end, and how many there may be; of the first, Gauss–Newton ones where Newton's go downhill.
_TOLERANCE, _STEPS, _CAUTIOUS = 1e-9, 200, 10
#: The largest gradient of a maximum, a judgment.
_FLAT = 1e-9


@dataclass(frozen=True)
class Arrow:
    """A symmetric matrix of few common parameters (θ, then log a) and a block (2, 2) for every segment.

    ``cross`` is (common, 2 · segments). ``reduced`` is what is left of the common part when segments follow.
    """

    cross: sparse.csr_array = field(repr=False)
    inverse_blocks: FloatArray = field(repr=False)
    reduced: FloatArray = field(repr=False)
    #: Whether the matrix is positive definite as it is; if not, curvature of the wrong sign was turned round.
    definite: bool

    @classmethod
    def of(cls, common: FloatArray, cross: sparse.csr_array, blocks: FloatArray, least: float) -> Arrow:
        """With eigenvalues of the wrong sign turned round, and none of those below ``least``, if there are any."""
        arrow = cls(cross, np.asarray(np.linalg.inv(blocks)), common, True)
        reduced = common - np.asarray((cross @ arrow.follow).todense())
        try:
            np.linalg.cholesky(reduced)
        except np.linalg.LinAlgError:
            values, vectors = np.linalg.eigh(reduced)
            mended = (vectors * np.maximum(np.abs(values), least)) @ vectors.T
            return replace(arrow, reduced=mended, definite=False)
        return replace(arrow, reduced=reduced)

    @property
    def follow(self) -> sparse.csr_array:
        """How segments follow the common parameters, (2 · segments, common)."""
        n = len(self.inverse_blocks)
        inner = sparse.bsr_array((self.inverse_blocks, np.arange(n), np.arange(n + 1)), shape=(2 * n, 2 * n))
        return sparse.csr_array(inner @ self.cross.T)

    def solve(self, common: FloatArray, own: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The solution for right-hand sides (common, …) and (segments, 2, …)."""
        alone = np.einsum("jab,jb...->ja...", self.inverse_blocks, own)
        flat = alone.reshape(-1, *own.shape[2:])
        found = np.linalg.solve(self.reduced, common - self.cross @ flat)
        return found, (flat - self.follow @ found).reshape(own.shape)

    def variances(self) -> tuple[FloatArray, FloatArray]:
        """The inverse: of the common parameters in full, of the segments their blocks (segments, 2, 2)."""
        common, follow = np.asarray(np.linalg.inv(self.reduced)), self.follow
        spread = np.asarray(follow @ common).reshape(-1, 2, len(common))
        ways = np.asarray(follow.todense()).reshape(-1, 2, len(common))
        return common, self.inverse_blocks + np.einsum("jac,jbc->jab", spread, ways)


def curvature(
    data: Grades, terms: Terms, items: Items, mean: Moments, prior: Prior, *, exact: bool = True, pinned: bool = False
) -> Arrow:
    """−∂² of the log joint density of θ, log a and b, averaged over what is known of θ.

    Without θ (which is what solving with no pull on it does), that is −∂² `marginal` where θ is well known.

    Parameters
    ----------
    exact
        False for the Gauss–Newton part, which is positive definite anywhere.
    pinned
        Nodes are so few that θ hardly moves between them, and what moves with it goes by regression on it:
        −∂² `marginal` = E(−∂²ℓ) − Cov(∂ℓ), and the covariance is that of its linear part, var(θ) C Cᵀ,
        C = Cov(θ, ∂ℓ) / var(θ).
    """
    n, k, j, w = data.systems, data.judges, data.segments, terms.weight
    slope, ties, keep = terms.slope(items), Ties.of(data, items), float(exact)
    bb, place = w * slope**2 * mean.v, 2 * terms.segment + terms.threshold
    ab = -w * slope * (mean.vz - keep * mean.miss)
    if pinned and exact:
        per = w / np.maximum(mean.variance, 1e-300)[terms.system]
        ta, tb, theta = -per * mean.x_miss_z, per * slope * mean.x_miss, 1 / np.maximum(mean.variance, 1e-12)
    else:
        ta, tb, theta = w * slope * (mean.vz - keep * mean.miss), -bb, summed(terms.system, bb, n)
        theta = theta + prior.theta_sd**-2
    common = np.zeros((n + k, n + k))
    common[:n, n:] = summed(terms.system * k + terms.judge, ta, n * k).reshape(n, k)
    common += common.T
    log_a = summed(terms.judge, w * (mean.vzz - keep * mean.miss_z), k) + prior.a_sd**-2
    log_a = log_a + summed(ties.judge, ties.delta * (ties.curve * ties.delta - keep * ties.slope), k)
    common[np.arange(n + k), np.arange(n + k)] = np.concatenate([theta, log_a])
    apart = summed(ties.segment, ties.a**2 * ties.curve, j) + prior.barrier / (items.b[:, 1] - items.b[:, 0]) ** 2
    blocks = apart[:, None, None] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    blocks[:, [0, 1], [0, 1]] += summed(place, bb, 2 * j).reshape(j, 2) + prior.b_sd**-2
    tie = ties.a * (ties.curve * ties.delta - keep * ties.slope)
    rows = [terms.system, n + terms.judge, n + ties.judge, n + ties.judge]
    columns = [place, place, 2 * ties.segment, 2 * ties.segment + 1]
    where = (np.concatenate(rows), np.concatenate(columns))
    cross = sparse.csr_array((np.concatenate([tb, ab, -tie, tie]), where), shape=(n + k, 2 * j))
    return Arrow.of(common, cross, blocks, prior.a_sd**-2)


@dataclass(frozen=True)
class Peak:
    """Where the climb ended: the parameters, the largest part of the gradient, steps, and whether that is a maximum."""

    items: Items
    gradient: float
    steps: int
    converged: bool


def climb(
    data: Grades, start: Items, prior: Prior, *, nodes: Nodes | int, tolerance: float = _TOLERANCE, steps: int = _STEPS
) -> Peak:
    """Maximise `marginal`: by Gauss–Newton steps, and by Newton's where the curvature is that of a maximum.

    Parameters
    ----------
    nodes
        Nodes that stay, or how many to lay around what is known of every system, anew at every step.
    tolerance
        The climb has converged when no parameter moves by more, and the gradient is that of a maximum but for rounding.
    """
    terms, at, theta = Terms.of(data), start, None
    for taken in range(1, steps + 1):
        points = nodes
        if not isinstance(points, Nodes):
            theta, variance = abilities(terms, at, data.systems, prior, theta)
            points = adaptive_nodes(theta, variance, points, prior)
        mean = moments(terms, at, points)
        slope = gradient(data, terms, at, mean, prior)
        arrow = curvature(data, terms, at, mean, prior, pinned=points is nodes)
        if not arrow.definite and taken <= _CAUTIOUS:
            arrow = curvature(data, terms, at, mean, prior, exact=False)
        common, own = arrow.solve(np.concatenate([np.zeros(data.systems), slope.log_a]), slope.b)
        step = Items(common[data.systems :], own)
        share = min(1.0, _LONGEST / max(step.largest, 1e-300))
        if step.largest > _SURE:
            before = mean.value + outside(data, at, prior)
            value = partial(marginal, data, terms, nodes=points, prior=prior)
            share = _ascending(value, before, at, step, share)
        at = at.plus(step, share)
        if step.largest < tolerance or share == 0.0:
            break
    flat = slope.largest < _FLAT * max(1.0, float(data.weight.sum())) * max(1.0, tolerance / _TOLERANCE)
    return Peak(at, slope.largest, taken, flat and step.largest < tolerance)


def _ascending(value: Callable[[Items], float], before: float, at: Items, step: Items, share: float) -> float:
    """The share of a step, halved until it gains; 0 if none does."""
    for _ in range(40):
        if value(at.plus(step, share)) > before - 1e-9:
            return share
        share /= 2
    return 0.0


def posterior(data: Grades, items: Items, prior: Prior) -> tuple[FloatArray, Arrow]:
    """The θ of largest posterior density, and the curvature of all parameters there."""
    terms = Terms.of(data)
    theta, _ = abilities(terms, items, data.systems, prior)
    mean = moments(terms, items, Nodes(theta[:, None], np.zeros((data.systems, 1))))
    return theta, curvature(data, terms, items, mean, prior)
