"""The graded response model: how systems fare against a fixed baseline, as functions of arrays.

What judge k says of system i and the baseline on segment j is u = 1 (baseline better), 2 (no difference) or 3 (system
better): P(u > c) = F(a_k (θ_i − b_jc)) with F the logistic distribution and b_j1 < b_j2.

With d = b_2 − b_1 the three probabilities are F(−z₁), F(z₁) F(−z₂) (1 − e^(−a d)) and F(z₂), z_c = a (θ − b_c):
products of logistic *terms* F(z), z = ± a (θ − b_c), one for a win or a loss and two for a tie, and a factor without θ.
So the log likelihood is a sum over terms, concave in θ, and concave in b.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, logsumexp

from ..judgments import FloatArray, IntArray

#: Terms that are looked at together, times nodes, which bounds memory.
_AT_ONCE = 4_000_000
#: No step takes more than this share of the distance of b_1 and b_2 away.
_NEARER = 0.8


@dataclass(frozen=True)
class Grades:
    """How often (weight) each judge gave each grade (0, 1, 2 for u = 1, 2, 3) to a system on a segment."""

    systems: int
    judges: int
    segments: int
    system: IntArray = field(repr=False)
    judge: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)
    grade: IntArray = field(repr=False)
    weight: FloatArray = field(repr=False)


@dataclass(frozen=True)
class Prior:
    """θ ~ N(0, theta_sd²), log a ~ N(log_a, a_sd²), b_c ~ N(b[c], b_sd²), and the weight of log(b_2 − b_1)."""

    theta_sd: float
    log_a: float
    a_sd: float
    b: tuple[float, float]
    b_sd: float
    barrier: float


@dataclass(frozen=True)
class Items:
    """Parameters of judges, log a, and of segments, b_1 and b_2: an array (segments, 2)."""

    log_a: FloatArray = field(repr=False)
    b: FloatArray = field(repr=False)

    def plus(self, step: Items, share: float) -> Items:
        """Some way along a step, but nowhere to b_1 ≥ b_2: segments that it would take there go less far."""
        width, change = self.b[:, 1] - self.b[:, 0], share * (step.b[:, 1] - step.b[:, 0])
        nearer = np.minimum(1.0, _NEARER * width / np.maximum(-change, 1e-300))
        return Items(self.log_a + share * step.log_a, self.b + share * nearer[:, None] * step.b)

    @property
    def largest(self) -> float:
        return float(max(np.abs(self.log_a).max(), np.abs(self.b).max()))


@dataclass(frozen=True)
class Terms:
    """Every logistic term: its sign, the threshold (0, 1) it is about, and whose it is; rows by system."""

    sign: FloatArray = field(repr=False)
    threshold: IntArray = field(repr=False)
    system: IntArray = field(repr=False)
    judge: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)
    weight: FloatArray = field(repr=False)

    @classmethod
    def of(cls, data: Grades) -> Terms:
        lower, upper = data.grade <= 1, data.grade >= 1
        entry = np.concatenate([np.flatnonzero(lower), np.flatnonzero(upper)])
        threshold = np.repeat([0, 1], [lower.sum(), upper.sum()])
        sign = np.where(data.grade[entry] == 2 * threshold, 2.0 * threshold - 1.0, 1.0 - 2.0 * threshold)
        order = np.argsort(data.system[entry], kind="stable")
        entry, threshold, sign = entry[order], threshold[order], sign[order]
        return cls(sign, threshold, data.system[entry], data.judge[entry], data.segment[entry], data.weight[entry])

    def slope(self, items: Items) -> FloatArray:
        """∂z/∂θ = ± a."""
        return np.asarray(self.sign * np.exp(items.log_a)[self.judge])

    def pieces(self, nodes: int) -> Iterator[slice]:
        step = max(1, _AT_ONCE // nodes)
        return (slice(lo, lo + step) for lo in range(0, len(self.sign), step))


def summed(group: IntArray, values: FloatArray, groups: int) -> FloatArray:
    """The sum of the values of every group."""
    return np.asarray(np.bincount(group, values, groups), dtype=np.float64)


# -- systems, when judges and segments are known -------------------------------------------------------


def abilities(
    terms: Terms, items: Items, systems: int, prior: Prior, start: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """The θ of largest posterior density, and the variance there, 1 / (−∂² log P / ∂θ²)."""
    slope, at = terms.slope(items), items.b[terms.segment, terms.threshold]
    weighted, squares = terms.weight * slope, terms.weight * slope**2
    precision = prior.theta_sd**-2
    # The logistic density is at most ¼: a step by this bound never overshoots.
    bound = precision + summed(terms.system, squares, systems) / 4

    def derivatives(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        miss = expit(slope * (at - theta[terms.system]))
        gradient = summed(terms.system, weighted * miss, systems) - precision * theta
        return gradient, precision + summed(terms.system, squares * miss * (1 - miss), systems)

    theta = np.zeros(systems) if start is None else start
    gradient, curvature = derivatives(theta)
    for _ in range(200):
        step = gradient / curvature
        new_gradient, new_curvature = derivatives(theta + step)
        if (worse := np.abs(new_gradient) > np.abs(gradient)).any():
            step = np.where(worse, gradient / bound, step)
            new_gradient, new_curvature = derivatives(theta + step)
        theta, gradient, curvature = theta + step, new_gradient, new_curvature
        if np.abs(step).max(initial=0.0) < 1e-12:
            break
    return theta, np.asarray(1 / curvature)


# -- θ integrated out ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nodes:
    """Points (systems, T) that θ is integrated over, with the logs of their weights, the prior's density included."""

    points: FloatArray = field(repr=False)
    log_weights: FloatArray = field(repr=False)


def fixed_nodes(systems: int, count: int, scale: float) -> Nodes:
    """The same Gauss–Hermite nodes for every system: scale · x_t with weights w_t / √π."""
    x, w = np.polynomial.hermite.hermgauss(count)
    return Nodes(np.tile(scale * x, (systems, 1)), np.tile(np.log(w / np.sqrt(np.pi)), (systems, 1)))


def adaptive_nodes(centre: FloatArray, variance: FloatArray, count: int, prior: Prior) -> Nodes:
    """Gauss–Hermite nodes around what is known of every system: centre + √(2 variance) x_t."""
    x, w = np.polynomial.hermite.hermgauss(count)
    spread = np.sqrt(2 * variance)[:, None]
    points = centre[:, None] + spread * x
    density = -0.5 * (points / prior.theta_sd) ** 2 - np.log(prior.theta_sd * np.sqrt(2 * np.pi))
    return Nodes(points, np.log(w) + x**2 + np.log(spread) + density)


def _log_joint(terms: Terms, items: Items, nodes: Nodes) -> FloatArray:
    """log of weight times likelihood, (systems, T), without the factors of ties."""
    slope, at = terms.slope(items), items.b[terms.segment, terms.threshold]
    total = nodes.log_weights.copy()
    for part in terms.pieces(nodes.points.shape[1]):
        z = nodes.points[terms.system[part]] - at[part, None]
        z *= slope[part, None]
        value = np.minimum(z, 0.0) - np.log1p(np.exp(-np.abs(z)))
        value *= terms.weight[part, None]
        system, starts = np.unique(terms.system[part], return_index=True)
        total[system] += np.add.reduceat(value, starts, axis=0)
    return total


@dataclass(frozen=True)
class Ties:
    """Of every entry that is a tie: its judge and segment, a, δ = a d, and weighted log(1 − e^−δ) with derivatives.

    ``slope`` and ``curve`` are ∂ and −∂² by δ.
    """

    judge: IntArray = field(repr=False)
    segment: IntArray = field(repr=False)
    a: FloatArray = field(repr=False)
    delta: FloatArray = field(repr=False)
    value: FloatArray = field(repr=False)
    slope: FloatArray = field(repr=False)
    curve: FloatArray = field(repr=False)

    @classmethod
    def of(cls, data: Grades, items: Items) -> Ties:
        tied = np.flatnonzero(data.grade == 1)
        judge, segment, weight = data.judge[tied], data.segment[tied], data.weight[tied]
        a = np.exp(items.log_a[judge])
        delta = a * (items.b[segment, 1] - items.b[segment, 0])
        shrunk, rest = -np.expm1(-delta), np.exp(-delta)
        return cls(judge, segment, a, delta, weight * np.log(shrunk), weight * rest / shrunk, weight * rest / shrunk**2)


def log_prior(items: Items, prior: Prior) -> float:
    """Of log a and b, and the barrier."""
    a = float((((items.log_a - prior.log_a) / prior.a_sd) ** 2).sum())
    b = float((((items.b - prior.b) / prior.b_sd) ** 2).sum())
    return -0.5 * (a + b) + prior.barrier * float(np.log(items.b[:, 1] - items.b[:, 0]).sum())


def marginal(data: Grades, terms: Terms, items: Items, nodes: Nodes, prior: Prior) -> float:
    """log P(judgments, a, b) up to a constant, θ integrated out."""
    inside = float(logsumexp(_log_joint(terms, items, nodes), axis=1).sum())
    return inside + outside(data, items, prior)


def outside(data: Grades, items: Items, prior: Prior) -> float:
    """What does not depend on θ: the factors of ties and the prior."""
    return float(Ties.of(data, items).value.sum()) + log_prior(items, prior)


@dataclass(frozen=True)
class Moments:
    """Averages over what is known of θ, of every term: with miss = F(−z), v = miss (1 − miss) and x = θ less its mean.

    ``variance`` is that of θ, of every system; ``value`` is the log likelihood, θ integrated out, without the factors
    of ties.
    """

    value: float
    variance: FloatArray = field(repr=False)
    miss: FloatArray = field(repr=False)
    miss_z: FloatArray = field(repr=False)
    v: FloatArray = field(repr=False)
    vz: FloatArray = field(repr=False)
    vzz: FloatArray = field(repr=False)
    x_miss: FloatArray = field(repr=False)
    x_miss_z: FloatArray = field(repr=False)


def moments(terms: Terms, items: Items, nodes: Nodes) -> Moments:
    log_joint = _log_joint(terms, items, nodes)
    total = logsumexp(log_joint, axis=1)
    share = np.exp(log_joint - total[:, None])
    away = nodes.points - (share * nodes.points).sum(axis=1)[:, None]
    slope, at = terms.slope(items), items.b[terms.segment, terms.threshold]
    parts = []
    for part in terms.pieces(nodes.points.shape[1]):
        x, system = away[terms.system[part]], terms.system[part]
        z = nodes.points[system] - at[part, None]
        z *= slope[part, None]
        miss = expit(-z)
        known = share[system] * miss
        v = known * (1 - miss)
        xz, vz = x * z, v * z
        pairs = ((known, None), (known, z), (v, None), (vz, None), (vz, z), (known, x), (known, xz))
        parts.append([q.sum(axis=1) if r is None else np.einsum("mt,mt->m", q, r) for q, r in pairs])
    means = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    variance = np.asarray((share * away**2).sum(axis=1))
    return Moments(float(total.sum()), variance, *means)


def gradient(data: Grades, terms: Terms, items: Items, mean: Moments, prior: Prior) -> Items:
    """Of `marginal`, by log a and b."""
    ties = Ties.of(data, items)
    log_a = summed(terms.judge, terms.weight * mean.miss_z, data.judges)
    log_a = log_a + summed(ties.judge, ties.slope * ties.delta, data.judges)
    by_b = summed(2 * terms.segment + terms.threshold, -terms.weight * terms.slope(items) * mean.miss,
                       2 * data.segments).reshape(-1, 2)  # fmt: skip
    apart = summed(ties.segment, ties.slope * ties.a, data.segments)
    apart = apart + prior.barrier / (items.b[:, 1] - items.b[:, 0])
    by_b = by_b + np.stack([-apart, apart], axis=1)
    return Items(log_a - (items.log_a - prior.log_a) / prior.a_sd**2, by_b - (items.b - prior.b) / prior.b_sd**2)


def pulls(terms: Terms, items: Items, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """∂² log P / ∂θ ∂(log a, b): arrays (judges, systems) and (segments, 2, systems)."""
    k, j, n = len(items.log_a), len(items.b), len(theta)
    slope = terms.slope(items)
    z = slope * (theta[terms.system] - items.b[terms.segment, terms.threshold])
    miss = expit(-z)
    v, w = miss * (1 - miss), terms.weight * slope
    by_a = summed(terms.judge * n + terms.system, w * (miss - v * z), k * n)
    by_b = summed((2 * terms.segment + terms.threshold) * n + terms.system, w * slope * v, 2 * j * n)
    return by_a.reshape(k, n), by_b.reshape(j, 2, n)


@dataclass(frozen=True)
class Contributions:
    """What one judgment of every cell adds to the gradient by θ, log a and b (cells, 2), and its information on θ."""

    theta: FloatArray = field(repr=False)
    log_a: FloatArray = field(repr=False)
    b: FloatArray = field(repr=False)
    information: FloatArray = field(repr=False)


def contributions(cells: Grades, items: Items, theta: FloatArray) -> Contributions:
    """At these values of all parameters."""
    a, b, place = np.exp(items.log_a)[cells.judge], items.b[cells.segment], theta[cells.system]
    z = a[:, None] * (place[:, None] - b)
    sign = np.stack([np.array([-1.0, 1.0, 0.0])[cells.grade], np.array([0.0, -1.0, 1.0])[cells.grade]], axis=1)
    miss = sign * expit(-sign * z)
    delta = a * (b[:, 1] - b[:, 0])
    apart = np.where(cells.grade == 1, 1 / np.expm1(delta), 0.0)
    by_b = -a[:, None] * miss + (a * apart)[:, None] * np.array([-1.0, 1.0])
    information = item_information(place, b[:, 0], b[:, 1], a)
    return Contributions(a * miss.sum(axis=1), (miss * z).sum(axis=1) + apart * delta, by_b, information)


def outcomes(a: FloatArray, theta: FloatArray, b1: FloatArray, width: FloatArray) -> FloatArray:
    """P(system better), P(tie), P(baseline better), stacked in front; ``width`` is b_2 − b_1."""
    lower, delta = a * (theta - b1), a * width
    won, lost = expit(lower - delta), expit(-lower)
    tied = expit(lower) * expit(delta - lower) * -np.expm1(-delta)
    return np.asarray(np.maximum(np.stack(np.broadcast_arrays(won, tied, lost)), 1e-300))


def item_information(
    theta: FloatArray | float, b1: FloatArray | float, b2: FloatArray | float, a: FloatArray | float = 1.0
) -> FloatArray:
    r"""What one judgment on a segment tells about a system at θ: the Fisher information (Otani et al. 2016, §6.5).

    I(θ) = Σ_c [P*'_{c−1} − P*'_c]² / [P*_{c−1} − P*_c], P*_c = F(a (θ − b_c)), P*_0 = 1, P*_3 = 0. With
    P*' = a P* (1 − P*), the term of c is a² (1 − P*_{c−1} − P*_c)² (P*_{c−1} − P*_c), which divides by nothing.

    Parameters
    ----------
    theta, b1, b2, a
        Numbers or arrays that broadcast; b1 < b2 and a > 0.
    """
    not_lost, won = expit(a * (theta - b1)), expit(a * (theta - b2))
    lost, not_won = expit(a * (b1 - theta)), expit(a * (b2 - theta))
    tied = not_lost * not_won * -np.expm1(-a * (np.asarray(b2) - b1))
    return np.asarray(np.square(a) * (not_lost**2 * lost + (not_won - not_lost) ** 2 * tied + not_won**2 * won))
