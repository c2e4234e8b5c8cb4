"""The ordered-response model of judges: likelihood, scoring step and prediction, on arrays.

What judge k answers on systems a and b follows z = e^α_k (θ_a − θ_b + shift) + xβ and the judge's tie width
δ_k = e^(γ + g_k): a wins with probability F(z − δ), loses with F(−z − δ), and ties otherwise; F is the logistic or
normal distribution, x are covariates, and a shift is what is known of the two outputs beyond their systems.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, log_ndtr, ndtr

from ..judgments import BoolArray, FloatArray, IntArray

#: No outcome is impossible.
_LEAST = 1e-300
#: Steps longer than this, in any parameter, are shortened: far from the maximum the curvature says little.
_LONGEST = 2.0


@dataclass(frozen=True)
class Answers:
    """How often each judge found a better than b, equal to it, or worse: one entry for every judge and pair met, and
    where they differ, for every two outputs and values of covariates.
    """

    systems: int
    judges: int
    judge: IntArray = field(repr=False)
    a: IntArray = field(repr=False)
    b: IntArray = field(repr=False)
    #: An array (3, entries): wins of a, ties, losses.
    counts: FloatArray = field(repr=False)
    #: Covariates, (entries, covariates).
    x: FloatArray = field(repr=False)
    #: What is added to θ_a − θ_b.
    shift: FloatArray | float = field(default=0.0, repr=False)


@dataclass(frozen=True)
class Prior:
    """Precisions of θ, γ and β, and of judges' departures: α (log sensitivity) and g (log tie width).

    ``free`` says which of the two a judge has at all.
    """

    strength: float
    departures: FloatArray
    free: BoolArray


@dataclass(frozen=True)
class Place:
    """Values of all parameters: θ, γ (None where nobody tied, and so no width is known), (judges, 2) departures, β.

    The common ones stand in the order θ, β, γ wherever they are one vector.
    """

    theta: FloatArray = field(repr=False)
    width: float | None
    own: FloatArray = field(repr=False)
    beta: FloatArray = field(repr=False)

    def plus(self, common: FloatArray, own: FloatArray, share: float) -> Place:
        n, width = len(self.theta), None if self.width is None else self.width + share * float(common[-1])
        beta = self.beta + share * common[n : n + len(self.beta)]
        return Place(self.theta + share * common[:n], width, self.own + share * own, beta)


@dataclass(frozen=True)
class Curvature:
    """Gradient and expected information of the log posterior, with the judges' parameters apart from the common ones.

    ``cross`` is (common, judges, 2), ``blocks`` (judges, 2, 2), ``joint`` (common, common); ``reduced`` is the
    information of the common parameters once those of the judges are allowed to follow: A − Σ_k B_k D_k⁻¹ B_kᵀ.
    """

    common: FloatArray = field(repr=False)
    own: FloatArray = field(repr=False)
    cross: FloatArray = field(repr=False)
    blocks: FloatArray = field(repr=False)
    joint: FloatArray = field(repr=False)
    reduced: FloatArray = field(repr=False)
    #: What not knowing the effects of segments takes from ``joint``, where there are any.
    taken: FloatArray | None = field(default=None, repr=False)

    @property
    def inverse_blocks(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.blocks))

    def step(self) -> tuple[FloatArray, FloatArray]:
        """The scoring step of the common parameters and of the judges'."""
        inverse = self.inverse_blocks
        follow = np.einsum("kij,kj->ki", inverse, self.own)
        common = np.linalg.solve(self.reduced, self.common - np.einsum("ckj,kj->c", self.cross, follow))
        own = follow - np.einsum("kij,kj->ki", inverse, np.einsum("ckj,c->kj", self.cross, common))
        return common, own


def outcomes(link: str, z: FloatArray, delta: FloatArray | float) -> FloatArray:
    """P(win), P(tie), P(loss), stacked in front."""
    return _outcomes_and_densities(link, z, delta)[0]


def _outcomes_and_densities(
    link: str, z: FloatArray, delta: FloatArray | float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The same, and the densities of F at z + δ and z − δ, which share most of the work."""
    upper, lower = z + delta, z - delta
    if link == "logit":
        win, not_win, not_loss, loss = expit(lower), expit(-lower), expit(upper), expit(-upper)
        tie = not_loss * not_win * -np.expm1(-2 * np.asarray(delta))
        up, low = not_loss * loss, win * not_win
    else:
        win, loss = ndtr(lower), ndtr(-upper)
        far = -np.abs(z)  # differences of tails keep their digits on this side only
        tie = ndtr(far + delta) - ndtr(far - delta)
        up, low = (np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi) for x in (upper, lower))
    return np.maximum(np.stack(np.broadcast_arrays(win, tie, loss)), _LEAST), up, low


def _latent(data: Answers, at: Place) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """e^α, the part of z that it multiplies, z and δ of every entry."""
    sensitivity = np.exp(at.own[data.judge, 0])
    scaled = sensitivity * (at.theta[data.a] - at.theta[data.b] + data.shift)
    z = scaled + data.x @ at.beta if len(at.beta) else scaled
    delta = np.zeros_like(z) if at.width is None else np.exp(at.width + at.own[data.judge, 1])
    return sensitivity, scaled, z, delta


def log_likelihood(link: str, data: Answers, at: Place) -> float:
    _, _, z, delta = _latent(data, at)
    if at.width is not None:
        return float((data.counts * np.log(outcomes(link, z, delta))).sum())
    # Without ties, the two outcomes in a form that is exact far out.
    win, loss = (-np.logaddexp(0, -z), -np.logaddexp(0, z)) if link == "logit" else (log_ndtr(z), log_ndtr(-z))
    return float((data.counts[0] * win + data.counts[2] * loss).sum())


def log_posterior(link: str, data: Answers, at: Place, prior: Prior) -> float:
    width = 0.0 if at.width is None else at.width
    penalty = prior.strength * (float(at.theta @ at.theta) + width**2 + float(at.beta @ at.beta))
    return log_likelihood(link, data, at) - 0.5 * (penalty + float((at.own**2 @ prior.departures).sum()))


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the log likelihood by (z, δ), and the expected information per entry, weighted by judgments."""

    sensitivity: FloatArray = field(repr=False)
    #: e^α (θ_a − θ_b + shift), which is ∂z / ∂α.
    scaled: FloatArray = field(repr=False)
    delta: FloatArray = field(repr=False)
    #: By outcome, (3, entries): ∂ log P / ∂z and ∂ log P / ∂δ.
    by_z: FloatArray = field(repr=False)
    by_delta: FloatArray = field(repr=False)
    zz: FloatArray = field(repr=False)
    zd: FloatArray = field(repr=False)
    dd: FloatArray = field(repr=False)


def slopes(link: str, data: Answers, at: Place) -> Slopes:
    sensitivity, scaled, z, delta = _latent(data, at)
    p, up, low = _outcomes_and_densities(link, z, delta)
    by_z = np.stack([low, up - low, -up]) / p
    by_delta = np.stack([-low, up + low, -up]) / p
    if at.width is None:
        by_z[1] = by_delta[0] = by_delta[1] = by_delta[2] = 0.0
    total = data.counts.sum(axis=0)
    zz, zd, dd = (total * (p * left * right).sum(axis=0) for left, right in (
        (by_z, by_z), (by_z, by_delta), (by_delta, by_delta)
    ))  # fmt: skip
    return Slopes(sensitivity, scaled, delta, by_z, by_delta, zz, zd, dd)


def gap_slopes(link: str, data: Answers, at: Place) -> tuple[FloatArray, FloatArray]:
    """First and less the second derivative of the log likelihood by θ_a − θ_b, of every entry."""
    sensitivity, _, z, delta = _latent(data, at)
    p, up, low = _outcomes_and_densities(link, z, delta)
    by_z = np.stack([low, up - low, -up]) / p
    if link == "logit":
        curved = np.stack([low, low + up, up])
    else:
        upper, lower = z + delta, z - delta
        curved = by_z**2 + np.stack([lower * low, upper * up - lower * low, -upper * up]) / p
    if at.width is None:
        by_z[1], curved[1] = 0.0, 0.0
    counts = data.counts
    return sensitivity * (counts * by_z).sum(axis=0), sensitivity**2 * (counts * curved).sum(axis=0)


def curvature(link: str, data: Answers, at: Place, prior: Prior, *, damped: bool = False) -> Curvature:
    """Gradient and expected information at a place.

    Parameters
    ----------
    damped
        Add what observed information has beyond the expected one of a judge's parameter where that is positive: of a
        judge who contradicts the others, expected information nears 0 and steps would jump to and fro.
    """
    s, n, count, c = slopes(link, data, at), data.systems, data.judges, data.x.shape[1]
    wide = int(at.width is not None)
    gz, gd = (data.counts * s.by_z).sum(axis=0), (data.counts * s.by_delta).sum(axis=0)
    size, covariates, last = n + c + wide, slice(n, n + c), n + c
    common, joint, cross = np.zeros(size), np.zeros((size, size)), np.zeros((size, count, 2))
    #: ∂z / ∂α and ∂δ / ∂g of every entry, and the information that each shares with z.
    inner = (s.scaled, s.delta)
    shared = (s.zz * s.scaled, s.zd * s.delta)

    common[:n] = _differences(data, s.sensitivity * gz) - prior.strength * at.theta
    own: FloatArray = np.stack([np.bincount(data.judge, g * d, count) for g, d in zip((gz, gd), inner, strict=True)], 1)
    excess = np.maximum(-own, 0.0) if damped else np.zeros_like(own)
    own = own - prior.departures * at.own

    pair = np.bincount(data.a * n + data.b, s.sensitivity**2 * s.zz, n * n).reshape(n, n)
    pair = pair + pair.T
    joint[:n, :n] = np.diag(pair.sum(axis=1) + prior.strength) - pair
    for part, value in enumerate(shared):
        sides = [np.bincount(side * count + data.judge, s.sensitivity * value, n * count) for side in (data.a, data.b)]
        cross[:n, :, part] = (sides[0] - sides[1]).reshape(n, count)
        for k in range(c):
            cross[n + k, :, part] = np.bincount(data.judge, value * data.x[:, k], count)
    blocks = np.empty((count, 2, 2))
    blocks[:, 0, 0] = np.bincount(data.judge, s.zz * s.scaled**2, count)
    blocks[:, 1, 1] = np.bincount(data.judge, s.dd * s.delta**2, count)
    blocks[:, 0, 1] = blocks[:, 1, 0] = np.bincount(data.judge, s.zd * s.scaled * s.delta, count)
    if c:
        common[covariates] = gz @ data.x - prior.strength * at.beta
        joint[covariates, covariates] = data.x.T @ (s.zz[:, None] * data.x) + prior.strength * np.eye(c)
        for k in range(c):
            joint[n + k, :n] = joint[:n, n + k] = _differences(data, s.sensitivity * s.zz * data.x[:, k])
    if wide:
        common[last] = float((gd * s.delta).sum()) - prior.strength * float(at.width or 0.0)
        joint[last, :n] = joint[:n, last] = _differences(data, s.sensitivity * s.zd * s.delta)
        joint[last, covariates] = joint[covariates, last] = (s.zd * s.delta) @ data.x
        joint[last, last] = float((s.dd * s.delta**2).sum()) + prior.strength
        cross[last, :, 0], cross[last, :, 1] = blocks[:, 0, 1], blocks[:, 1, 1]
    for part in np.flatnonzero(~prior.free).tolist():  # a parameter that judges do not have stays where it is
        own[:, part], cross[:, :, part], blocks[:, part, :], blocks[:, :, part] = 0.0, 0.0, 0.0, 0.0
        blocks[:, part, part] = 1.0
    for part in np.flatnonzero(prior.free).tolist():
        blocks[:, part, part] += prior.departures[part] + excess[:, part]
    inverse = np.linalg.inv(blocks)
    half = np.einsum("ckj,kji->cki", cross, inverse).reshape(size, -1)
    return Curvature(common, own, cross, blocks, joint, joint - half @ cross.reshape(size, -1).T)


def _differences(data: Answers, values: FloatArray) -> FloatArray:
    """Sums of the values by system: those of entries in which it is a, less those in which it is b."""
    return np.asarray(np.bincount(data.a, values, data.systems) - np.bincount(data.b, values, data.systems))


def climb(
    link: str, data: Answers, start: Place, prior: Prior, *, tolerance: float, steps: int
) -> tuple[Place, int, bool]:
    """Fisher scoring with step halving, until no common parameter moves by more than ``tolerance``."""
    at, level = start, log_posterior(link, data, start, prior)
    for number in range(steps):
        common, own = curvature(link, data, at, prior, damped=True).step()
        longest = max(float(np.abs(common).max()), float(np.abs(own).max(initial=0.0)))
        share = min(1.0, _LONGEST / max(longest, 1e-300))
        for _ in range(30):
            nearer = at.plus(common, own, share)
            higher = log_posterior(link, data, nearer, prior)
            if higher >= level - 1e-12 * abs(level):
                break
            share /= 2
        else:
            return at, number, False
        at, level = nearer, higher
        if share * longest <= tolerance:
            return at, number + 1, True
    return at, steps, False
