"""Gibbs sampling of latent abilities from comparisons of noisy Gaussian qualities.

With D the differences that the judges saw, μ the abilities and e the items' distances from their authors' abilities,
everything but the truncation is Gaussian. Comparisons link items of one segment only, so the precision of e falls
into small blocks that do not change: they are factored once. Per block let w = 1 / 2σ_obs², B the signed incidence of
rows and items, K = w BᵀB and F Fᵀ = I + σ_a² K. Then, e integrated out,

    the precision of μ gains (I + σ_a² K)⁻¹ K, its linear term (I + σ_a² K)⁻¹ w Bᵀ D;
    e given μ and D is N(σ_a² (I + σ_a² K)⁻¹ w Bᵀ (D − Bμ), σ_a² (I + σ_a² K)⁻¹).

This form needs no 1/σ_a, so that σ_a may be 0.
"""

from __future__ import annotations

import math

import numpy as np

from ..judgments import FloatArray, IntArray
from .comparisons import Comparisons
from .compiling import compiled
from .truncated import above, between


@compiled()
def observed_difference(
    mean: float, deviation: float, outcome: int, radius: float, rng: np.random.Generator
) -> float:  # pragma: no cover - compiled
    """N(mean, deviation²), given that it is above the radius (+1), below −radius (−1) or between them (0)."""
    if outcome > 0:
        return float(mean + deviation * above((radius - mean) / deviation, rng))
    if outcome < 0:
        return float(mean - deviation * above((radius + mean) / deviation, rng))
    return float(mean + deviation * between((-radius - mean) / deviation, (radius - mean) / deviation, rng))


@compiled()
def sample(
    data: Comparisons,
    start: FloatArray,
    sigma_0: float,
    sigma_a: float,
    sigma_obs: float,
    radius: float,
    iterations: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:  # pragma: no cover - compiled
    """Draws of μ and its conditional means, (iterations, systems), by exact Gibbs steps.

    One iteration draws D given (μ, e), then (μ, e) given D in one block; a lone comparison has its e integrated out.
    """
    mu = start.copy()
    e = np.zeros(len(data.author))
    seen = np.zeros(len(data.first))
    offsets = _offsets(data.item_starts)
    factors = np.zeros(offsets[-1])
    precision = _precision(data, offsets, factors, len(mu), sigma_0, sigma_a, sigma_obs)
    root = _factored(precision)
    draws, means = np.empty((iterations, len(mu))), np.empty((iterations, len(mu)))
    for t in range(iterations):
        linear = _lone_pull(data, mu, math.sqrt(2.0 * (sigma_a**2 + sigma_obs**2)), radius, rng)
        _observe(data, mu, e, math.sqrt(2.0) * sigma_obs, radius, seen, rng)
        _block_pull(data, offsets, factors, seen, 0.5 / sigma_obs**2, linear)
        _forward(root, linear)
        means[t] = linear
        _backward(root, means[t])
        for i in range(len(mu)):
            mu[i] = linear[i] + rng.standard_normal()
        _backward(root, mu)
        draws[t] = mu
        _draw_items(data, offsets, factors, seen, mu, 0.5 / sigma_obs**2, sigma_a, e, rng)
    return draws, means


@compiled()
def project(
    data: Comparisons, systems: int, deviation: float, radius: float, iterations: int, rng: np.random.Generator
) -> FloatArray:  # pragma: no cover - compiled
    """Means after each iteration of the projection sampler (Sakaguchi, Post & Van Durme 2014, §2.2).

    Both qualities are drawn around the means; where the judgment contradicts them, each is moved by half of what
    is missing. The common level, which nothing holds, is kept at 0. All comparisons are in ``data.cells``.
    """
    mu = np.zeros(systems)
    draws = np.empty((iterations, systems))
    for t in range(iterations):
        total, count = np.zeros(systems), np.zeros(systems)
        for k in range(len(data.copies)):
            a, b, outcome = data.cells[k]
            for _ in range(data.copies[k]):
                q1 = mu[a] + deviation * rng.standard_normal()
                q2 = mu[b] + deviation * rng.standard_normal()
                move = 0.5 * (_nearest(q1 - q2, outcome, radius) - (q1 - q2))
                total[a] += q1 + move
                total[b] += q2 - move
            count[a] += data.copies[k]
            count[b] += data.copies[k]
        # A system without comparisons stays at 0, around which the others are centred.
        centre, met = 0.0, 0
        for i in range(systems):
            if count[i] > 0:
                mu[i] = total[i] / count[i]
                centre, met = centre + mu[i], met + 1
        for i in range(systems):
            if count[i] > 0:
                mu[i] -= centre / met
        draws[t] = mu
    return draws


@compiled()
def _nearest(difference: float, outcome: int, radius: float) -> float:  # pragma: no cover - compiled
    """The difference nearest to this one that has the outcome."""
    if outcome > 0:
        return max(difference, radius)
    if outcome < 0:
        return min(difference, -radius)
    return min(max(difference, -radius), radius)


# -- the steps of an iteration ---------------------------------------------------------------------


@compiled()
def _lone_pull(
    data: Comparisons, mu: FloatArray, deviation: float, radius: float, rng: np.random.Generator
) -> FloatArray:  # pragma: no cover - compiled
    """The linear term of μ from lone comparisons; their differences are drawn, added up and forgotten."""
    linear = np.zeros(len(mu))
    for k in range(len(data.copies)):
        a, b, outcome = data.cells[k]
        total = 0.0
        for _ in range(data.copies[k]):
            total += observed_difference(mu[a] - mu[b], deviation, outcome, radius, rng)
        linear[a] += total / deviation**2
        linear[b] -= total / deviation**2
    return linear


@compiled()
def _observe(
    data: Comparisons,
    mu: FloatArray,
    e: FloatArray,
    deviation: float,
    radius: float,
    seen: FloatArray,
    rng: np.random.Generator,
) -> None:  # pragma: no cover - compiled
    """Draw the difference that the judge saw, for every row of the blocks."""
    for row in range(len(seen)):
        u, v = data.first[row], data.second[row]
        mean = mu[data.author[u]] + e[u] - mu[data.author[v]] - e[v]
        seen[row] = observed_difference(mean, deviation, data.outcome[row], radius, rng)


@compiled()
def _block_pull(
    data: Comparisons, offsets: IntArray, factors: FloatArray, seen: FloatArray, weight: float, linear: FloatArray
) -> None:  # pragma: no cover - compiled
    """Add the linear term of μ from the blocks, their e integrated out."""
    for block in range(len(offsets) - 1):
        lo, hi = data.item_starts[block], data.item_starts[block + 1]
        factor = factors[offsets[block] : offsets[block + 1]].reshape(hi - lo, hi - lo)
        pull = np.zeros(hi - lo)
        for row in range(data.row_starts[block], data.row_starts[block + 1]):
            pull[data.first[row] - lo] += weight * seen[row]
            pull[data.second[row] - lo] -= weight * seen[row]
        _forward(factor, pull)
        _backward(factor, pull)
        for v in range(lo, hi):
            linear[data.author[v]] += pull[v - lo]


@compiled()
def _draw_items(
    data: Comparisons,
    offsets: IntArray,
    factors: FloatArray,
    seen: FloatArray,
    mu: FloatArray,
    weight: float,
    sigma_a: float,
    e: FloatArray,
    rng: np.random.Generator,
) -> None:  # pragma: no cover - compiled
    """Draw every block's e given μ and the differences seen."""
    for block in range(len(offsets) - 1):
        lo, hi = data.item_starts[block], data.item_starts[block + 1]
        factor = factors[offsets[block] : offsets[block + 1]].reshape(hi - lo, hi - lo)
        pull = e[lo:hi]
        pull[:] = 0.0
        for row in range(data.row_starts[block], data.row_starts[block + 1]):
            u, v = data.first[row], data.second[row]
            left = weight * (seen[row] - mu[data.author[u]] + mu[data.author[v]])
            pull[u - lo] += left
            pull[v - lo] -= left
        _forward(factor, pull)
        for v in range(hi - lo):
            pull[v] = sigma_a * (sigma_a * pull[v] + rng.standard_normal())
        _backward(factor, pull)


# -- what does not change --------------------------------------------------------------------------


@compiled()
def _offsets(starts: IntArray) -> IntArray:  # pragma: no cover - compiled
    """Where the square matrix of each block begins, and the end."""
    offsets = np.zeros(len(starts), dtype=np.int64)
    for block in range(len(starts) - 1):
        offsets[block + 1] = offsets[block] + (starts[block + 1] - starts[block]) ** 2
    return offsets


@compiled()
def _precision(
    data: Comparisons,
    offsets: IntArray,
    factors: FloatArray,
    systems: int,
    sigma_0: float,
    sigma_a: float,
    sigma_obs: float,
) -> FloatArray:  # pragma: no cover - compiled
    """The precision of μ given all differences; on the way, fill in the factors of the blocks."""
    precision = np.eye(systems) / sigma_0**2
    for k in range(len(data.copies)):
        _link(precision, data.cells[k, 0], data.cells[k, 1], 0.5 * data.copies[k] / (sigma_a**2 + sigma_obs**2))
    for block in range(len(offsets) - 1):
        lo, hi = data.item_starts[block], data.item_starts[block + 1]
        links = np.zeros((hi - lo, hi - lo))
        for row in range(data.row_starts[block], data.row_starts[block + 1]):
            _link(links, data.first[row] - lo, data.second[row] - lo, 0.5 / sigma_obs**2)
        factor = _factored(np.eye(hi - lo) + sigma_a**2 * links)
        factors[offsets[block] : offsets[block + 1]] = factor.ravel()
        for u in range(hi - lo):
            column = links[u].copy()
            _forward(factor, column)
            _backward(factor, column)
            for v in range(hi - lo):
                precision[data.author[lo + u], data.author[lo + v]] += column[v]
    return precision


@compiled()
def _link(matrix: FloatArray, a: int, b: int, weight: float) -> None:  # pragma: no cover - compiled
    """Add weight · (x_a − x_b)² to a quadratic form."""
    matrix[a, a] += weight
    matrix[b, b] += weight
    matrix[a, b] -= weight
    matrix[b, a] -= weight


@compiled()
def _factored(matrix: FloatArray) -> FloatArray:  # pragma: no cover - compiled
    """The lower Cholesky factor: blocks are small, so this beats a call of LAPACK."""
    n = len(matrix)
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= lower[i, k] * lower[j, k]
            lower[i, j] = math.sqrt(rest) if i == j else rest / lower[j, j]
    return lower


@compiled()
def _forward(lower: FloatArray, x: FloatArray) -> None:  # pragma: no cover - compiled
    """Solve F y = x in place."""
    for i in range(len(x)):
        rest = x[i]
        for k in range(i):
            rest -= lower[i, k] * x[k]
        x[i] = rest / lower[i, i]


@compiled()
def _backward(lower: FloatArray, x: FloatArray) -> None:  # pragma: no cover - compiled
    """Solve Fᵀ y = x in place; row by row of F, as it lies in memory."""
    for i in range(len(x) - 1, -1, -1):
        x[i] /= lower[i, i]
        for k in range(i):
            x[k] -= lower[i, k] * x[i]
